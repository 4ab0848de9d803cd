"""OCR pages in the levels: `services["page_cache"]`. Named by content and profile, and never shared by tenants."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from packs.base import JsonObject
from packs.cache.entry_keys import page_key
from packs.cache.envelope import Seal, Source
from packs.cache.levels import Layers
from packs.cache.limits import CacheLimits

LEASE_SCOPE = "ocr-page"


class Leases(Protocol):
    def __call__(self, scope: str, digest: str, /) -> AbstractContextManager[bool]:
        """`with lease(scope, digest) as ours:` holds `lock:<scope>:<digest>`, renewed while the block runs. False:
        somebody else does. True as well when nobody can tell: work done twice is better than none."""


@dataclass(frozen=True)
class CachedPage:
    page: JsonObject
    source: Source


@dataclass(frozen=True)
class PageCache:
    """`content` is the pack's hash of everything that changes the answer: file, page, profile, languages, engine."""

    layers: Layers
    seal: Seal
    leases: Leases
    limits: CacheLimits
    now: Callable[[], datetime]

    def get(self, content: str, *, tenant_id: str) -> JsonObject | None:
        found = self.find(content, tenant_id=tenant_id)
        return None if found is None else found.page

    def find(self, content: str, *, tenant_id: str) -> CachedPage | None:
        """As `get`, and where it was found."""
        key, now = page_key(content, tenant_id=tenant_id), self.now()
        found = self.layers.find(key, now=now)
        if found is None or not found.is_fresh(now):
            return None
        if found.source is not Source.L1:
            self.layers.remember(key, found, now=now)
        return CachedPage(found.payload, found.source)

    def put(self, content: str, page: JsonObject, *, tenant_id: str) -> None:
        key, now = page_key(content, tenant_id=tenant_id), self.now()
        envelope = self.seal.sealed(key.digest, page, created_at=now, ttl_sec=self.limits.page_ttl_sec)
        self.layers.put(key, envelope, now=now, kept_sec=self.limits.page_ttl_sec)

    def working_on(self, content: str, *, tenant_id: str) -> AbstractContextManager[bool]:
        """Of two runs with the same page one reads it. The other gets False: look again after a while, or read it."""
        return self.leases(LEASE_SCOPE, page_key(content, tenant_id=tenant_id).digest)
