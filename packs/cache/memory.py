"""L1: the process's own memory, for seconds, bounded in bytes."""

import sys
import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from packs.cache.envelope import CacheEnvelope
from packs.cache.limits import CacheLimits

# What an entry takes besides its payload.
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
            if held is None or not self._lives(held, now):
                self._drop(name)
                return None
            self._held.move_to_end(name)
            return held.envelope

    def put(self, name: str, envelope: CacheEnvelope, now: datetime) -> None:
        size = OVERHEAD_BYTES + _bytes_taken(envelope.payload)
        with self._lock:
            self._drop(name)
            self._drop_dead(now)
            if size > self._max_bytes:
                return
            while self._bytes + size > self._max_bytes:
                self._drop(next(iter(self._held)))
            self._held[name] = _Held(envelope, now + self._ttl, size)
            self._bytes += size

    def _lives(self, held: _Held, now: datetime) -> bool:
        # A clock that was set back must not make an entry live on.
        return now <= held.until <= now + self._ttl

    def _drop_dead(self, now: datetime) -> None:
        """Nobody asks for most entries again. The first one that lives ends the search: one behind it was asked for
        later, and has its turn within another lifetime."""
        while self._held:
            name, held = next(iter(self._held.items()))
            if self._lives(held, now):
                return
            self._drop(name)

    def _drop(self, name: str) -> None:
        held = self._held.pop(name, None)
        if held is not None:
            self._bytes -= held.size


def _bytes_taken(value: Any) -> int:
    """A page of OCR is mostly lists of small things, and they take more than the texts among them. Names of fields
    are not counted: entries share them."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return sys.getsizeof(value) + sum(_bytes_taken(part) for part in parts)
