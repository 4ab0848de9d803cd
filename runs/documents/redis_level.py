"""L2: Redis, for minutes to hours. Entries up to 256 KiB under a total cap, which one Lua script keeps."""

import logging
from pathlib import Path

import redis

from dpp_project.cool_down import CoolDown
from dpp_project.logging import fields
from dpp_project.metrics import CACHE_LEVEL_ERRORS, CACHE_REFUSED
from dpp_project.redis import LuaScript, Store, client
from packs.cache import CacheEnvelope, CacheKey, CacheLimits, Seal, Source
from runs.access import document_keys

log = logging.getLogger("dpp.cache")

_PUT = LuaScript(Path(__file__).parent.parent / "lua" / "cache_put.lua", store=Store.CACHE)


class RedisLevel:
    source = Source.L2

    def __init__(self, seal: Seal, limits: CacheLimits, redis_away: CoolDown) -> None:
        self._seal = seal
        self._limits = limits
        self._cooling_down = redis_away

    @property
    def usable(self) -> bool:
        return not self._cooling_down

    def get(self, key: CacheKey) -> CacheEnvelope | None:
        text = self.read_text(key)
        return None if text is None else self._seal.read(text, cache_key=key.digest, source=self.source)

    def put(self, key: CacheKey, envelope: CacheEnvelope, *, kept_sec: int, pinned: bool = False) -> bool:
        text = self._seal.write(envelope)
        if len(text) > self._limits.redis_entry_max_bytes:
            CACHE_REFUSED.labels(level=self.source, reason="too_large").inc()
            return False
        return self.put_text(key, text.decode(), kept_sec=kept_sec, pinned=pinned)

    def read_text(self, key: CacheKey) -> str | None:
        """What lies under the entry's name, as it is."""
        if self._cooling_down:
            return None
        try:
            found: str | None = client(Store.CACHE).get(document_keys.entry(key))  # type: ignore[assignment]
        except redis.RedisError as error:
            self._failed(error)
            return None
        return found

    def put_text(self, key: CacheKey, value: str, *, kept_sec: int, pinned: bool) -> bool:
        if self._cooling_down:
            return False
        try:
            answer = _PUT(
                keys=[document_keys.entry(key), *document_keys.accounts(key)],
                args=[
                    value,
                    str(min(kept_sec, self._limits.redis_lifetime_max_sec) * 1000),
                    str(self._limits.redis_total_max_bytes // Store.CACHE.groups),
                    str(self._limits.redis_memory_percent),
                    "pinned" if pinned else "",
                ],
            )
        except redis.RedisError as error:
            self._failed(error)
            return False
        match answer:
            case ["STORED", _]:
                return True
            case ["FULL", _]:
                CACHE_REFUSED.labels(level=self.source, reason="full").inc()
                return False
            case other:
                raise AssertionError(f"cache_put.lua returned {other!r}")

    def _failed(self, error: redis.RedisError) -> None:
        self._cooling_down.begin()
        CACHE_LEVEL_ERRORS.labels(level=self.source).inc()
        log.warning("cache_level_failed", extra=fields(level=self.source, error=type(error).__name__))
