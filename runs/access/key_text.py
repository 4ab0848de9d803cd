"""What an API key looks like: `dpp_sk_` + 27 base62 characters (160 bits) + a 6-character checksum.

Knows no database: the MCP gateway, which has none, refuses with it what cannot be a key.
"""

import hmac
import secrets
import string
import zlib

_ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
_SCHEME = "dpp_sk_"
_RANDOM_CHARS = 27  # 62^27 > 2^160
_CHECKSUM_CHARS = 6  # 62^6 > 2^32
_LENGTH = len(_SCHEME) + _RANDOM_CHARS + _CHECKSUM_CHARS
_PREFIX_CHARS = len(_SCHEME) + 8


def new_text() -> str:
    """The text of a key that nobody has yet."""
    random_part = "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM_CHARS))
    return _SCHEME + random_part + _checksum(random_part)


def is_well_formed(text: str) -> bool:
    if len(text) != _LENGTH or not text.startswith(_SCHEME) or not text.isascii():
        return False
    body = text[len(_SCHEME) :]
    return hmac.compare_digest(_checksum(body[:_RANDOM_CHARS]), body[_RANDOM_CHARS:])


def prefix_of(text: str) -> str:
    """The part of a key that may be shown."""
    return text[:_PREFIX_CHARS]


def _checksum(random_part: str) -> str:
    number, chars = zlib.crc32(random_part.encode()), ""
    for _ in range(_CHECKSUM_CHARS):
        number, digit = divmod(number, len(_ALPHABET))
        chars = _ALPHABET[digit] + chars
    return chars
