"""Fetched documents in the levels. Every copy is one tenant's own: no tenant is served what another had fetched."""

from dataclasses import dataclass
from datetime import datetime

from packs.cache.entry_keys import CacheKey
from packs.cache.envelope import CacheEnvelope, Seal, Source
from packs.cache.levels import Layers
from packs.cache.limits import CacheLimits
from packs.cache.payload import to_document, to_payload
from packs.fetch import Document


@dataclass(frozen=True)
class Found:
    document: Document
    source: Source
    fresh: bool


class DocumentCache:
    def __init__(self, layers: Layers, seal: Seal, limits: CacheLimits) -> None:
        self._layers = layers
        self._seal = seal
        self._limits = limits

    @property
    def usable(self) -> bool:
        return self._layers.usable

    def find(self, key: CacheKey, url: str, *, now: datetime) -> Found | None:
        """A copy: fresh, or stale where there is no other."""
        held = self._layers.find(key, now=now)
        if held is None or not (held.is_fresh(now) or self._is_worth_keeping(held, now)):
            return None
        return self._found(held, url, now)

    def find_fresh(self, key: CacheKey, url: str, *, now: datetime) -> Found | None:
        """A copy that may stand for the site's own answer. The next one who asks this process finds it in memory."""
        held = self._layers.find(key, now=now)
        if held is None or not held.is_fresh(now):
            return None
        if held.source is not Source.L1:
            self._layers.remember(key, held, now=now)
        return self._found(held, url, now)

    def put(self, key: CacheKey, document: Document, *, now: datetime) -> bool:
        """Whether other processes will find it. An error is nobody's document: it is asked for anew each time."""
        if not is_kept(document):
            return False
        ttl_sec = self._limits.document_ttl_sec
        envelope = self._seal.sealed(key.digest, to_payload(document), created_at=document.fetched_at, ttl_sec=ttl_sec)
        return self._layers.put(key, envelope, now=now, kept_sec=self._limits.document_kept_sec)

    def _is_worth_keeping(self, held: CacheEnvelope, now: datetime) -> bool:
        """Object storage keeps copies for longer."""
        return held.age_sec(now) < self._limits.document_kept_sec

    def _found(self, held: CacheEnvelope, url: str, now: datetime) -> Found | None:
        document = to_document(held, url=url)
        return None if document is None else Found(document, held.source, held.is_fresh(now))


def is_kept(document: Document) -> bool:
    return 200 <= document.status_code <= 299
