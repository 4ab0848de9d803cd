"""The address a request came from, as far as it can be believed."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest

UNKNOWN = "unknown"


def client_address(request: HttpRequest) -> str:
    """The peer, or behind N trusted proxies the N-th address from the right: those to its left anybody can write.

    IPv6 is cut to its /64: one customer has all of it.
    """
    hops = [request.META.get("REMOTE_ADDR", "")]
    if settings.TRUSTED_PROXIES:
        hops = [*request.headers.get("X-Forwarded-For", "").split(","), *hops]
    text = hops[-1 - min(settings.TRUSTED_PROXIES, len(hops) - 1)].strip()
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return UNKNOWN
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)
