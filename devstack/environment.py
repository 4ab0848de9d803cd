"""`.dpp/env`: lines of `export NAME='value'` that a POSIX shell reads with `. .dpp/env`."""

import shlex
from collections.abc import Mapping
from pathlib import Path

from devstack.files import write_private


def write_environment(path: Path, values: Mapping[str, str]) -> None:
    """Empty values are left out: set to nothing is harder to notice than not set."""
    lines = [f"export {name}={_quote(value)}\n" for name, value in sorted(values.items()) if value]
    write_private(path, "# Written by `make up`. Holds secrets of this machine's stack only.\n" + "".join(lines))


def read_environment(path: Path) -> dict[str, str]:
    """What `write_environment` wrote; empty if there is none."""
    values: dict[str, str] = {}
    try:
        lines = path.read_text().splitlines()
    except FileNotFoundError:
        return values
    for line in lines:
        words = shlex.split(line, comments=True)
        if len(words) == 2 and words[0] == "export" and "=" in words[1]:
            name, _, value = words[1].partition("=")
            values[name] = value
    return values


def _quote(value: str) -> str:
    if "\n" in value or "\0" in value:
        raise ValueError("a value of an environment file is one line")
    return "'" + value.replace("'", "'\"'\"'") + "'"
