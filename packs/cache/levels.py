"""The levels, fastest first. What is found below is copied upward."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from packs.cache.entry_keys import CacheKey
from packs.cache.envelope import CacheEnvelope, Source
from packs.cache.memory import Memory


class Level(Protocol):
    """A level that all processes share. Never raises: a server that is away has nothing and keeps nothing."""

    source: Source

    @property
    def usable(self) -> bool:
        """False while it is known to be away."""

    def get(self, key: CacheKey) -> CacheEnvelope | None:
        """The entry as it was written, fresh or not; None for a wrong signature."""

    def put(self, key: CacheKey, envelope: CacheEnvelope, *, kept_sec: int, pinned: bool = False) -> bool:
        """Whether others will find it. Kept for at most so long, fresh or not; what is pinned makes no room for
        others."""


class Layers:
    def __init__(self, memory: Memory, shared: Sequence[Level]) -> None:
        self._memory = memory
        self._shared = tuple(shared)

    @property
    def usable(self) -> bool:
        """Whether there is a level by which one process can hand something to another."""
        return any(level.usable for level in self._shared)

    def find(
        self, key: CacheKey, *, now: datetime, accept: Callable[[CacheEnvelope], bool] | None = None
    ) -> CacheEnvelope | None:
        """The entry of the fastest level that has an acceptable one (without `accept`: a fresh one), else another."""
        is_good = accept or (lambda envelope: envelope.is_fresh(now))
        held = self._memory.get(key.digest, now)
        if held is not None and is_good(held):
            return held.found_in(Source.L1)
        other: CacheEnvelope | None = None
        for level in self._shared:
            found = level.get(key)
            if found is not None and is_good(found):
                return found
            other = other or found
        return other

    def remember(self, key: CacheKey, envelope: CacheEnvelope, *, now: datetime) -> None:
        """In this process only."""
        self._memory.put(key.digest, envelope, now)

    def put(
        self, key: CacheKey, envelope: CacheEnvelope, *, now: datetime, kept_sec: int, pinned: bool = False
    ) -> bool:
        """Whether other processes will find it."""
        self.remember(key, envelope, now=now)
        # Every level gets it, also after one has taken it.
        stored = [level.put(key, envelope, kept_sec=kept_sec, pinned=pinned) for level in self._shared]
        return any(stored)
