"""Files that hold secrets or are read while they are written."""

import os
from pathlib import Path


def write_private(path: Path, content: str) -> None:
    """Replace a file at once, readable by its owner only. A reader sees the old or the new, never half."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(content)
    temporary.replace(path)


def last_lines(path: Path, count: int) -> list[str]:
    """The end of a log, without reading all of it."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 65_536))
            lines = file.read().decode(errors="replace").splitlines()
    except FileNotFoundError:
        return []
    return lines[-count:] if count > 0 else []
