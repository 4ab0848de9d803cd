"""The levels, fastest first. What is found below is copied upward."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from packs.cache.envelope import CacheEnvelope, Source
from packs.cache.keys import CacheKey
from packs.cache.memory import Memory


class Level(Protocol):
    """A level that all processes share. Never raises: a server that is away has nothing and keeps nothing."""

    source: Source

    @property
    def usable(self) -> bool:
        """False while it is known to be away."""

    def get(self, key: CacheKey) -> CacheEnvelope | None:
        """The entry as it was written, fresh or not; None for a wrong signature."""

    def put(self, key: CacheKey, envelope: CacheEnvelope, *, kept_sec: int) -> bool:
        """Whether others will find it. Kept for at most so long, fresh or not."""


class Layers:
    def __init__(self, memory: Memory, shared: Sequence[Level]) -> None:
        self._memory = memory
        self._shared = tuple(shared)

    @property
    def usable(self) -> bool:
        """Whether there is a level by which one process can hand something to another."""
        return any(level.usable for level in self._shared)

    def find(self, key: CacheKey, *, reader: str, now: datetime) -> CacheEnvelope | None:
        """The fresh entry of the fastest level that has one, else a stale one."""
        held = self._memory.get(_in_memory(key, reader), now)
        if held is not None and held.is_fresh(now):
            return held.found_in(Source.L1)
        stale: CacheEnvelope | None = None
        for level in self._shared:
            found = level.get(key)
            if found is not None and found.is_fresh(now):
                return found
            stale = stale or found
        return stale

    def find_in_memory(self, key: CacheKey, *, reader: str, now: datetime) -> CacheEnvelope | None:
        held = self._memory.get(_in_memory(key, reader), now)
        return held.found_in(Source.L1) if held is not None and held.is_fresh(now) else None

    def remember(self, key: CacheKey, envelope: CacheEnvelope, *, reader: str, now: datetime) -> None:
        """In this process only."""
        self._memory.put(_in_memory(key, reader), envelope, now)

    def put(self, key: CacheKey, envelope: CacheEnvelope, *, reader: str, now: datetime, kept_sec: int) -> bool:
        """Whether other processes will find it."""
        self.remember(key, envelope, reader=reader, now=now)
        # Every level gets it, also after one has taken it.
        stored = [level.put(key, envelope, kept_sec=kept_sec) for level in self._shared]
        return any(stored)


def _in_memory(key: CacheKey, reader: str) -> str:
    # Memory is kept per tenant: what is found there has been read, and paid for, by the same tenant.
    return f"{reader}:{key.digest}"
