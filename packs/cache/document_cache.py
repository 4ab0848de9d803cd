"""Fetched documents in the levels. Every copy is one tenant's own, or the platform's by its own list: no tenant is
served what another had fetched."""

from dataclasses import dataclass, replace
from datetime import datetime

from packs.cache.entry_keys import CacheKey, refusal_key
from packs.cache.envelope import CacheEnvelope, Seal, Source
from packs.cache.levels import Layers
from packs.cache.limits import CacheLimits
from packs.cache.payload import to_document, to_payload
from packs.cache.validation import may_be_kept
from packs.fetch import Document


@dataclass(frozen=True)
class Found:
    document: Document
    source: Source
    fresh: bool


def is_refusal(status_code: int) -> bool:
    """A site that says so wants to be left alone for a while."""
    return status_code in (403, 429) or status_code >= 500


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

    def find_fresh(self, key: CacheKey, url: str, *, now: datetime, not_before: datetime | None = None) -> Found | None:
        """A copy that may stand for the site's own answer: fresh, or, where the caller says so, not older than that
        moment. The next one who asks this process finds it in memory."""

        def is_good(envelope: CacheEnvelope) -> bool:
            return envelope.is_fresh(now) if not_before is None else envelope.created_at >= not_before

        held = self._layers.find(key, now=now, accept=is_good)
        if held is None or not is_good(held):
            return None
        if held.source is not Source.L1:
            self._layers.remember(key, held, now=now)
        return self._found(held, url, now)

    def put(self, key: CacheKey, document: Document, *, now: datetime) -> bool:
        """Whether other processes will find it. What is no document is nobody's copy."""
        if not may_be_kept(document):
            return False
        envelope = self._sealed(key, document, ttl_sec=self._limits.document_ttl_sec)
        return self._layers.put(key, envelope, now=now, kept_sec=self._limits.document_kept_sec)

    def pin(self, key: CacheKey, document: Document, *, now: datetime) -> bool:
        """As `put`, and no other entry takes its place."""
        if not may_be_kept(document):
            return False
        seconds = self._limits.pinned_ttl_sec
        envelope = self._sealed(key, document, ttl_sec=seconds)
        return self._layers.put(key, envelope, now=now, kept_sec=seconds, pinned=True)

    def find_refusal(self, key: CacheKey, url: str, *, now: datetime) -> Document | None:
        """What the site said a moment ago, with the seconds for which it is still left alone."""
        held = self._layers.find(refusal_key(key), now=now)
        if held is None or not held.is_fresh(now):
            return None
        document = to_document(held, url=url)
        left_sec = max(1, round(held.ttl_sec - held.age_sec(now)))
        return None if document is None else replace(document, retry_after_sec=left_sec)

    def put_refusal(self, key: CacheKey, document: Document, *, now: datetime) -> Document:
        """Leave the site alone for this document, and say for how long."""
        seconds = max(self._limits.refusal_cool_down_sec, document.retry_after_sec or 0)
        seconds = min(seconds, self._limits.refusal_cool_down_max_sec)
        name = refusal_key(key)
        envelope = self._seal.sealed(name.digest, to_payload(document), created_at=now, ttl_sec=seconds)
        self._layers.put(name, envelope, now=now, kept_sec=seconds)
        return replace(document, retry_after_sec=max(seconds, document.retry_after_sec or 0))

    def _sealed(self, key: CacheKey, document: Document, *, ttl_sec: int) -> CacheEnvelope:
        return self._seal.sealed(key.digest, to_payload(document), created_at=document.fetched_at, ttl_sec=ttl_sec)

    def _is_worth_keeping(self, held: CacheEnvelope, now: datetime) -> bool:
        """Object storage keeps copies for longer."""
        return held.age_sec(now) < self._limits.document_kept_sec

    def _found(self, held: CacheEnvelope, url: str, now: datetime) -> Found | None:
        document = to_document(held, url=url)
        return None if document is None else Found(document, held.source, held.is_fresh(now))
