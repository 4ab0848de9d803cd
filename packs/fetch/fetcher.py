"""The SmartFetcher: fetches public web pages from inside a private network without becoming a door into it.

Each hop anew: parse strictly, ask the policy, look the name up, classify every address of the answer, dial
one of exactly those. A second DNS answer therefore changes nothing, and a redirect gains nothing.
"""

import ssl
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime

from dpp_project.metrics import FETCH_BLOCKS
from packs.fetch.address import IPAddress, classify, parse_address
from packs.fetch.deadline import FetchDeadline
from packs.fetch.document import BeforeHop, Document
from packs.fetch.exceptions import BlockedCode, FailedCode, FetchBlocked, FetchFailed, Refusal, UrlRefused
from packs.fetch.exchange import Exchange, Head, retry_after_sec
from packs.fetch.policy import FetchPolicy, refuse_literal
from packs.fetch.resolver import Resolver, lookup, system_resolver
from packs.fetch.transport import (
    Dialer,
    OwnAddressCheck,
    PlainStream,
    RevokedCertificates,
    Stream,
    TlsStream,
    dial,
    is_own_address,
    public_web_tls,
)
from packs.fetch.url import ParsedUrl, join_location, parse_url

MAX_ADDRESSES_TRIED = 4
# Headers, chunk marks and TLS come on top of the body; far more than that is no document.
WIRE_OVERHEAD_BYTES = 1_048_576


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class SmartFetcher:
    policy: FetchPolicy = field(default_factory=FetchPolicy)
    resolver: Resolver = system_resolver
    dialer: Dialer = dial
    tls: ssl.SSLContext = field(default_factory=public_web_tls)
    revoked: RevokedCertificates | None = None
    own_address: OwnAddressCheck = is_own_address
    now: Callable[[], datetime] = _utc_now

    def fetch(
        self,
        url: str,
        *,
        timeout_sec: float | None = None,
        max_hops: int | None = None,
        before_hop: BeforeHop | None = None,
    ) -> Document:
        """Raises `FetchBlocked` or `FetchFailed`. The limits can only be tightened."""
        deadline = FetchDeadline(min(timeout_sec or self.policy.timeout_sec, self.policy.timeout_sec))
        hop_limit = self.policy.max_hops if max_hops is None else min(max_hops, self.policy.max_hops)
        hop, target = 0, url
        try:
            here = parse_url(url)
            while True:
                target = str(here)
                self._refuse(here)
                if before_hop is not None:
                    before_hop(here.host.name)
                answer = self._visit(here, url=url, hop=hop, deadline=deadline)
                if isinstance(answer, Document):
                    return answer
                hop, target = hop + 1, answer.location.decode("utf-8", "replace")
                if hop > hop_limit:
                    raise UrlRefused(_too_many_hops(hop_limit))
                here = join_location(here, answer.location)
        except UrlRefused as refused:
            FETCH_BLOCKS.labels(reason=refused.refusal.code).inc()
            raise FetchBlocked(refused.refusal, url=url, target=target, hop=hop) from None

    def post(self, url: str, body: bytes, headers: Mapping[str, str], *, timeout_sec: float | None = None) -> Head:
        """One POST by the same rules: the head of the answer, whatever its status. A redirect is not followed.

        Raises `FetchBlocked` or `FetchFailed`."""
        deadline = FetchDeadline(min(timeout_sec or self.policy.timeout_sec, self.policy.timeout_sec))
        try:
            here = parse_url(url)
            self._refuse(here)
            addresses = self._vetted_addresses(here, deadline)
        except UrlRefused as refused:
            FETCH_BLOCKS.labels(reason=refused.refusal.code).inc()
            raise FetchBlocked(refused.refusal, url=url, target=url, hop=0) from None
        with closing(self._connect(here, addresses, deadline)) as stream:
            return Exchange(stream).post(here, body, headers, user_agent=self.policy.user_agent)

    def refusal(self, url: str) -> Refusal | None:
        """What the policy says against a URL on sight."""
        return refuse_literal(url, self.policy)

    def _refuse(self, here: ParsedUrl) -> None:
        refusal = self.policy.refusal(here)
        if refusal is not None:
            raise UrlRefused(refusal)

    def _visit(self, here: ParsedUrl, *, url: str, hop: int, deadline: FetchDeadline) -> "Document | _Redirect":
        """One hop that the policy has nothing against, from the lookup to the last byte."""
        addresses = self._vetted_addresses(here, deadline)
        with closing(self._connect(here, addresses, deadline)) as stream:
            exchange = Exchange(stream)
            head = exchange.ask(here, user_agent=self.policy.user_agent)
            if head.location is not None:
                return _Redirect(head.location)
            body, truncated = self._body(exchange, head)
        return Document(
            url=url,
            final_url=str(here),
            status_code=head.status_code,
            content_type=head.text(b"content-type"),
            body=body,
            truncated=truncated,
            fetched_at=self.now(),
            hops=hop,
            retry_after_sec=retry_after_sec(head, now=self.now()) if head.status_code >= 400 else None,
        )

    def _body(self, exchange: Exchange, head: Head) -> tuple[bytes, bool]:
        if head.status_code >= 400:
            return b"", False
        return exchange.read_body(head, self.policy.max_body_bytes)

    def _vetted_addresses(self, here: ParsedUrl, deadline: FetchDeadline) -> list[IPAddress]:
        """Every address of the answer, each of them public. One bad answer condemns them all: whoever
        mixes them wants us to dial the other one."""
        if here.host.address is not None:
            answers: list[IPAddress | None] = [here.host.address]
        else:
            answers = [parse_address(text) for text in lookup(self.resolver, here.host.name, deadline)]
        return [self._vetted(answer) for answer in answers]

    def _vetted(self, address: IPAddress | None) -> IPAddress:
        if address is None:
            raise FetchFailed(FailedCode.DNS_FAILED, "The name does not lead to an address.")
        forbidden = classify(address, self.policy.deny_networks)
        if forbidden is not None:
            detail = f"The name leads to an address that is not public ({forbidden.kind})."
            raise UrlRefused(Refusal(forbidden.code, detail, str(address)))
        if self.own_address(address):
            detail = "The name leads back to this service."
            raise UrlRefused(Refusal(BlockedCode.SSRF_LOOPBACK_BLOCKED, detail, str(address)))
        return address

    def _connect(self, here: ParsedUrl, addresses: list[IPAddress], deadline: FetchDeadline) -> Stream:
        raw = self._dial_one_of(addresses[:MAX_ADDRESSES_TRIED], here.port, deadline)
        if here.scheme == "http":
            return raw
        try:
            return TlsStream(raw, self.tls, here.host, self.revoked)
        except OSError as error:
            raw.close()
            raise FetchFailed(FailedCode.CONNECT_FAILED, "The site hung up at once.") from error
        except FetchFailed:
            raw.close()
            raise

    def _dial_one_of(self, addresses: list[IPAddress], port: int, deadline: FetchDeadline) -> PlainStream:
        wire_limit = 2 * self.policy.max_body_bytes + WIRE_OVERHEAD_BYTES
        for left, address in zip(range(len(addresses), 0, -1), addresses, strict=True):
            # A black hole gets its share of the time, so that the address after it gets one too.
            share_sec = deadline.remaining_sec() / left
            try:
                return PlainStream(self.dialer(address, port, share_sec), deadline, wire_limit)
            except OSError:
                continue
        deadline.remaining_sec()
        raise FetchFailed(FailedCode.CONNECT_FAILED, "The site does not accept connections.")


@dataclass(frozen=True)
class _Redirect:
    location: bytes


def _too_many_hops(limit: int) -> Refusal:
    return Refusal(BlockedCode.REDIRECT_MAX_HOPS_EXCEEDED, f"The site redirects more than {limit} times.")
