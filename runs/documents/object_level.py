"""L3: object storage. A snapshot is written once and never changed; a newer one stands before it.

Under `dpp/_cache/`: the bucket's lifecycle removes it like every result, and no tenant's id can begin with `_`, so it
is nobody's own prefix.
"""

import logging
from datetime import datetime

from dpp_project.cool_down import CoolDown
from dpp_project.logging import fields
from dpp_project.metrics import CACHE_LEVEL_ERRORS
from packs.cache import CacheEnvelope, CacheKey, CacheLimits, Seal, Source
from storage import object_keys, store
from storage.exceptions import StorageError

log = logging.getLogger("dpp.cache")

PREFIX = f"{object_keys.ROOT}_cache"
# Names are listed in their order, so the time is counted down: the newest snapshot is the first.
_LAST_SECOND = 9_999_999_999


class ObjectLevel:
    source = Source.L3

    def __init__(self, seal: Seal, limits: CacheLimits) -> None:
        self._seal = seal
        self._cooling_down = CoolDown(limits.cool_down_sec)

    @property
    def usable(self) -> bool:
        return not self._cooling_down

    def get(self, key: CacheKey) -> CacheEnvelope | None:
        if self._cooling_down:
            return None
        try:
            body = store.read_first(_folder(key))
        except StorageError as error:
            self._failed(error)
            return None
        return None if body is None else self._seal.read(body, cache_key=key.digest, source=self.source)

    def put(self, key: CacheKey, envelope: CacheEnvelope, *, kept_sec: int, pinned: bool = False) -> bool:
        """Kept until the bucket's lifecycle removes it, whatever `kept_sec` says: readers look at its age."""
        if self._cooling_down:
            return False
        try:
            # One attempt, unlike a result's: nobody waits for a cache.
            store.put_once(_name(key, envelope.created_at), self._seal.write(envelope), mime=store.JSON_MIME)
        except StorageError as error:
            self._failed(error)
            return False
        return True

    def _failed(self, error: Exception) -> None:
        self._cooling_down.begin()
        CACHE_LEVEL_ERRORS.labels(level=self.source).inc()
        log.warning("cache_level_failed", extra=fields(level=self.source, error=type(error).__name__))


def _folder(key: CacheKey) -> str:
    return f"{PREFIX}/{key.tenant_id}/{key.digest}/"


def _name(key: CacheKey, created_at: datetime) -> str:
    return f"{_folder(key)}{_LAST_SECOND - int(created_at.timestamp()):010d}.json"
