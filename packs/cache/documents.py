"""What packs ask for documents: `services["documents"]`. Without one they are fetched, each time, by `Uncached`."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from packs.cache.envelope import Source
from packs.fetch import Document, Fetcher

NO_LIMIT = 1_000


class DegradedReason(StrEnum):
    """Why an old copy stands in for the site's own answer."""

    HOST_BUSY = "HOST_BUSY"
    TIMEOUT = "TIMEOUT"
    UNREACHABLE = "UNREACHABLE"
    SITE_ERROR = "SITE_ERROR"


@dataclass(frozen=True)
class StandIn:
    """An old copy in the place of the site's answer."""

    reason: DegradedReason
    retry_after_sec: int | None = None
    began: bool = True
    """Whether the site was asked. A download that never began costs nothing."""


@dataclass(frozen=True)
class Fetched:
    document: Document
    source: Source
    """As it is reported and charged."""
    stand_in: StandIn | None = None

    @property
    def degraded(self) -> bool:
        return self.stand_in is not None

    @property
    def is_free(self) -> bool:
        return self.stand_in is not None and not self.stand_in.began


class Documents(Protocol):
    """Safe to call from many threads."""

    @property
    def at_once_per_host(self) -> int:
        """More than this from one host at once only wait for each other."""

    def cached(self, url: str, *, tenant_id: str, max_hops: int, max_age_sec: int | None = None) -> Fetched | None:
        """The tenant's own fresh copy, or the platform's, which costs less than a fetch. Quick; asked before the price
        is known. `max_age_sec`: how old it may be; None leaves that to the platform."""

    def fetch(
        self, url: str, *, tenant_id: str, timeout_sec: float, max_hops: int, max_age_sec: int | None = None
    ) -> Fetched:
        """Raises `FetchBlocked` or `FetchFailed`. Everything, waiting included, within `timeout_sec`. With
        `max_age_sec=0` only what is downloaded from now on will do."""


@dataclass(frozen=True)
class Uncached:
    fetcher: Fetcher
    at_once_per_host: int = NO_LIMIT

    def cached(self, url: str, *, tenant_id: str, max_hops: int, max_age_sec: int | None = None) -> Fetched | None:
        return None

    def fetch(
        self, url: str, *, tenant_id: str, timeout_sec: float, max_hops: int, max_age_sec: int | None = None
    ) -> Fetched:
        return Fetched(self.fetcher.fetch(url, timeout_sec=timeout_sec, max_hops=max_hops), Source.MISS)
