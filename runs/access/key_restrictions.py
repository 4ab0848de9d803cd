"""What a single API key may do less than its tenant: some packs, reading only, some addresses.

Everything is in the key's row, which the process has in memory: a check costs no round trip.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_network
from typing import Any

from packs.registry import PACKS
from runs.models import ApiKey

IPAddress = IPv4Address | IPv6Address
MAX_NETWORKS = 50


class BadRestriction(ValueError):
    """The message says which part is wrong."""


@dataclass(frozen=True)
class Restrictions:
    packs: tuple[str, ...] = ()
    read_only: bool = False
    networks: tuple[str, ...] = ()

    @classmethod
    def read(
        cls, *, packs: Sequence[str] = (), read_only: bool = False, networks: Sequence[str] = ()
    ) -> "Restrictions":
        """From what an operator wrote. Raises `BadRestriction`."""
        unknown = sorted(set(packs) - set(PACKS))
        if unknown:
            raise BadRestriction(f"There is no pack {unknown[0]!r}; there are {', '.join(sorted(PACKS))}.")
        if packs and read_only:
            raise BadRestriction("A key that only reads submits no packs.")
        if len(networks) > MAX_NETWORKS:
            raise BadRestriction(f"At most {MAX_NETWORKS} networks.")
        return cls(tuple(sorted(set(packs))), read_only, tuple(_network(text) for text in networks))

    @classmethod
    def of(cls, key: ApiKey) -> "Restrictions":
        return cls(tuple(key.packs or ()), key.read_only, tuple(key.allowed_networks or ()))

    def columns(self) -> dict[str, Any]:
        return {
            "packs": list(self.packs) or None,
            "read_only": self.read_only,
            "allowed_networks": list(self.networks) or None,
        }

    def shown(self) -> str:
        """In words, for operators; empty without restrictions."""
        parts = [
            "read only" if self.read_only else "",
            f"packs {', '.join(self.packs)}" if self.packs else "",
            f"from {', '.join(self.networks)}" if self.networks else "",
        ]
        return "; ".join(part for part in parts if part)


def is_allowed_from(key: ApiKey, address: IPAddress | None) -> bool:
    """An address that cannot be told is in no network."""
    if not key.allowed_networks:
        return True
    return address is not None and any(address in ip_network(text) for text in key.allowed_networks)


def _network(text: str) -> str:
    try:
        return str(ip_network(text.strip()))
    except ValueError as error:
        raise BadRestriction(f"{text.strip()!r} is no network such as 203.0.113.0/24 or 2001:db8::/48.") from error
