"""An ocr run without a worker: a meter that counts, a deadline, a list of checkpoints, services in memory."""

import base64
import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from packs.base import JsonObject, PackContext, PackResult
from packs.cache import DegradedReason, Fetched, Source, StandIn
from packs.cache.pages import CachedPage
from packs.fetch import BeforeHop, BlockedCode, Document, FetchBlocked, Refusal
from packs.ocr import PACK
from packs.ocr.services import ObjectTooLarge, ObjectUnavailable
from tests.packs.url.desk import Checkpoints, CountingMeter, Timebox

NOW = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)


def inline(body: bytes, name: str | None = None) -> JsonObject:
    given = {"kind": "base64", "data": base64.b64encode(body).decode()}
    return given if name is None else {**given, "name": name}


@dataclass
class Desk:
    meter: CountingMeter = field(default_factory=CountingMeter)
    timebox_sec: float = 60.0
    checkpoints: Checkpoints = field(default_factory=Checkpoints)
    services: dict[str, Any] = field(default_factory=dict)
    tenant_id: str = "acme"

    def read(self, *bodies: bytes, profile: str = "P1", **inputs: Any) -> PackResult:
        return self.run({"images": [inline(body) for body in bodies], "ocr_profile": profile, **inputs})

    def run(self, inputs: JsonObject) -> PackResult:
        return PACK.execute(inputs, self.context())

    def context(self) -> PackContext:
        return PackContext(
            tenant_id=self.tenant_id,
            now=NOW,
            deadline=Timebox(self.timebox_sec),
            meter=self.meter,
            checkpoint=self.checkpoints,
            log=logging.getLogger("tests.ocr"),
            services=self.services,
        )


@dataclass
class StoredObjects:
    """What the worker wires to the object store."""

    held: dict[str, bytes]
    asked: list[str] = field(default_factory=list)

    def read(self, key: str, *, max_bytes: int) -> bytes:
        self.asked.append(key)
        if key not in self.held:
            raise ObjectUnavailable
        if len(self.held[key]) > max_bytes:
            raise ObjectTooLarge
        return self.held[key]


@dataclass
class Site:
    """A web of a few documents."""

    documents: dict[str, bytes]
    truncated: bool = False

    def fetch(
        self,
        url: str,
        *,
        timeout_sec: float | None = None,
        max_hops: int | None = None,
        before_hop: BeforeHop | None = None,
    ) -> Document:
        if url not in self.documents:
            refusal = Refusal(BlockedCode.SSRF_PRIVATE_IP_BLOCKED, "The name leads to an address that is not public.")
            raise FetchBlocked(refusal, url=url, target=url, hop=0)
        return Document(url, url, 200, "image/png", self.documents[url], self.truncated, NOW)

    def refusal(self, url: str) -> Refusal | None:
        forbidden = Refusal(BlockedCode.SCHEME_NOT_ALLOWED, "Only https is fetched.")
        return None if url.startswith("https://") else forbidden


@dataclass
class SharedDocuments:
    """Documents that the tenant has, and those of which there is only an old copy."""

    site: Site
    owned: set[str]
    stale: set[str]
    asked: list[tuple[str, str]] = field(default_factory=list)
    at_once_per_host: int = 3

    def cached(self, url: str, *, tenant_id: str, max_hops: int, max_age_sec: int | None = None) -> Fetched | None:
        return Fetched(self.site.fetch(url), Source.L1) if url in self.owned else None

    def fetch(
        self, url: str, *, tenant_id: str, timeout_sec: float, max_hops: int, max_age_sec: int | None = None
    ) -> Fetched:
        self.asked.append((url, tenant_id))
        stand_in = StandIn(DegradedReason.TIMEOUT) if url in self.stale else None
        return Fetched(self.site.fetch(url), Source.MISS, stand_in)


@dataclass
class PagesInMemory:
    """A page cache, per tenant."""

    held: dict[tuple[str, str], JsonObject] = field(default_factory=dict)
    leased: set[tuple[str, str]] = field(default_factory=set)
    """Pages that another run is reading."""
    leases: Counter[tuple[str, str]] = field(default_factory=Counter)

    def find(self, content: str, *, tenant_id: str) -> CachedPage | None:
        page = self.held.get((tenant_id, content))
        return None if page is None else CachedPage(page, Source.L1)

    def put(self, content: str, page: JsonObject, *, tenant_id: str) -> None:
        self.held[tenant_id, content] = page

    @contextmanager
    def working_on(self, content: str, *, tenant_id: str) -> Iterator[bool]:
        key = (tenant_id, content)
        if key in self.leased:
            yield False
            return
        self.leases[key] += 1
        self.leased.add(key)
        try:
            yield True
        finally:
            self.leased.discard(key)


def text_of(result: PackResult) -> str:
    return "\n".join(result.data["text_blocks"])
