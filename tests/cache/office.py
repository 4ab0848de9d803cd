"""One process of the fleet, as a test sees it: its document services over the zoo, with a clock of its own."""

import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from packs.cache import CACHE, CacheLimits, Fetched, Source
from packs.cache.entry_keys import CacheKey, document_key, policy_flags
from packs.cache.pages import PageCache
from packs.fetch import FetchPolicy
from packs.fetch.url import parse_url
from runs.documents.configuration import Configuration
from runs.documents.fetch_once import FetchOnce
from runs.documents.services import document_services
from tests.packs.fetch.zoo import Handler, Request, Zoo, respond

# The waits of the contract, ten times shorter.
QUICK = replace(CACHE, flight_backoff_sec=(0.01, 0.02, 0.04, 0.08, 0.16, 0.32), host_attempt_gap_sec=0.1)
SITE = "www.me.go.kr"
PAGE = f"https://{SITE}/notice"
STALE_SEC = QUICK.document_ttl_sec + 1


@dataclass
class Office:
    zoo: Zoo
    limits: CacheLimits = QUICK
    keep_documents_in_l3: bool = False
    policy: FetchPolicy = field(default_factory=lambda: FetchPolicy(timeout_sec=3))
    ahead: timedelta = timedelta()
    services: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        fetcher = self.zoo.fetcher(self.policy)
        chosen = Configuration(self.limits, self.keep_documents_in_l3)
        self.services = {"fetcher": fetcher, **document_services(fetcher, chosen, now=self.now)}

    def now(self) -> datetime:
        return timezone.now() + self.ahead

    def later(self, seconds: float) -> None:
        self.ahead += timedelta(seconds=seconds)

    @property
    def documents(self) -> FetchOnce:
        documents: FetchOnce = self.services["documents"]
        return documents

    @property
    def pages(self) -> PageCache:
        pages: PageCache = self.services["page_cache"]
        return pages

    def fetch(
        self,
        tenant_id: str,
        url: str = PAGE,
        *,
        timeout_sec: float = 3,
        max_hops: int = 5,
        max_age_sec: int | None = None,
    ) -> Fetched:
        return self.documents.fetch(
            url, tenant_id=tenant_id, timeout_sec=timeout_sec, max_hops=max_hops, max_age_sec=max_age_sec
        )

    def hit(self, tenant_id: str, url: str = PAGE, *, max_age_sec: int | None = None) -> Source | None:
        """Where the tenant's own copy is found; None for a miss."""
        found = self.documents.cached(url, tenant_id=tenant_id, max_hops=5, max_age_sec=max_age_sec)
        return None if found is None else found.source

    def key(self, tenant_id: str = "acme", url: str = PAGE, *, max_hops: int = 5) -> CacheKey:
        flags = policy_flags(self.policy)
        return document_key(parse_url(url), tenant_id=tenant_id, max_hops=max_hops, policy=flags)


Offices = Callable[..., Office]


def downloads(zoo: Zoo) -> int:
    return len(zoo.record.requests)


def slow(seconds: float, body: bytes = b"<p>late</p>") -> Handler:
    def handler(tls: socket.socket, _: Request) -> None:
        time.sleep(seconds)
        respond(tls, body)

    return handler
