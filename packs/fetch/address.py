"""Which addresses may be dialled: only those that are globally reachable unicast and nothing else besides.

The table is the IANA special-purpose registries (IPv4 and IPv6) written as data, plus multicast, the
addresses cloud providers reserve for themselves, and every form of IPv6 address that carries an IPv4 address
inside. Python's own flags are not used: they differ between versions and let dozens of forbidden addresses
pass.
"""

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

from packs.fetch.exceptions import BlockedCode

IPAddress = IPv4Address | IPv6Address
IPNetwork = IPv4Network | IPv6Network

_LOOPBACK = BlockedCode.SSRF_LOOPBACK_BLOCKED
_PRIVATE = BlockedCode.SSRF_PRIVATE_IP_BLOCKED


@dataclass(frozen=True)
class Forbidden:
    """Why an address is not dialled. The kind is for the log; it does not repeat the address."""

    code: BlockedCode
    kind: str


# (prefix, what it is for, RFC). The first match wins, so narrow prefixes stand before wide ones.
_SPECIAL_V4: tuple[tuple[str, str, str], ...] = (
    ("0.0.0.0/8", "this network", "RFC 791"),
    ("10.0.0.0/8", "private use", "RFC 1918"),
    ("100.64.0.0/10", "carrier-grade NAT", "RFC 6598"),
    ("127.0.0.0/8", "loopback", "RFC 1122"),
    ("168.63.129.16/32", "cloud platform service", "Azure"),
    ("169.254.0.0/16", "link-local and instance metadata", "RFC 3927"),
    ("172.16.0.0/12", "private use", "RFC 1918"),
    ("192.0.0.0/24", "protocol assignments", "RFC 6890"),
    ("192.0.2.0/24", "documentation", "RFC 5737"),
    ("192.31.196.0/24", "AS112 anycast", "RFC 7535"),
    ("192.52.193.0/24", "multicast tunnelling", "RFC 7450"),
    ("192.88.99.0/24", "6to4 relay anycast", "RFC 7526"),
    ("192.168.0.0/16", "private use", "RFC 1918"),
    ("192.175.48.0/24", "AS112 anycast", "RFC 7534"),
    ("198.18.0.0/15", "benchmarking", "RFC 2544"),
    ("198.51.100.0/24", "documentation", "RFC 5737"),
    ("203.0.113.0/24", "documentation", "RFC 5737"),
    ("224.0.0.0/4", "multicast", "RFC 5771"),
    ("240.0.0.0/4", "reserved, broadcast", "RFC 1112"),
)
_SPECIAL_V6: tuple[tuple[str, str, str], ...] = (
    ("::1/128", "loopback", "RFC 4291"),
    ("::/128", "unspecified", "RFC 4291"),
    ("::ffff:0:0/96", "IPv4-mapped", "RFC 4291"),
    ("::ffff:0:0:0/96", "IPv4-translated", "RFC 2765"),
    ("::/96", "IPv4-compatible", "RFC 4291"),
    ("64:ff9b::/96", "NAT64", "RFC 6052"),
    ("64:ff9b:1::/48", "local-use NAT64", "RFC 8215"),
    ("100::/64", "discard only", "RFC 6666"),
    ("100:0:0:1::/64", "dummy prefix", "RFC 9780"),
    ("2001::/32", "Teredo", "RFC 4380"),
    ("2001::/23", "protocol assignments", "RFC 2928"),
    ("2001:db8::/32", "documentation", "RFC 3849"),
    ("2002::/16", "6to4", "RFC 3056"),
    ("2620:4f:8000::/48", "AS112 anycast", "RFC 7534"),
    ("3ffe::/16", "6bone, returned", "RFC 3701"),
    ("3fff::/20", "documentation", "RFC 9637"),
    ("5f00::/16", "segment routing", "RFC 9602"),
    ("fc00::/7", "unique local", "RFC 4193"),
    ("fe80::/10", "link-local", "RFC 4291"),
    ("fec0::/10", "site-local", "RFC 3879"),
    ("ff00::/8", "multicast", "RFC 4291"),
)

_TABLE_V4 = tuple((IPv4Network(prefix), kind) for prefix, kind, _ in _SPECIAL_V4)
_TABLE_V6 = tuple((IPv6Network(prefix), kind) for prefix, kind, _ in _SPECIAL_V6)

# Outside this block no IPv6 address has been given out for the public Internet; a future one is refused until
# known.
_GLOBAL_UNICAST_V6 = IPv6Network("2000::/3")

# 0.0.0.0 reaches the machine itself on Linux, as does its IPv6 twin.
_LOOPBACK_KINDS = frozenset({"loopback", "this network", "unspecified"})

# Forms whose last 32 bits are an IPv4 address.
_TAIL_EMBEDDERS = tuple(IPv6Network(prefix) for prefix in ("::ffff:0:0/96", "::ffff:0:0:0/96", "::/96", "64:ff9b::/96"))
_NAT64_LOCAL = IPv6Network("64:ff9b:1::/48")
_TEREDO = IPv6Network("2001::/32")
_SIX_TO_FOUR = IPv6Network("2002::/16")
_ISATAP_MARKS = frozenset({0x0000_5EFE, 0x0200_5EFE})


def parse_address(text: str) -> IPAddress | None:
    """An address as a resolver writes it; a zone (`fe80::1%eth0`) is dropped, since it changes nothing
    here."""
    try:
        return ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None


def classify(address: IPAddress, also_denied: Iterable[IPNetwork] = ()) -> Forbidden | None:
    """None if the address may be dialled. `also_denied` are the operator's own networks."""
    if any(address in network for network in also_denied):
        return Forbidden(_PRIVATE, "a network this service does not fetch from")
    if isinstance(address, IPv4Address):
        return _classify_v4(address)
    return _classify_v6(address)


def _classify_v4(address: IPv4Address) -> Forbidden | None:
    for network, kind in _TABLE_V4:
        if address in network:
            return _forbidden(kind)
    return None


def _classify_v6(address: IPv6Address) -> Forbidden | None:
    inner = [found for found in map(_classify_v4, embedded_ipv4(address)) if found is not None]
    for network, kind in _TABLE_V6:
        if address in network:
            # `::ffff:127.0.0.1` is loopback first and mapped second.
            if inner:
                return Forbidden(inner[0].code, f"{kind}, carrying {inner[0].kind}")
            return _forbidden(kind)
    if address not in _GLOBAL_UNICAST_V6:
        return _forbidden("not global unicast")
    return inner[0] if inner else None


def embedded_ipv4(address: IPv6Address) -> tuple[IPv4Address, ...]:
    """Every IPv4 address that a translator, tunnel or stack could take out of this one."""
    bits = int(address)
    found: list[int] = []
    if any(address in network for network in _TAIL_EMBEDDERS) and bits > 1:
        found.append(bits)
    if address in _NAT64_LOCAL:
        # RFC 6052, /48: 16 bits before and 16 bits after the zero octet at bits 64-71; operators also use
        # /96.
        found += [(bits >> 64 & 0xFFFF) << 16 | bits >> 40 & 0xFFFF, bits]
    if address in _SIX_TO_FOUR:
        found.append(bits >> 80)
    if address in _TEREDO:
        # The server as it is, the client with every bit turned.
        found += [bits >> 64, bits ^ 0xFFFF_FFFF]
    if (bits >> 32 & 0xFFFF_FFFF) in _ISATAP_MARKS:
        found.append(bits)
    return tuple(IPv4Address(value & 0xFFFF_FFFF) for value in found)


def _forbidden(kind: str) -> Forbidden:
    return Forbidden(_LOOPBACK if kind in _LOOPBACK_KINDS else _PRIVATE, kind)
