"""`services["documents"]`: a document from the tenant's own cache, or downloaded once for all its runs that want it.

The order: a copy, the row, a slot of the host, the site. Nothing in it depends on what another tenant fetched. Whatever
of it is away is left out; only the site's own failure, or time, can leave a URL without a document. All of it within
the time of one fetch.
"""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from django.db import Error as DatabaseError

from dpp_project.cool_down import CoolDown
from dpp_project.logging import fields
from dpp_project.metrics import CACHE_LOOKUPS, DOCUMENTS_DEGRADED
from packs.cache import CacheKey, CacheLimits, Fetched, Source
from packs.cache.document_cache import DocumentCache
from packs.cache.entry_keys import Flag, document_key
from packs.fetch import Document, FailedCode, Fetcher, FetchFailed
from packs.fetch.deadline import NOT_IN_TIME, FetchDeadline
from packs.fetch.url import ParsedUrl, parse_url
from runs.documents.flights import Acquired, Cached, Downloading, FlightAnswer, Flights, Uncached
from runs.documents.slots import HostSlots

log = logging.getLogger("dpp.documents")

# Left of a URL's time to look for an old copy when the site has used up the rest.
CLOSING_SEC = 0.2
CLOSING_SHARE = 0.1


@dataclass(frozen=True)
class _DocumentRequest:
    """One URL for one tenant."""

    url: str
    parsed: ParsedUrl
    key: CacheKey
    tenant_id: str
    max_hops: int
    deadline: FetchDeadline
    token: UUID


class FetchOnce:
    def __init__(
        self,
        fetcher: Fetcher,
        cache: DocumentCache,
        slots: HostSlots,
        *,
        policy: Mapping[str, Flag],
        limits: CacheLimits,
        now: Callable[[], datetime],
    ) -> None:
        self._fetcher = fetcher
        self._cache = cache
        self._policy = policy
        self._limits = limits
        self._now = now
        self._flights = Flights(limits)
        self._slots = slots
        self._rows_away = CoolDown(limits.cool_down_sec)

    @property
    def at_once_per_host(self) -> int:
        return self._limits.host_slots_per_tenant

    def cached(self, url: str, *, tenant_id: str, max_hops: int) -> Fetched | None:
        # The policy first: what may not be fetched is not served from a cache either.
        if self._fetcher.refusal(url) is not None:
            return None
        found = self._cache.find_fresh(self._key(url, tenant_id, max_hops), url, now=self._now())
        if found is None:
            return None
        CACHE_LOOKUPS.labels(source=found.source).inc()
        return Fetched(found.document, found.source)

    def fetch(self, url: str, *, tenant_id: str, timeout_sec: float, max_hops: int) -> Fetched:
        if self._fetcher.refusal(url) is not None:
            # Raises, and says why in the fetcher's own words.
            return Fetched(self._fetcher.fetch(url, timeout_sec=timeout_sec, max_hops=max_hops), Source.MISS)
        seconds = timeout_sec - min(CLOSING_SEC, CLOSING_SHARE * timeout_sec)
        wanted = _DocumentRequest(
            url=url,
            parsed=parse_url(url),
            key=self._key(url, tenant_id, max_hops),
            tenant_id=tenant_id,
            max_hops=max_hops,
            deadline=FetchDeadline(seconds),
            token=uuid4(),
        )
        try:
            document, degraded = self._fresh(wanted), False
        except FetchFailed as failed:
            if failed.code is not FailedCode.TIMEOUT:
                raise
            found = self._cache.find(wanted.key, wanted.url, now=self._now())
            if found is None:
                raise
            document, degraded = found.document, not found.fresh
        if degraded:
            DOCUMENTS_DEGRADED.inc()
        CACHE_LOOKUPS.labels(source=Source.MISS).inc()
        return Fetched(document, Source.MISS, degraded)

    def _fresh(self, wanted: _DocumentRequest) -> Document:
        """A copy that is fresh, or the site's answer. Waits, bounded, while somebody else downloads it."""
        copy = self._fresh_copy(wanted)
        if copy is not None:
            return copy
        missing: UUID | None = None
        for delay_sec in (*self._limits.flight_backoff_sec, None):
            answer = self._acquire(wanted, missing)
            if isinstance(answer, Acquired):
                return self._download_as_owner(wanted)
            if self._nobody_will_hand_it_over(answer):
                return self._download(wanted)[0]
            if isinstance(answer, Cached):
                missing = answer.owner  # unless it is found now
            elif delay_sec is not None:
                time.sleep(min(delay_sec, wanted.deadline.remaining_sec()))
            copy = self._fresh_copy(wanted)
            if copy is not None:
                return copy
        raise FetchFailed(FailedCode.TIMEOUT, NOT_IN_TIME)

    def _nobody_will_hand_it_over(self, answer: FlightAnswer | None) -> bool:
        match answer:
            case None | Uncached():
                return True
            case Downloading(silent_sec):
                return silent_sec > self._limits.flight_dead_sec
            case _:
                return False

    def _download_as_owner(self, wanted: _DocumentRequest) -> Document:
        """The row is ours: download, keep, complete. However it ends, the row is not left behind."""
        downloaded = False
        try:
            document, stored = self._download(wanted)
            downloaded = True
            self._complete(wanted, stored=stored)
            return document
        finally:
            if not downloaded:
                self._abort(wanted)

    def _download(self, wanted: _DocumentRequest) -> tuple[Document, bool]:
        """The site's answer, and whether others will find it in a cache."""
        with self._slots.walk(wanted.tenant_id, wanted.deadline) as walk:
            walk.enter(wanted.parsed.host.name)
            # While we waited for the slot, somebody without a row may have brought it.
            copy = self._fresh_copy(wanted)
            if copy is not None:
                return copy, True
            document = self._fetcher.fetch(
                wanted.url,
                timeout_sec=wanted.deadline.remaining_sec(),
                max_hops=wanted.max_hops,
                before_hop=walk.enter,
            )
            # Before the slot is free: whoever gets it next looks for this copy first.
            stored = self._cache.put(wanted.key, document, now=self._now())
            return document, stored

    def _fresh_copy(self, wanted: _DocumentRequest) -> Document | None:
        found = self._cache.find_fresh(wanted.key, wanted.url, now=self._now())
        return None if found is None else found.document

    def _acquire(self, wanted: _DocumentRequest, missing: UUID | None) -> FlightAnswer | None:
        """None when the fleet cannot be asked, or could not hand anything over anyway."""
        if self._rows_away or not self._cache.usable:
            return None
        try:
            return self._flights.acquire(wanted.key, wanted.token, copy_missing_of=missing)
        except DatabaseError as error:
            self._without_rows(error)
            return None

    def _complete(self, wanted: _DocumentRequest, *, stored: bool) -> None:
        try:
            self._flights.complete(wanted.key, wanted.token, stored=stored)
        except DatabaseError as error:
            # Perhaps it was done, perhaps not: others find the copy, and a row that stays is taken over.
            self._without_rows(error)

    def _abort(self, wanted: _DocumentRequest) -> None:
        try:
            self._flights.abort(wanted.key, wanted.token)
        except DatabaseError as error:
            self._without_rows(error)

    def _without_rows(self, error: DatabaseError) -> None:
        self._rows_away.begin()
        log.warning("flights_unavailable", extra=fields(error=type(error).__name__))

    def _key(self, url: str, tenant_id: str, max_hops: int) -> CacheKey:
        return document_key(parse_url(url), tenant_id=tenant_id, max_hops=max_hops, policy=self._policy)
