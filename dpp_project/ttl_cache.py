"""Values of this process, kept for a few seconds. One cache for keys, prefixes and switches."""

import time
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class TtlCache(Generic[K, V]):
    """Shared by threads without a lock: the worst that can happen is one look-up more."""

    def __init__(self, ttl_sec: float, *, most: int) -> None:
        self.ttl_sec = ttl_sec
        self._most = most
        self._entries: dict[K, tuple[float, V]] = {}

    def fresh(self, key: K) -> V | None:
        """None if there is no value, or it is too old."""
        entry = self._entries.get(key)
        return entry[1] if entry and 0 <= time.monotonic() - entry[0] < self.ttl_sec else None

    def last_known(self, key: K) -> V | None:
        """However old it is: for callers that cannot read a new one."""
        entry = self._entries.get(key)
        return entry[1] if entry else None

    def put(self, key: K, value: V, *, read_at: float) -> None:
        """`read_at`: the monotonic time before it was read. What changed during the reading must not count as fresh
        from its end."""
        if len(self._entries) >= self._most:
            self._entries.clear()
        self._entries[key] = (read_at, value)

    def expire(self, key: K) -> None:
        """Read anew at the next question; what was last known is kept for when that fails."""
        if entry := self._entries.get(key):
            self._entries[key] = (float("-inf"), entry[1])

    def forget(self, key: K) -> None:
        self._entries.pop(key, None)

    def clear(self) -> None:
        self._entries.clear()
