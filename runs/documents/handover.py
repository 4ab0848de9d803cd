"""Documents between processes: in Redis, and those that are too large for it through a short-lived object.

Redis then holds a mark under the entry's name, so that nobody asks object storage for what is not there. While Redis is
away, object storage alone hands documents over. The objects have a prefix of their own: each is overwritten by the next
download, removed when its time is up, and by the bucket's lifecycle in any case.
"""

import logging
import time

import redis

from dpp_project.cool_down import CoolDown
from dpp_project.logging import fields
from dpp_project.metrics import CACHE_LEVEL_ERRORS
from dpp_project.profile import PROFILE
from dpp_project.redis import Store, client
from packs.cache import CacheEnvelope, CacheKey, CacheLimits, Seal, Source
from runs.access import document_keys
from runs.documents.redis_level import RedisLevel
from storage import object_keys, store
from storage.exceptions import ObjectLarger, ObjectMissing, StorageError

log = logging.getLogger("dpp.cache")

# What stands in Redis for an entry that lies in object storage. No envelope begins so.
MARK = "in object storage"
# A document, packed badly and written in base64, with the rest of its envelope.
_MAX_OBJECT_BYTES = 2 * PROFILE.fetch_max_body_bytes
# Each handover removes so many whose time is up: there cannot be more than were made.
_REMOVED_AT_ONCE = 4


class Handover:
    """A level. Reports where the document itself lay: L2 or L3."""

    source = Source.L2

    def __init__(self, in_redis: RedisLevel, seal: Seal, limits: CacheLimits) -> None:
        self._redis = in_redis
        self._seal = seal
        self._limits = limits
        self._objects_away = CoolDown(limits.cool_down_sec)

    @property
    def usable(self) -> bool:
        return self._redis.usable or not self._objects_away

    def get(self, key: CacheKey) -> CacheEnvelope | None:
        text = self._redis.read_text(key)
        if text is None and self._redis.usable:
            return None
        if text is None or text == MARK:
            return self._from_object(key)
        return self._seal.read(text, cache_key=key.digest, source=Source.L2)

    def put(self, key: CacheKey, envelope: CacheEnvelope, *, kept_sec: int, pinned: bool = False) -> bool:
        text = self._seal.write(envelope)
        if self._redis.usable and len(text) <= self._limits.redis_entry_max_bytes:
            stored = self._redis.put_text(key, text.decode(), kept_sec=kept_sec, pinned=pinned)
            if stored or self._redis.usable:
                return stored
        # The object first: the mark promises it.
        if not self._to_object(key, text):
            return False
        if not self._redis.usable:
            return True
        self._remove_old(key, kept_sec)
        return self._redis.put_text(key, MARK, kept_sec=kept_sec, pinned=pinned)

    def _from_object(self, key: CacheKey) -> CacheEnvelope | None:
        if self._objects_away:
            return None
        try:
            body = store.read_bounded(object_keys.handover(key.tenant_id, key.digest), max_bytes=_MAX_OBJECT_BYTES)
        except (ObjectMissing, ObjectLarger):
            return None
        except StorageError as error:
            self._failed(error)
            return None
        return self._seal.read(body, cache_key=key.digest, source=Source.L3)

    def _to_object(self, key: CacheKey, text: bytes) -> bool:
        if self._objects_away:
            return False
        try:
            store.put_once(object_keys.handover(key.tenant_id, key.digest), text, mime=store.JSON_MIME)
        except StorageError as error:
            self._failed(error)
            return False
        return True

    def _remove_old(self, key: CacheKey, kept_sec: int) -> None:
        name, now = object_keys.handover(key.tenant_id, key.digest), time.time()
        try:
            client(Store.CACHE).zadd(document_keys.HANDOVERS, {name: now + kept_sec})
            over: list[str] = client(Store.CACHE).zrangebyscore(  # type: ignore[assignment]
                document_keys.HANDOVERS, "-inf", now, start=0, num=_REMOVED_AT_ONCE
            )
            if over:
                store.delete(over)
                client(Store.CACHE).zrem(document_keys.HANDOVERS, *over)
        except (redis.RedisError, StorageError) as error:
            # The lifecycle removes what is left.
            log.warning("handovers_not_removed", extra=fields(error=type(error).__name__))

    def _failed(self, error: StorageError) -> None:
        self._objects_away.begin()
        CACHE_LEVEL_ERRORS.labels(level=Source.L3).inc()
        log.warning("cache_level_failed", extra=fields(level=Source.L3, error=type(error).__name__))
