"""How much a tenant may ask for: polls, submits and replays a minute, live runs at once.

The order of the questions is the contract's: who are you -> is it a replay -> rate -> concurrency -> money. A `Gate`
belongs to one request and remembers what its caller is told in the `X-RateLimit-*` headers. The token buckets are in
Redis for all processes together, and in memory for one process while Redis does not answer.
"""

import logging
import math
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import redis

from budget import redis_keys
from dpp_project.cool_down import CoolDown
from dpp_project.logging import fields
from dpp_project.metrics import LIMITED, LIMITER_FALLBACKS
from dpp_project.profile import PROFILE
from dpp_project.redis import LuaScript, Store
from runs.access import plans
from runs.models import Tenant

log = logging.getLogger("dpp.limits")

LUA = Path(__file__).parents[1] / "lua" / "limit.lua"
# A poll shall be answered within a second whatever Redis does: who is counted late is counted by the process alone.
_LIMIT = LuaScript(LUA, patience_sec=0.25, store=Store.LIMITS)
# Submits are counted where their money is held, in the call that holds it.
_SUBMIT_LIMIT = LuaScript(LUA, patience_sec=0.25)
_MINUTE_SEC = 60.0
_MOST_LOCAL = 10_000
# After a failure Redis is left alone for a moment: a hanging one must not hold every reader for its timeout.
_cool_down = CoolDown(2.0)
_REPLAYS_PER_POLL = PROFILE.replay_rate_per_min // PROFILE.poll_rate_per_min


class Decision(StrEnum):
    OK = "OK"
    RATE = "RATE"
    CONCURRENCY = "CONCURRENCY"


@dataclass(frozen=True)
class Verdict:
    answer: Decision
    limit: int
    """Requests a minute."""
    remaining: int
    reset_at: int
    """Epoch seconds: when the bucket is full again or, of a request that was refused, when one will pass."""

    def headers(self) -> dict[str, str]:
        return {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Reset": str(self.reset_at),
        }


class RateLimited(Exception):
    """Too many requests of this kind within a minute."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__()
        # Redis and this process may have two clocks; a bucket holds a minute's worth.
        self.passes_in_sec = min(max(math.ceil(verdict.reset_at - time.time()), 1), int(_MINUTE_SEC))


class TooManyRuns(Exception):
    """As many runs as the tenant may have at once are live."""


class _Bucket(StrEnum):
    POLLS = "polls"
    SUBMITS = "submits"
    REPLAYS = "replays"
    FAILED_KEYS = "failed_keys"
    FAILED_PASSWORDS = "failed_passwords"


@dataclass(frozen=True)
class Terms:
    bucket: str
    rate: int
    """Submits a minute."""
    max_live_runs: int


class Gate:
    def __init__(self, tenant: Tenant) -> None:
        self._tenant = tenant
        self._plan = plans.terms_of(tenant)
        self.verdict: Verdict | None = None

    def poll(self) -> None:
        """Anything but a submit: reading, listing, cancelling. Counted once per request, here or by `ask_to_poll`."""
        self._pass(_Bucket.POLLS, self.verdict or take(*self.polls))

    @property
    def polls(self) -> tuple[str, int]:
        """The bucket and its rate."""
        return self._name(_Bucket.POLLS), self._plan.poll_rate_per_min

    def replay(self) -> None:
        """A submit whose key is known. In a bucket of its own: a retry is answered when nothing else is."""
        self._pass(_Bucket.REPLAYS, take(self._name(_Bucket.REPLAYS), self._plan.poll_rate_per_min * _REPLAYS_PER_POLL))

    def terms(self) -> Terms:
        """What a fresh run must fit in: rate, then concurrency. Asked in the call that admits the run."""
        return Terms(
            bucket=self._name(_Bucket.SUBMITS),
            rate=self._plan.submit_rate_per_min,
            max_live_runs=self._plan.max_concurrent_runs,
        )

    def record_submit(self, verdict: Verdict) -> None:
        """What Redis decided about a fresh run, asked together with the key and the money."""
        self._pass(_Bucket.SUBMITS, verdict)

    def count_live_runs(self, number: int) -> None:
        """With the run that asks: for the way on which Redis could not count them in the call that admits."""
        if number > self.terms().max_live_runs:
            LIMITED.labels(limit="live_runs").inc()
            raise TooManyRuns

    def refused_submit(self) -> None:
        """A submit that did not get as far as its key: it counts as one, or bad requests would be free."""
        self._pass(_Bucket.SUBMITS, self._take_submit(cost=1))

    def current(self) -> Verdict:
        """What to tell a caller whose request ended before any limit was asked."""
        return self.verdict or self._take_submit(cost=0)

    def _take_submit(self, *, cost: int) -> Verdict:
        wanted = (self._name(_Bucket.SUBMITS), self._plan.submit_rate_per_min)
        return take_each([wanted], cost=cost, by=_SUBMIT_LIMIT)[0]

    def _pass(self, bucket: _Bucket, verdict: Verdict) -> None:
        self.verdict = verdict
        _raise_if_limited(bucket, verdict)

    def _name(self, bucket: _Bucket) -> str:
        name = f"limit:{self._tenant.pk}:{bucket}"
        return redis_keys.of_tenant(self._tenant.pk, name) if bucket == _Bucket.SUBMITS else name


def ask_to_poll(gates: Sequence[Gate]) -> None:
    """Count a poll at each gate, all in one call. Refuses nobody: each gate has its verdict afterwards."""
    for gate, verdict in zip(gates, take_each([gate.polls for gate in gates]), strict=True):
        gate.verdict = verdict


def key_failed(address: str) -> None:
    """Count a failed API key; raises `RateLimited` once there were too many from this address."""
    _failed(_Bucket.FAILED_KEYS, address)


def keys_are_limited(address: str) -> Verdict | None:
    """What is told to an address that has used up its failures. Takes nothing."""
    verdict = _failures_left(_Bucket.FAILED_KEYS, address)
    return verdict if verdict.answer == Decision.RATE else None


def password_failed(address: str) -> None:
    """As for keys, counted apart: an agent with a wrong key must not lock out the person beside it."""
    _failed(_Bucket.FAILED_PASSWORDS, address)


def passwords_are_limited(address: str) -> bool:
    return _failures_left(_Bucket.FAILED_PASSWORDS, address).answer == Decision.RATE


def _failed(bucket: _Bucket, address: str) -> None:
    verdict = take(f"limit:{bucket}:{address}", PROFILE.auth_failure_rate_per_min)
    _raise_if_limited(bucket, verdict)


def _failures_left(bucket: _Bucket, address: str) -> Verdict:
    return take(f"limit:{bucket}:{address}", PROFILE.auth_failure_rate_per_min, cost=0)


def _raise_if_limited(bucket: _Bucket, verdict: Verdict) -> None:
    if verdict.answer != Decision.OK:
        LIMITED.labels(limit="live_runs" if verdict.answer == Decision.CONCURRENCY else bucket).inc()
        raise TooManyRuns if verdict.answer == Decision.CONCURRENCY else RateLimited(verdict)


def take(name: str, rate: int, *, cost: int = 1) -> Verdict:
    """Take from a bucket (cost 0 only looks). Never fails: without Redis each process counts for itself."""
    return take_each([(name, rate)], cost=cost)[0]


def take_each(wanted: Sequence[tuple[str, int]], *, cost: int = 1, by: LuaScript = _LIMIT) -> list[Verdict]:
    """The same from several buckets, given by name and rate, in one call."""
    if not _cool_down:
        answers: list[Any]
        try:
            answers = by.outcomes([([name], [str(rate), str(cost)]) for name, rate in wanted])
        except redis.RedisError as error:
            answers = [error] * len(wanted)
        failed = next((answer for answer in answers if isinstance(answer, redis.RedisError)), None)
        if failed is not None:
            # In a cluster the others answer: only who asks the silent one is held, and not for long.
            if not by.asks_cluster:
                _cool_down.begin()
            log.warning("limiter_fallback", extra=fields(error=type(failed).__name__))
    else:
        answers = [None] * len(wanted)
    return [_decided(name, rate, cost, answer) for (name, rate), answer in zip(wanted, answers, strict=True)]


def _decided(name: str, rate: int, cost: int, answer: Any) -> Verdict:
    if answer is not None and not isinstance(answer, redis.RedisError):
        return verdict(rate, answer)
    LIMITER_FALLBACKS.inc()
    return _local.take(name, rate, cost)


def verdict(rate: int, answer: Any) -> Verdict:
    """What limit.lua answered."""
    match answer:
        case [word, remaining, reset_at]:
            return Verdict(Decision(word), rate, int(remaining), int(reset_at))
        case other:
            raise AssertionError(f"limit.lua returned {other!r}")


class _LocalBuckets:
    """The same bucket as `limit.lua`, in this process's memory and on its clock."""

    def __init__(self) -> None:
        self._full_at: dict[str, float] = {}
        self._lock = threading.Lock()

    def take(self, name: str, rate: int, cost: int) -> Verdict:
        with self._lock:
            now = time.time()
            if rate < 1:
                return Verdict(Decision.RATE, rate, 0, int(now + _MINUTE_SEC))
            interval = _MINUTE_SEC / rate
            # Never further ahead than an empty bucket: the clock may have been set back.
            kept = self._full_at.get(name, 0.0)
            full_at = min(max(kept, now), now + _MINUTE_SEC)
            if full_at < kept:
                self._full_at[name] = full_at
            after = full_at + cost * interval
            # A microsecond of grace: the sum of fractions may pass the minute by a hair.
            if after > now + _MINUTE_SEC + 1e-6:
                return Verdict(Decision.RATE, rate, 0, int(after - _MINUTE_SEC) + 1)
            if cost:
                if len(self._full_at) >= _MOST_LOCAL:
                    self._full_at.clear()
                self._full_at[name] = after
            remaining = int((now + _MINUTE_SEC - after) / interval + 1e-6)
            if not cost and not remaining:
                return Verdict(Decision.RATE, rate, 0, int(full_at + interval - _MINUTE_SEC) + 1)
            return Verdict(Decision.OK, rate, remaining, int(after) + 1)


_local = _LocalBuckets()
