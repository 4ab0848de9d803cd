"""Token buckets: in Redis for all processes together, in memory for one process while Redis does not answer."""

import logging
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import redis

from dpp_project.logging import fields
from dpp_project.metrics import LIMITER_FALLBACKS
from dpp_project.redis import LuaScript

log = logging.getLogger("dpp.limits")

LUA = Path(__file__).parent / "lua" / "limit.lua"
_LIMIT = LuaScript(LUA)
_MINUTE_SEC = 60.0
_MOST_LOCAL = 10_000
# After a failure Redis is left alone for a moment: a hanging one must not hold every reader for its timeout.
_LEAVE_ALONE_SEC = 2.0


class Answer(StrEnum):
    OK = "OK"
    RATE = "RATE"
    CONCURRENCY = "CONCURRENCY"


@dataclass(frozen=True)
class Verdict:
    answer: Answer
    limit: int
    """Requests a minute."""
    remaining: int
    full_at: int
    """Epoch seconds at which the bucket is full again."""

    def headers(self) -> dict[str, str]:
        return {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Reset": str(self.full_at),
        }


def take(name: str, rate: int, *, cost: int = 1) -> Verdict:
    """Take from a bucket (cost 0 only looks). Never fails: without Redis each process counts for itself."""
    return take_each([(name, rate)], cost=cost)[0]


def take_each(wanted: Sequence[tuple[str, int]], *, cost: int = 1) -> list[Verdict]:
    """The same from several buckets, given by name and rate, in one call."""
    if _down.is_over():
        try:
            answers = _LIMIT.each([([name], [str(rate), str(cost)]) for name, rate in wanted])
            return [verdict(rate, answer) for (_, rate), answer in zip(wanted, answers, strict=True)]
        except redis.RedisError as error:
            _down.begin()
            log.warning("limiter_fallback", extra=fields(error=type(error).__name__))
    LIMITER_FALLBACKS.inc(len(wanted))
    return [_local.take(name, rate, cost) for name, rate in wanted]


def verdict(rate: int, answer: Any) -> Verdict:
    """What limit.lua answered."""
    match answer:
        case [word, remaining, full_at]:
            return Verdict(Answer(word), rate, int(remaining), int(full_at))
        case other:
            raise AssertionError(f"limit.lua returned {other!r}")


class _Pause:
    def __init__(self) -> None:
        self._until = 0.0

    def begin(self) -> None:
        self._until = time.monotonic() + _LEAVE_ALONE_SEC

    def is_over(self) -> bool:
        return time.monotonic() >= self._until


class _LocalBuckets:
    """The same bucket as `limit.lua`, in this process's memory and on its clock."""

    def __init__(self) -> None:
        self._full_at: dict[str, float] = {}
        self._lock = threading.Lock()

    def take(self, name: str, rate: int, cost: int) -> Verdict:
        with self._lock:
            now = time.time()
            if rate < 1:
                return Verdict(Answer.RATE, rate, 0, int(now + _MINUTE_SEC))
            interval = _MINUTE_SEC / rate
            full_at = max(self._full_at.get(name, 0.0), now)
            after = full_at + cost * interval
            # A microsecond of grace: the sum of fractions may pass the minute by a hair.
            if after > now + _MINUTE_SEC + 1e-6:
                return Verdict(Answer.RATE, rate, 0, int(full_at) + 1)
            if cost:
                if len(self._full_at) >= _MOST_LOCAL:
                    self._full_at.clear()
                self._full_at[name] = after
            remaining = int((now + _MINUTE_SEC - after) / interval + 1e-6)
            answer = Answer.OK if cost or remaining else Answer.RATE
            return Verdict(answer, rate, remaining, int(after) + 1)


_down = _Pause()
_local = _LocalBuckets()
