"""How a fetch ends when it does not end with a document.

Two kinds: our policy refused it (`FetchBlocked`, always written to the blocked log), or the site or the
network could not deliver (`FetchFailed`). `detail` is shown to the owner of the run: it never names an
address.
"""

from dataclasses import dataclass
from enum import StrEnum


class BlockedCode(StrEnum):
    """Why our own policy refused a hop."""

    URL_INVALID = "URL_INVALID"
    SCHEME_NOT_ALLOWED = "SCHEME_NOT_ALLOWED"
    PORT_NOT_ALLOWED = "PORT_NOT_ALLOWED"
    DOMAIN_NOT_ALLOWED = "DOMAIN_NOT_ALLOWED"
    SSRF_LOOPBACK_BLOCKED = "SSRF_LOOPBACK_BLOCKED"
    SSRF_PRIVATE_IP_BLOCKED = "SSRF_PRIVATE_IP_BLOCKED"
    REDIRECT_MAX_HOPS_EXCEEDED = "REDIRECT_MAX_HOPS_EXCEEDED"


class FailedCode(StrEnum):
    """Why the other side did not deliver."""

    TIMEOUT = "TIMEOUT"
    DNS_FAILED = "DNS_FAILED"
    CONNECT_FAILED = "CONNECT_FAILED"
    TLS_INVALID = "TLS_INVALID"
    BAD_RESPONSE = "BAD_RESPONSE"
    HOST_BUSY = "HOST_BUSY"
    """Not the site's doing: as many downloads from it were under way as we allow ourselves."""


@dataclass(frozen=True)
class Refusal:
    """The policy's answer to a URL it will not fetch."""

    code: BlockedCode
    detail: str
    resolved_ip: str | None = None


class FetchError(Exception):
    """A fetch that brought no document."""


class FetchBlocked(FetchError):
    """Refused by policy. `target` is the hop that was refused, `hop` its number (0 is the submitted URL)."""

    def __init__(self, refusal: Refusal, *, url: str, target: str, hop: int) -> None:
        super().__init__(f"{refusal.code}: {refusal.detail}")
        self.refusal = refusal
        self.url = url
        self.target = target
        self.hop = hop


class FetchFailed(FetchError):
    """The site, its certificate, its name or the network failed."""

    def __init__(
        self, code: FailedCode, detail: str, *, began: bool = True, retry_after_sec: int | None = None
    ) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail
        self.began = began
        """Whether the site was asked at all."""
        self.retry_after_sec = retry_after_sec
        """When asking again makes sense, where that is known."""


class UrlRefused(FetchError):
    """A URL that the parser or the policy refuses; the fetcher adds where in the chain it stood."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(f"{refusal.code}: {refusal.detail}")
        self.refusal = refusal
