"""Named crash points. Off, and one dictionary look-up, unless a test arms one in a real process.

`DPP_CRASH_POINTS="finalize.settled"` kills the process (SIGKILL) the first time it passes that point;
`"finalize.settled=stop"` stops it (SIGSTOP) instead, for the worker that is paused past its lease;
`"submit.reserved=pause:6"` sleeps that many seconds. A file named in `DPP_CRASH_POINTS_FILE` can arm a running
process. Refused in production by a system check.
"""

import os
import signal
import time
from pathlib import Path

_ARMED: dict[str, str] = {}
_FILE = os.environ.get("DPP_CRASH_POINTS_FILE")


def _parse(text: str) -> dict[str, str]:
    pairs = (item.strip().partition("=") for item in text.split(",") if item.strip())
    return {name: action or "kill" for name, _, action in pairs}


_ARMED.update(_parse(os.environ.get("DPP_CRASH_POINTS", "")))


def crash_point(name: str) -> None:
    if _FILE is not None:
        _arm_from(Path(_FILE), name)
    if _ARMED and name in _ARMED:
        _fire(_ARMED.pop(name))


def armed() -> bool:
    return bool(_ARMED) or _FILE is not None


def _arm_from(path: Path, name: str) -> None:
    """The file is taken by the first process that passes a point named in it, so that exactly one of a pool dies."""
    try:
        armed_points = _parse(path.read_text(encoding="utf-8"))
        if name in armed_points:
            path.rename(path.with_name(f"{path.name}.{os.getpid()}.taken"))
            _ARMED.update(armed_points)
    except FileNotFoundError:
        return


def _fire(action: str) -> None:
    verb, _, seconds = action.partition(":")
    if verb == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif verb == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    elif verb == "pause":
        time.sleep(int(seconds))
    else:
        raise AssertionError(f"unknown crash action {action!r}")
