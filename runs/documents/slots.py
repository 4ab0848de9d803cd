"""At most so many downloads from one host at once, over the whole fleet, and never all of them one tenant's.

A slot ends by itself.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import redis

from dpp_project.cool_down import CoolDown
from dpp_project.logging import fields
from dpp_project.metrics import HOST_SLOTS
from dpp_project.redis import LuaScript, client
from packs.cache import CacheLimits
from packs.fetch import FailedCode, FetchFailed
from packs.fetch.deadline import NOT_IN_TIME, FetchDeadline
from runs.documents import redis_keys

log = logging.getLogger("dpp.cache")

_TAKE = LuaScript(Path(__file__).parent.parent / "lua" / "host_slot_take.lua")


class HostSlots:
    def __init__(self, limits: CacheLimits, redis_away: CoolDown) -> None:
        self._limits = limits
        self._cooling_down = redis_away

    @contextmanager
    def walk(self, tenant_id: str, deadline: FetchDeadline) -> Iterator["Walk"]:
        """A download's way from host to host: it holds a slot of the one it is at, and none once it is over."""
        walk = Walk(self, tenant_id, deadline)
        try:
            yield walk
        finally:
            walk.leave()

    def wait(self, host: str, token: str, deadline: FetchDeadline) -> None:
        """Take a slot of the host. Raises `FetchFailed` (TIMEOUT) when none comes free in a few attempts."""
        for attempt in range(self._limits.host_attempts):
            if attempt:
                time.sleep(min(self._limits.host_attempt_gap_sec, deadline.remaining_sec()))
            if self._take(host, token):
                return
        HOST_SLOTS.labels(outcome="busy").inc()
        raise FetchFailed(FailedCode.TIMEOUT, NOT_IN_TIME)

    def _take(self, host: str, token: str) -> bool:
        if self._cooling_down:
            return True
        try:
            answer = _TAKE(
                keys=[redis_keys.host_slots(host)],
                args=[
                    token,
                    str(self._limits.host_slots),
                    str(self._limits.host_slots_per_tenant),
                    str(round(self._limits.host_slot_ttl_sec * 1000)),
                ],
            )
        except redis.RedisError as error:
            # Nobody can count now: the page is worth more than the courtesy.
            self._cooling_down.begin()
            HOST_SLOTS.labels(outcome="unknown").inc()
            log.warning("host_slots_unknown", extra=fields(error=type(error).__name__))
            return True
        match answer:
            case ["TAKEN"]:
                HOST_SLOTS.labels(outcome="taken").inc()
                return True
            case ["FULL"]:
                return False
            case other:
                raise AssertionError(f"host_slot_take.lua returned {other!r}")

    def give_back(self, host: str, token: str) -> None:
        if self._cooling_down:
            return
        try:
            client().zrem(redis_keys.host_slots(host), token)
        except redis.RedisError:
            self._cooling_down.begin()


class Walk:
    def __init__(self, slots: HostSlots, tenant_id: str, deadline: FetchDeadline) -> None:
        self._slots = slots
        self._deadline = deadline
        self._token = f"{tenant_id}/{uuid4()}"
        self._host: str | None = None

    def enter(self, host: str) -> None:
        """Be at this host from now on. The slot of the one before is given back first: nobody holds one while waiting
        for another, so downloads that redirect to each other's hosts cannot block one another."""
        if host == self._host:
            return
        self.leave()
        self._slots.wait(host, self._token, self._deadline)
        self._host = host

    def leave(self) -> None:
        if self._host is not None:
            self._slots.give_back(self._host, self._token)
            self._host = None
