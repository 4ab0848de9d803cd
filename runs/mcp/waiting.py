"""Waiting for the end of a run: by answers that the API holds and, when it holds none, by asking now and then.

Nobody keeps a thread meanwhile. Beyond the places here a call is answered at once, with the run as it is.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dpp_project.profile import PROFILE
from runs.api.problems import RATE_LIMITED, ProblemError
from runs.mcp.caller import Caller
from runs.mcp.client import LONGEST_HOLD_SEC, ApiClient
from runs.mcp.results import LIVE

_WAITING_PER_KEY = 50
_WAITING_AT_ONCE = 1_000
_PAUSE_SEC = PROFILE.poll_recommended_interval_ms / 1000
# An answer that comes sooner was not held: the API's places to wait were taken.
_NOT_HELD_SEC = 1.0

_waiting: Counter[str] = Counter()


@contextmanager
def granted_sec(asked_sec: int, caller: Caller) -> Iterator[int]:
    """How long this call may wait: as long as it asks, or not at all."""
    key = caller.authorization or ""
    if not asked_sec or _waiting[key] >= _WAITING_PER_KEY or _waiting.total() >= _WAITING_AT_ONCE:
        yield 0
        return
    _waiting[key] += 1
    try:
        yield asked_sec
    finally:
        _waiting[key] -= 1
        if not _waiting[key]:
            del _waiting[key]


async def ended_run(
    api: ApiClient, run_id: str, run: dict[str, Any] | None, caller: Caller, *, ends: float
) -> dict[str, Any] | None:
    """The run once it has ended, or as it was last seen when the time (of `time.monotonic`) is up. What goes wrong
    here ends the wait, not the call: the run was accepted."""
    is_held = True
    while (run is None or run["status"] in LIVE) and (left := ends - time.monotonic()) > 0:
        began = time.monotonic()
        hold_sec = min(int(left), LONGEST_HOLD_SEC) if is_held else 0
        try:
            answer = await api.read(run_id, caller, hold_sec=hold_sec)
        except ProblemError:
            return run
        if not answer.is_problem:
            run = answer.document
        elif answer.document.get("reason_code") != RATE_LIMITED.reason_code:
            return run
        if run is None or run["status"] in LIVE:
            is_held = time.monotonic() - began >= _NOT_HELD_SEC
            if not is_held:
                pause = float(answer.document.get("retry_after_sec") or 0) if answer.is_problem else 0.0
                await asyncio.sleep(max(min(max(pause, _PAUSE_SEC), ends - time.monotonic()), 0))
    return run
