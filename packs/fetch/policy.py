"""What an operator lets the fetcher do, and the checks that need no network.

There is deliberately no switch here that turns the address check off: tests that talk to loopback inject a
resolver and a dialer instead.
"""

from dataclasses import dataclass
from ipaddress import ip_network

from dpp_project.profile import PROFILE
from packs.fetch.address import IPNetwork, classify
from packs.fetch.exceptions import BlockedCode, Refusal, UrlRefused
from packs.fetch.host import Host
from packs.fetch.url import ParsedUrl, parse_url

# Names that by registry never lead to the public Internet (RFC 6761 and successors), and those that networks
# use for themselves. The resolver is not even asked.
SPECIAL_USE_DOMAINS = frozenset(
    {"localhost", "localdomain", "local", "internal", "intranet", "corp", "home", "lan", "private", "invalid",
     "onion", "alt", "arpa"}
)  # fmt: skip
# Reserved so that nobody ever has them, in no network.
_NOBODYS_DOMAINS = frozenset({"invalid", "alt", "arpa"})
_LOOPBACK_DOMAINS = frozenset({"localhost", "localdomain"})


@dataclass(frozen=True)
class FetchPolicy:
    allow_http: bool = False
    ports: frozenset[int] = frozenset({443})
    allow_hosts: frozenset[str] = frozenset()
    """When not empty, only these domains and their subdomains are fetched."""
    deny_hosts: frozenset[str] = frozenset()
    deny_networks: tuple[IPNetwork, ...] = ()
    """The operator's own public addresses and prefixes, which no table can know (a NAT gateway, a NAT64
    prefix)."""
    timeout_sec: float = PROFILE.fetch_timeout_sec
    max_hops: int = PROFILE.fetch_redirect_max_hops
    max_body_bytes: int = PROFILE.fetch_max_body_bytes
    """Of a page. A file that is read as a whole may have more, up to the profile's `fetch_max_file_bytes`."""
    user_agent: str = "DPP-SmartFetcher/0.4"

    def __post_init__(self) -> None:
        within = (
            0 < self.timeout_sec <= PROFILE.fetch_timeout_sec
            and 0 <= self.max_hops <= PROFILE.fetch_redirect_max_hops
            and 0 < self.max_body_bytes <= PROFILE.fetch_max_file_bytes
        )
        if not within:
            raise ValueError("A fetch policy may tighten the profile's limits, never widen them.")

    def refusal(self, url: ParsedUrl) -> Refusal | None:
        """Everything that can be said against a URL before a name is looked up."""
        if url.scheme == "http" and not self.allow_http:
            return Refusal(BlockedCode.SCHEME_NOT_ALLOWED, "Only https URLs are fetched.")
        if url.port not in self.ports and not (self.allow_http and url.port == 80):
            return Refusal(BlockedCode.PORT_NOT_ALLOWED, "The port is not open for fetching.")
        return self._host_refusal(url.host)

    def _host_refusal(self, host: Host) -> Refusal | None:
        if host.address is not None:
            forbidden = classify(host.address, self.deny_networks)
            if forbidden is not None:
                return Refusal(forbidden.code, f"The address is not public ({forbidden.kind}).", host.name)
        elif (special := _special_use(host.name)) is not None:
            return special
        if _within(host.name, self.deny_hosts):
            return Refusal(BlockedCode.DOMAIN_NOT_ALLOWED, "The operator does not allow this domain.")
        if self.allow_hosts and not _within(host.name, self.allow_hosts):
            return Refusal(BlockedCode.DOMAIN_NOT_ALLOWED, "The domain is not on the operator's list.")
        return None


def refuse_literal(url: str, policy: FetchPolicy | None = None) -> Refusal | None:
    """Why a submitted URL is refused on sight, or None. Looks nothing up: submit answers 400 with the
    reason."""
    try:
        return (policy or FetchPolicy()).refusal(parse_url(url))
    except UrlRefused as refused:
        return refused.refusal


def parse_networks(texts: list[str]) -> tuple[IPNetwork, ...]:
    """The operator's `deny_networks` from text; a prefix with host bits is a mistake and raises
    ValueError."""
    return tuple(ip_network(text) for text in texts)


def _special_use(name: str) -> Refusal | None:
    last_label = name.rpartition(".")[2]
    if last_label in _LOOPBACK_DOMAINS or name.startswith(("ip6-localhost", "ip6-loopback")):
        return Refusal(BlockedCode.SSRF_LOOPBACK_BLOCKED, "The name means the machine itself.")
    if last_label in _NOBODYS_DOMAINS:
        return Refusal(BlockedCode.DOMAIN_NOT_ALLOWED, "No site can have such a name: it is reserved.")
    if last_label in SPECIAL_USE_DOMAINS:
        return Refusal(BlockedCode.DOMAIN_NOT_ALLOWED, "The name belongs to private networks.")
    if "." not in name:
        return Refusal(BlockedCode.DOMAIN_NOT_ALLOWED, "No public site has a name without a dot.")
    return None


def _within(name: str, domains: frozenset[str]) -> bool:
    return any(name == domain or name.endswith(f".{domain}") for domain in domains)
