"""Has the platform's own packs compute a result again: in a checkout of the platform, since this client has none."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dpp_client.errors import NotVerified

_PROGRAM = "runs.worker.recompute"
_LIMIT_SEC = 300


class CannotRecompute(Exception):
    """Not a word about the result: it was not computed."""


def recompute(envelope: Mapping[str, Any], request: Mapping[str, Any], *, platform: str) -> None:
    """Quiet if the bytes are the same. NotVerified names what differs."""
    folder = Path(platform)
    if not folder.joinpath(*_PROGRAM.split(".")).with_suffix(".py").is_file():
        raise CannotRecompute(
            f"There are no packs in {folder.absolute()}. Clone the platform, run `make install` in it, and name the "
            "folder with --platform."
        )
    own = folder / ".venv" / "bin" / "python"
    done = subprocess.run(
        [str(own.absolute()) if own.exists() else sys.executable, "-m", _PROGRAM],
        cwd=folder,
        input=json.dumps({"envelope": envelope, "request": request}),
        capture_output=True,
        text=True,
        timeout=_LIMIT_SEC,
        check=False,
    )
    if done.returncode:
        raise CannotRecompute(f"The packs in {folder.absolute()} could not be run: {done.stderr.strip()[-300:]}")
    told = json.loads(done.stdout.splitlines()[-1])
    if "cannot" in told:
        raise CannotRecompute(told["cannot"])
    if not told["same"]:
        raise NotVerified(
            f"Recomputed, the result differs at {', '.join(told['differs_at'])}. Either it is not what the packs made "
            "of these inputs, or the packs in this folder are of another version than those that made it."
        )
