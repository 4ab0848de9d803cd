"""What a fetch brings home."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from packs.fetch.exceptions import Refusal


@dataclass(frozen=True)
class Document:
    url: str
    """As submitted."""
    final_url: str
    """After redirects, as it was requested."""
    status_code: int
    content_type: str
    """The header as sent, empty when there was none."""
    body: bytes
    """Decoded. Empty for a status of 400 and above: an error page is not read."""
    truncated: bool
    """The document is larger than the limit; `body` holds its beginning, or nothing if the size was
    announced."""
    fetched_at: datetime
    hops: int = 0
    retry_after_sec: int | None = None
    """When the site wants to be asked again, as it said with an error."""


BeforeHop = Callable[[str], None]
"""Told the host of each hop before it is looked up; may wait, and may give the fetch up by `FetchFailed`."""


class Fetcher(Protocol):
    """What packs ask of `services["fetcher"]`. Safe to call from many threads."""

    def fetch(
        self,
        url: str,
        *,
        timeout_sec: float | None = None,
        max_hops: int | None = None,
        before_hop: BeforeHop | None = None,
    ) -> Document:
        """Raises `FetchBlocked` or `FetchFailed`. The limits can only be tightened."""

    def refusal(self, url: str) -> Refusal | None:
        """What can be said against a URL without looking anything up; such a URL is not worth paying for."""
