"""At most so many downloads from one host at once, over the whole fleet, and never all of them one tenant's.

A slot ends by itself. Each process counts its own downloads as well: while Redis cannot be asked, its own number is the
bound.
"""

import logging
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import redis

from dpp_project.cool_down import CoolDown
from dpp_project.logging import fields
from dpp_project.metrics import HOST_SLOTS, SLOTS_IN_USE
from dpp_project.redis import LuaScript, Store, client
from packs.cache import CacheLimits
from packs.fetch import FailedCode, FetchFailed
from packs.fetch.deadline import FetchDeadline
from runs.access import document_keys

log = logging.getLogger("dpp.cache")

_TAKE = LuaScript(Path(__file__).parent.parent / "lua" / "host_slot_take.lua", store=Store.CACHE)


HOST_IS_BUSY = "As many pages of this site are being fetched as it is asked for at once; it was not asked for this one."


class OwnSlots:
    """The downloads of this process."""

    def __init__(self, limits: CacheLimits) -> None:
        self._limits = limits
        self._held: dict[str, set[str]] = {}
        self._lock = threading.Lock()

    def take(self, host: str, token: str) -> bool:
        with self._lock:
            held = self._held.setdefault(host, set())
            if token in held:
                return True
            tenants = sum(_tenant_of(other) == _tenant_of(token) for other in held)
            if len(held) >= self._limits.host_slots or tenants >= self._limits.host_slots_per_tenant:
                return False
            held.add(token)
        SLOTS_IN_USE.inc()
        return True

    def give_back(self, host: str, token: str) -> None:
        with self._lock:
            held = self._held.get(host, set())
            if token not in held:
                return
            held.remove(token)
            if not held:
                del self._held[host]
        SLOTS_IN_USE.dec()


def _tenant_of(token: str) -> str:
    return token.rpartition("/")[0]


class HostSlots:
    def __init__(self, limits: CacheLimits) -> None:
        self._limits = limits
        # Not the cache's: a cache that is full or broken must not lift the bound.
        self._cooling_down = CoolDown(limits.cool_down_sec)
        self._own = OwnSlots(limits)

    @contextmanager
    def walk(self, tenant_id: str, deadline: FetchDeadline) -> Iterator["Walk"]:
        """A download's way from host to host: it holds a slot of the one it is at, and none once it is over."""
        walk = Walk(self, tenant_id, deadline)
        try:
            yield walk
        finally:
            walk.leave()

    def wait(self, host: str, token: str, deadline: FetchDeadline) -> None:
        """Take a slot of the host. Raises `FetchFailed` (HOST_BUSY) when none comes free in a few attempts, or in
        time."""
        for attempt in range(self._limits.host_attempts):
            if attempt:
                try:
                    time.sleep(min(self._limits.host_attempt_gap_sec, deadline.remaining_sec()))
                except FetchFailed:
                    break
            if self._take(host, token):
                return
        HOST_SLOTS.labels(outcome="busy").inc()
        # By then every slot that is taken now has ended.
        retry_after_sec = math.ceil(self._limits.host_slot_ttl_sec)
        raise FetchFailed(FailedCode.HOST_BUSY, HOST_IS_BUSY, began=False, retry_after_sec=retry_after_sec)

    def _take(self, host: str, token: str) -> bool:
        if not self._own.take(host, token):
            return False
        if self._take_of_fleet(host, token):
            return True
        self._own.give_back(host, token)
        return False

    def _take_of_fleet(self, host: str, token: str) -> bool:
        if self._cooling_down:
            return True
        try:
            answer = _TAKE(
                keys=[document_keys.host_slots(host)],
                args=[
                    token,
                    str(self._limits.host_slots),
                    str(self._limits.host_slots_per_tenant),
                    str(round(self._limits.host_slot_ttl_sec * 1000)),
                ],
            )
        except redis.RedisError as error:
            # Nobody can count for all now: each process counts for itself.
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
        self._own.give_back(host, token)
        if self._cooling_down:
            return
        try:
            client(Store.CACHE).zrem(document_keys.host_slots(host), token)
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
