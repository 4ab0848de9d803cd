"""Addresses of Redis: of a single server as the client library has them, of a cluster with a scheme of their own."""

from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

_SCHEMES = {"redis+cluster": "redis", "rediss+cluster": "rediss"}
_PORT = "6379"


class BadAddress(ValueError):
    """Not the address of a cluster."""


def is_cluster(url: str) -> bool:
    return url.partition("://")[0] in _SCHEMES


@dataclass(frozen=True)
class ClusterAddress:
    first: str
    """One server with all that is said for all of them, as the client library has it."""
    others: tuple[tuple[str, int], ...]
    """Further servers to ask at the start, should the first be away. The cluster names the rest."""

    @classmethod
    def of(cls, url: str) -> "ClusterAddress":
        """`redis+cluster://user:password@host:port,host:port`, with `rediss` for TLS."""
        parts = urlsplit(url)
        if parts.path.strip("/") not in ("", "0"):
            raise BadAddress("a cluster has no other database than 0")
        login, at, places = parts.netloc.rpartition("@")
        first, *others = map(_host_and_port, places.split(","))
        host, port = first
        netloc = f"{login}{at}{f'[{host}]' if ':' in host else host}:{port}"
        return cls(urlunsplit((_SCHEMES[parts.scheme], netloc, "", parts.query, "")), tuple(others))


def _host_and_port(place: str) -> tuple[str, int]:
    bracket = place.rfind("]")
    host, _, port = place.rpartition(":") if ":" in place[bracket + 1 :] else (place, ":", _PORT)
    if not host.strip("[]") or not port.isdigit():
        raise BadAddress("it names servers as host:port, with a comma between two")
    return host.strip("[]"), int(port)
