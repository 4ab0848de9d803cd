"""Which secrets are too weak for production. A process that finds one does not start."""

import math
from collections import Counter

# Words of examples, of our own development set-ups, and of people in a hurry.
_TELLTALES = (
    "only-for-",
    "changeme",
    "change-me",
    "example",
    "insecure",
    "password",
    "secret",
    "default",
    "12345",
)
_SECRET_KEY_CHARS = 50
_SECRET_KEY_BITS = 150
_PASSWORD_CHARS = 16
_PASSWORD_BITS = 45


def secret_key_weakness(text: str) -> str | None:
    """Why it cannot sign sessions and cache entries; None if it can."""
    return _weakness(text, least_chars=_SECRET_KEY_CHARS, least_bits=_SECRET_KEY_BITS)


def password_weakness(text: str, *, user: str = "") -> str | None:
    """Of a server. No password at all is not ours to judge: certificates, IAM and `.pgpass` need none."""
    if not text:
        return None
    if user and text.lower() == user.lower():
        return "is the user's name"
    return _weakness(text, least_chars=_PASSWORD_CHARS, least_bits=_PASSWORD_BITS)


def _weakness(text: str, *, least_chars: int, least_bits: int) -> str | None:
    if len(text) < least_chars:
        return f"has fewer than {least_chars} characters"
    telltale = next((word for word in _TELLTALES if word in text.lower()), None)
    if telltale is not None:
        return f"contains {telltale!r}, as examples do"
    if _bits(text) < least_bits:
        return "repeats few characters"
    return None


def _bits(text: str) -> float:
    """What its characters are worth if each were drawn as often as it occurs: little for `aaaa…` and `abababab…`."""
    counts = Counter(text)
    return -sum(count * math.log2(count / len(text)) for count in counts.values())
