"""The address a request came from, as far as it can be believed."""

import ipaddress
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest

UNKNOWN = "unknown"

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def client_address(request: HttpRequest) -> str:
    return address_of(request.META.get("REMOTE_ADDR", ""), request.headers.get("X-Forwarded-For", ""))


def address_of(peer: str, forwarded_for: str) -> str:
    """By which a caller is counted. IPv6 is cut to its /64: one customer has all of it."""
    address = _believed(peer, forwarded_for)
    if address is None:
        return UNKNOWN
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


def exact_address(environ: Mapping[str, Any]) -> _Address | None:
    """None if what stands there is no address."""
    return _believed(environ.get("REMOTE_ADDR", ""), environ.get("HTTP_X_FORWARDED_FOR", ""))


def _believed(peer: str, forwarded_for: str) -> _Address | None:
    """The peer, or behind N trusted proxies the N-th address from the right: those to its left anybody can write. An
    IPv4 address in IPv6's clothes is IPv4."""
    hops = [peer]
    if settings.TRUSTED_PROXIES:
        hops = [*forwarded_for.split(","), *hops]
    text = hops[-1 - min(settings.TRUSTED_PROXIES, len(hops) - 1)].strip()
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        return address.ipv4_mapped
    return address
