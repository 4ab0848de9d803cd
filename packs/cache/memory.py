"""L1: the process's own memory, for seconds, bounded in bytes."""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta

from packs.cache.envelope import CacheEnvelope
from packs.cache.limits import CacheLimits

# What an entry takes besides its texts.
OVERHEAD_BYTES = 1_024


@dataclass(frozen=True)
class _Held:
    envelope: CacheEnvelope
    until: datetime
    size: int


class Memory:
    """Safe for many threads. Of too many entries the one that was not asked for the longest goes."""

    def __init__(self, limits: CacheLimits) -> None:
        self._ttl = timedelta(seconds=limits.memory_ttl_sec)
        self._max_bytes = limits.memory_max_bytes
        self._held: OrderedDict[str, _Held] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    @property
    def bytes_held(self) -> int:
        return self._bytes

    def get(self, name: str, now: datetime) -> CacheEnvelope | None:
        with self._lock:
            held = self._held.get(name)
            # A clock that was set back must not make an entry live on.
            if held is None or not now <= held.until <= now + self._ttl:
                self._drop(name)
                return None
            self._held.move_to_end(name)
            return held.envelope

    def put(self, name: str, envelope: CacheEnvelope, now: datetime) -> None:
        size = OVERHEAD_BYTES + sum(len(value) for value in envelope.payload.values() if isinstance(value, str))
        with self._lock:
            self._drop(name)
            if size > self._max_bytes:
                return
            while self._bytes + size > self._max_bytes:
                self._drop(next(iter(self._held)))
            self._held[name] = _Held(envelope, now + self._ttl, size)
            self._bytes += size

    def _drop(self, name: str) -> None:
        held = self._held.pop(name, None)
        if held is not None:
            self._bytes -= held.size
