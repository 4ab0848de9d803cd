"""The host of a URL: an address literal in its one canonical spelling, or a DNS name in A-label form.

Everything else is refused. `127.1`, `0x7f000001`, `①②⑦.⓪.⓪.①` and `127.0.0.1.` all mean loopback to some
resolver, so a name whose last label is numeric must be a canonical dotted quad, judged after Unicode mapping.
"""

import ipaddress
import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

import idna

MAX_NAME_CHARS = 253

_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)
_NUMERIC_LABEL = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
_DOTTED_QUAD = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}", re.ASCII)


class HostInvalid(ValueError):
    """The text is no host we would dial."""


@dataclass(frozen=True)
class Host:
    name: str
    """Lower-case A-labels without the root dot, or the address in canonical text (no brackets)."""
    address: IPv4Address | IPv6Address | None
    """Set when the URL names an address; then nothing is looked up."""

    def in_authority(self) -> str:
        return f"[{self.name}]" if isinstance(self.address, IPv6Address) else self.name


def parse_host(text: str) -> Host:
    if text.startswith("["):
        return _bracketed(text)
    name = _to_ascii(text)
    rooted = name.endswith(".")
    name = name.removesuffix(".")
    labels = name.split(".")
    if _NUMERIC_LABEL.fullmatch(labels[-1]):
        return _dotted_quad(name, rooted=rooted)
    if len(name) > MAX_NAME_CHARS or not all(_LABEL.fullmatch(label) for label in labels):
        raise HostInvalid("The host is not a well-formed DNS name.")
    return Host(name, None)


def _bracketed(text: str) -> Host:
    if not text.endswith("]") or "%" in text:
        raise HostInvalid("The host is not a well-formed IPv6 address.")
    try:
        address = IPv6Address(text[1:-1])
    except ipaddress.AddressValueError as error:
        raise HostInvalid("The host is not a well-formed IPv6 address.") from error
    return Host(str(address), address)


def _dotted_quad(name: str, *, rooted: bool) -> Host:
    try:
        address = IPv4Address(name) if _DOTTED_QUAD.fullmatch(name) and not rooted else None
    except ipaddress.AddressValueError:
        address = None
    if address is None:
        raise HostInvalid("A numeric host must be an IPv4 address in its usual dotted form.")
    return Host(str(address), address)


def _to_ascii(text: str) -> str:
    """UTS 46 without transitional mappings, then IDNA 2008. An `xn--` label must decode to a name it
    encodes."""
    lowered = text.lower() if text.isascii() else text
    if lowered.isascii() and "xn--" not in lowered:
        return lowered
    try:
        return idna.encode(lowered, uts46=True, std3_rules=True).decode("ascii")
    except (idna.IDNAError, UnicodeError) as error:
        raise HostInvalid("The host is not a valid internationalised name.") from error
