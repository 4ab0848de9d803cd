"""Fetched documents in the levels, and who has read which copy.

Tenants share the copy of a public page, never the knowledge of it: a copy that a tenant has not itself been given
before is a miss to it, in price and in report.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from packs.cache.envelope import CacheEnvelope, Seal, Source
from packs.cache.keys import CacheKey
from packs.cache.levels import Layers
from packs.cache.limits import CacheLimits
from packs.cache.payload import to_document, to_payload
from packs.fetch import Document

_ABSENT = frozenset({404, 410})


class Readers(Protocol):
    """Which copy of a shared page a tenant was last given. Never raises; forgetting costs the tenant a hit."""

    def last_read(self, key: CacheKey, tenant_id: str) -> str | None: ...

    def note(self, key: CacheKey, tenant_id: str, copy: str) -> None: ...


@dataclass(frozen=True)
class Found:
    document: Document
    source: Source
    fresh: bool


class DocumentCache:
    def __init__(self, layers: Layers, readers: Readers, seal: Seal, limits: CacheLimits) -> None:
        self._layers = layers
        self._readers = readers
        self._seal = seal
        self._limits = limits

    @property
    def usable(self) -> bool:
        return self._layers.usable

    def own(self, key: CacheKey, url: str, *, tenant_id: str, now: datetime) -> Found | None:
        """A fresh copy that this tenant has been given before."""
        held = self._layers.find_in_memory(key, reader=tenant_id, now=now)
        if held is None:
            held = self._own_below(key, tenant_id, now)
            if held is not None:
                self._layers.remember(key, held, reader=tenant_id, now=now)
        return None if held is None else self._found(held, url, now)

    def any(self, key: CacheKey, url: str, *, tenant_id: str, now: datetime) -> Found | None:
        """A copy, whoever had it fetched: fresh, or stale where there is no other."""
        held = self._layers.find(key, reader=tenant_id, now=now)
        if held is None or not (held.is_fresh(now) or self._is_worth_keeping(held, now)):
            return None
        return self._found(held, url, now)

    def give(self, key: CacheKey, found: Found, *, tenant_id: str) -> None:
        """The tenant has been given this copy, and paid for it: next time it is its own."""
        if key.tenant_id is None:
            self._readers.note(key, tenant_id, _copy(found.document.fetched_at))

    def put(self, key: CacheKey, document: Document, *, tenant_id: str, now: datetime) -> bool:
        """Whether other processes will find it."""
        ttl_sec = self.ttl_sec(document)
        if ttl_sec == 0:
            return False
        envelope = self._seal.sealed(key.digest, to_payload(document), created_at=document.fetched_at, ttl_sec=ttl_sec)
        kept_sec = ttl_sec if document.status_code in _ABSENT else self._limits.document_kept_sec
        stored = self._layers.put(key, envelope, reader=tenant_id, now=now, kept_sec=kept_sec)
        if key.tenant_id is None:
            self._readers.note(key, tenant_id, _copy(document.fetched_at))
        return stored

    def ttl_sec(self, document: Document) -> int:
        """How long an answer may stand for the next one; 0 for what says nothing about the page (403, 429, 500)."""
        if 200 <= document.status_code <= 299:
            return self._limits.document_ttl_sec
        return self._limits.absent_ttl_sec if document.status_code in _ABSENT else 0

    def _own_below(self, key: CacheKey, tenant_id: str, now: datetime) -> CacheEnvelope | None:
        last_read = self._readers.last_read(key, tenant_id) if key.tenant_id is None else None
        if key.tenant_id is None and last_read is None:
            return None
        held = self._layers.find(key, reader=tenant_id, now=now)
        if held is None or not held.is_fresh(now):
            return None
        # The very copy: one that somebody else had fetched since would tell that somebody else did.
        return held if key.tenant_id is not None or last_read == _copy(held.created_at) else None

    def _is_worth_keeping(self, held: CacheEnvelope, now: datetime) -> bool:
        """Object storage keeps copies for longer, and an old "there is no such page" helps nobody."""
        return held.ttl_sec == self._limits.document_ttl_sec and held.age_sec(now) < self._limits.document_kept_sec

    def _found(self, held: CacheEnvelope, url: str, now: datetime) -> Found | None:
        document = to_document(held, url=url)
        return None if document is None else Found(document, held.source, held.is_fresh(now))


def _copy(created_at: datetime) -> str:
    return created_at.isoformat()
