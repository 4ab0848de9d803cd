"""`services["documents"]`: a document from the tenant's own cache, or downloaded once for all its runs that want it.

The order: a copy, the row, a slot of the host, the site. No copy is another tenant's; those of the platform's own list
are everybody's. Whatever is away is left out; only the site's own failure, a busy host, or time can leave a URL without
a document. All of it within the time of one fetch.
"""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.db import Error as DatabaseError

from dpp_project.cool_down import CoolDown
from dpp_project.logging import fields
from dpp_project.metrics import CACHE_LOOKUPS, DOCUMENTS_DEGRADED, DOWNLOADS
from packs.cache import CacheKey, CacheLimits, DegradedReason, Fetched, Source, StandIn
from packs.cache.document_cache import DocumentCache, is_refusal
from packs.cache.entry_keys import PINNED, Flag, document_key
from packs.fetch import Document, FailedCode, Fetcher, FetchFailed
from packs.fetch.deadline import NOT_IN_TIME, FetchDeadline
from packs.fetch.url import ParsedUrl, parse_url
from runs.documents.flights import Acquired, Cached, Downloading, FlightAnswer, Flights, Uncached
from runs.documents.slots import HostSlots, Walk

log = logging.getLogger("dpp.documents")

# Left of a URL's time to look for an old copy when the site has used up the rest.
CLOSING_SEC = 0.2
CLOSING_SHARE = 0.1
# A loser looks for the copy; for the row only at every third look, to learn that its owner has failed.
ROW_EVERY = 3
# Failures for which an old copy may stand. Not a bad certificate: that may be somebody else's site.
_STANDS_FOR = {
    FailedCode.TIMEOUT: DegradedReason.TIMEOUT,
    FailedCode.HOST_BUSY: DegradedReason.HOST_BUSY,
    FailedCode.DNS_FAILED: DegradedReason.UNREACHABLE,
    FailedCode.CONNECT_FAILED: DegradedReason.UNREACHABLE,
    FailedCode.BAD_RESPONSE: DegradedReason.UNREACHABLE,
}


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
    not_before: datetime | None
    """Copies from before then will not do; None leaves that to the platform."""


@dataclass(frozen=True)
class _Answer:
    document: Document
    began: bool
    """Whether this request asked the site itself."""


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

    def cached(self, url: str, *, tenant_id: str, max_hops: int, max_age_sec: int | None = None) -> Fetched | None:
        # The policy first: what may not be fetched is not served from a cache either.
        if self._fetcher.refusal(url) is not None:
            return None
        now, not_before = self._now(), self._not_before(max_age_sec)
        for owner in (tenant_id, PINNED):
            found = self._cache.find_fresh(self._key(url, owner, max_hops), url, now=now, not_before=not_before)
            if found is not None:
                CACHE_LOOKUPS.labels(source=found.source).inc()
                return Fetched(found.document, found.source)
        return None

    def fetch(
        self, url: str, *, tenant_id: str, timeout_sec: float, max_hops: int, max_age_sec: int | None = None
    ) -> Fetched:
        if self._fetcher.refusal(url) is not None:
            # Raises, and says why in the fetcher's own words.
            return Fetched(self._fetcher.fetch(url, timeout_sec=timeout_sec, max_hops=max_hops), Source.MISS)
        wanted = self._request(url, tenant_id, timeout_sec, max_hops, max_age_sec)
        CACHE_LOOKUPS.labels(source=Source.MISS).inc()
        try:
            answer = self._fresh(wanted)
        except FetchFailed as failed:
            reason = _STANDS_FOR.get(failed.code)
            if reason is None:
                raise
            old = self._old_copy(wanted, StandIn(reason, failed.retry_after_sec, failed.began))
            if old is None:
                raise
            return old
        document = answer.document
        if document.status_code == 429 or document.status_code >= 500:
            stand_in = StandIn(DegradedReason.SITE_ERROR, document.retry_after_sec, answer.began)
            return self._old_copy(wanted, stand_in) or Fetched(document, Source.MISS)
        return Fetched(document, Source.MISS)

    def pin(self, url: str, *, timeout_sec: float, max_hops: int) -> tuple[Document, bool]:
        """Download a document of the platform's own list, for all tenants, and whether it was kept. Raises
        `FetchBlocked` or `FetchFailed`."""
        wanted = self._request(url, PINNED, timeout_sec, max_hops, None)
        document = self._download_from_site(wanted)
        return document, self._cache.pin(wanted.key, document, now=self._now())

    def _request(
        self, url: str, tenant_id: str, timeout_sec: float, max_hops: int, max_age_sec: int | None
    ) -> _DocumentRequest:
        seconds = timeout_sec - min(CLOSING_SEC, CLOSING_SHARE * timeout_sec)
        return _DocumentRequest(
            url=url,
            parsed=parse_url(url),
            key=self._key(url, tenant_id, max_hops),
            tenant_id=tenant_id,
            max_hops=max_hops,
            deadline=FetchDeadline(seconds),
            token=uuid4(),
            not_before=self._not_before(max_age_sec),
        )

    def _not_before(self, max_age_sec: int | None) -> datetime | None:
        return None if max_age_sec is None else self._now() - timedelta(seconds=max_age_sec)

    def _old_copy(self, wanted: _DocumentRequest, stand_in: StandIn) -> Fetched | None:
        """In the place of the site's answer. A copy that came meanwhile and is good enough is no stand-in."""
        fresh = self._fresh_copy(wanted)
        if fresh is not None:
            return Fetched(fresh, Source.MISS)
        found = self._cache.find(wanted.key, wanted.url, now=self._now())
        if found is None:
            return None
        DOCUMENTS_DEGRADED.labels(reason=stand_in.reason).inc()
        return Fetched(found.document, Source.MISS, stand_in)

    def _fresh(self, wanted: _DocumentRequest) -> _Answer:
        """A copy that is fresh, or the site's answer. Waits, bounded, while somebody else downloads it."""
        settled = self._settled(wanted)
        if settled is not None:
            return settled
        missing: UUID | None = None
        ask_row = True
        for look, delay_sec in enumerate((*self._limits.flight_backoff_sec, None), 1):
            if ask_row:
                answer = self._acquire(wanted, missing)
                if isinstance(answer, Acquired):
                    return _Answer(self._download_as_owner(wanted), began=True)
                if self._nobody_will_hand_it_over(answer):
                    return self._download(wanted)[0]
                missing = answer.owner if isinstance(answer, Cached) else None  # unless it is found now
            if missing is None and delay_sec is not None:
                time.sleep(min(delay_sec, wanted.deadline.remaining_sec()))
            settled = self._settled(wanted)
            if settled is not None:
                return settled
            ask_row = missing is not None or look % ROW_EVERY == 0
        raise FetchFailed(FailedCode.TIMEOUT, NOT_IN_TIME, began=False)

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
            answer, stored = self._download(wanted)
            downloaded = True
            self._complete(wanted, stored=stored)
            return answer.document
        finally:
            if not downloaded:
                self._abort(wanted)

    def _download(self, wanted: _DocumentRequest) -> tuple[_Answer, bool]:
        """The site's answer, and whether others will find it in a cache."""
        with self._slots.walk(wanted.tenant_id, wanted.deadline) as walk:
            walk.enter(wanted.parsed.host.name)
            # While we waited for the slot, somebody without a row may have brought it.
            settled = self._settled(wanted)
            if settled is not None:
                return settled, not is_refusal(settled.document.status_code)
            document = self._ask_site(wanted, walk)
            # Before the slot is free: whoever gets it next looks for this copy first.
            if is_refusal(document.status_code):
                document, stored = self._cache.put_refusal(wanted.key, document, now=self._now()), False
            else:
                stored = self._cache.put(wanted.key, document, now=self._now())
            return _Answer(document, began=True), stored

    def _download_from_site(self, wanted: _DocumentRequest) -> Document:
        with self._slots.walk(wanted.tenant_id, wanted.deadline) as walk:
            walk.enter(wanted.parsed.host.name)
            return self._ask_site(wanted, walk)

    def _ask_site(self, wanted: _DocumentRequest, walk: Walk) -> Document:
        outcome = "failed"
        try:
            document = self._fetcher.fetch(
                wanted.url,
                timeout_sec=wanted.deadline.remaining_sec(),
                max_hops=wanted.max_hops,
                before_hop=walk.enter,
            )
            outcome = "document" if 200 <= document.status_code <= 299 else "error"
            return document
        finally:
            DOWNLOADS.labels(outcome=outcome).inc()

    def _settled(self, wanted: _DocumentRequest) -> _Answer | None:
        """What need not be asked for: a fresh copy, or the refusal of a site that wants to be left alone."""
        copy = self._fresh_copy(wanted)
        if copy is None:
            copy = self._cache.find_refusal(wanted.key, wanted.url, now=self._now())
        return None if copy is None else _Answer(copy, began=False)

    def _fresh_copy(self, wanted: _DocumentRequest) -> Document | None:
        found = self._cache.find_fresh(wanted.key, wanted.url, now=self._now(), not_before=wanted.not_before)
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
