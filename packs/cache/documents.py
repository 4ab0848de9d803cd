"""What packs ask for documents: `services["documents"]`. Without one they are fetched, each time, by `Uncached`."""

from dataclasses import dataclass
from typing import Protocol

from packs.cache.envelope import Source
from packs.fetch import Document, Fetcher

NO_LIMIT = 1_000


@dataclass(frozen=True)
class Fetched:
    document: Document
    source: Source
    """As it is reported and charged."""
    degraded: bool = False
    """An old copy, because the site could not be asked in time."""


class Documents(Protocol):
    """Safe to call from many threads."""

    @property
    def at_once_per_host(self) -> int:
        """More than this from one host at once only wait for each other."""

    def cached(self, url: str, *, tenant_id: str, max_hops: int) -> Fetched | None:
        """The tenant's own fresh copy, which costs less than a fetch. Quick; asked before the price is known."""

    def fetch(self, url: str, *, tenant_id: str, timeout_sec: float, max_hops: int) -> Fetched:
        """Raises `FetchBlocked` or `FetchFailed`. Everything, waiting included, within `timeout_sec`."""


@dataclass(frozen=True)
class Uncached:
    fetcher: Fetcher
    at_once_per_host: int = NO_LIMIT

    def cached(self, url: str, *, tenant_id: str, max_hops: int) -> Fetched | None:
        return None

    def fetch(self, url: str, *, tenant_id: str, timeout_sec: float, max_hops: int) -> Fetched:
        return Fetched(self.fetcher.fetch(url, timeout_sec=timeout_sec, max_hops=max_hops), Source.MISS)
