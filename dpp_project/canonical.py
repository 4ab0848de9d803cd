"""RFC 8785 canonical JSON and the SHA-256 over it: the one serialisation that is hashed, signed and stored."""

import hashlib
from collections.abc import Mapping
from typing import Any

import rfc8785


class NotCanonical(ValueError):
    """The value has no RFC 8785 form: an integer beyond 2^53 - 1, a lone surrogate, NaN or Infinity."""


def canonical_bytes(value: Any) -> bytes:
    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, RecursionError) as error:
        raise NotCanonical(str(error)) from error


def canonical_object(members: Mapping[str, bytes]) -> bytes:
    """The object of these members, each already in canonical form. Their names are ASCII words of ours."""
    return b"{%s}" % b",".join(b'"%s":%s' % (name.encode(), members[name]) for name in sorted(members))


def sha256_hex(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def canonical_sha256(value: Any) -> str:
    return sha256_hex(canonical_bytes(value))
