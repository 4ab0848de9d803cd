"""Named crash points. Off, and one dictionary look-up, unless a test arms one in a real process.

`DPP_CRASH_POINTS="finalize.settled"` kills the process (SIGKILL) the first time it passes that point;
`"finalize.settled=stop"` stops it (SIGSTOP) instead, for the worker that is paused past its lease;
`"submit.reserved=pause:6"` sleeps that many seconds. A file named in `DPP_CRASH_POINTS_FILE` can arm a running
process. A test of a race arms its own process with a function: the rival's whole move, at exactly this step.
A process in production refuses to start with any of it.
"""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

_ARMED: dict[str, str | Callable[[], object]] = {}
_FILE = os.environ.get("DPP_CRASH_POINTS_FILE")


def _parse(text: str) -> dict[str, str]:
    pairs = (item.strip().partition("=") for item in text.split(",") if item.strip())
    return {name: action or "kill" for name, _, action in pairs}


_ARMED.update(_parse(os.environ.get("DPP_CRASH_POINTS", "")))


if (_ARMED or _FILE is not None) and os.environ.get("DPP_ENV", "production") == "production":
    raise SystemExit("DPP_CRASH_POINTS or DPP_CRASH_POINTS_FILE is set: unset it. Production is not killed on purpose.")


def crash_point(name: str) -> None:
    if _FILE is not None:
        _arm_from(Path(_FILE), name)
    # Taken out in one step: of many threads that pass together, one fires.
    action = _ARMED.pop(name, None) if _ARMED else None
    if action is not None:
        _fire(action)


def arm(name: str, action: Callable[[], object]) -> None:
    """Do this the next time this process passes the point, once."""
    _ARMED[name] = action


def disarm() -> None:
    _ARMED.clear()


def _arm_from(path: Path, name: str) -> None:
    """The file is taken by the first process that passes a point named in it, so that exactly one of a pool dies."""
    try:
        armed_points = _parse(path.read_text(encoding="utf-8"))
        if name in armed_points:
            path.rename(path.with_name(f"{path.name}.{os.getpid()}.taken"))
            _ARMED.update(armed_points)
    except FileNotFoundError:
        return


def _fire(action: str | Callable[[], object]) -> None:
    if callable(action):
        action()
        return
    verb, _, seconds = action.partition(":")
    if verb == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif verb == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    elif verb == "pause":
        time.sleep(int(seconds))
    else:
        raise AssertionError(f"unknown crash action {action!r}")
