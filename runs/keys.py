"""API keys: `dpp_sk_` + 27 base62 characters (160 bits) + a 6-character checksum. Kept only as a hash."""

import hashlib
import hmac
import secrets
import string
import zlib
from datetime import datetime, timedelta

from django.db.models import Q

from runs.models import ApiKey, Tenant

_ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
_SCHEME = "dpp_sk_"
_RANDOM_CHARS = 27  # 62^27 > 2^160
_CHECKSUM_CHARS = 6  # 62^6 > 2^32
_LENGTH = len(_SCHEME) + _RANDOM_CHARS + _CHECKSUM_CHARS
_PREFIX_CHARS = len(_SCHEME) + 8
_LAST_USED_STEP = timedelta(minutes=1)


def issue(tenant: Tenant, *, label: str = "", expires_at: datetime | None = None) -> tuple[ApiKey, str]:
    """A new key and its text, which is shown now and never again."""
    random_part = "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM_CHARS))
    text = _SCHEME + random_part + _checksum(random_part)
    key = ApiKey.objects.create(
        tenant=tenant, key_hash=_hash(text), prefix=text[:_PREFIX_CHARS], label=label, expires_at=expires_at
    )
    return key, text


def revoke(key: ApiKey) -> None:
    ApiKey.objects.filter(pk=key.pk).update(status=ApiKey.Status.REVOKED)


def find(text: str, *, now: datetime) -> ApiKey | None:
    """The usable key with this text, with its tenant. A wrong checksum is refused without a database call."""
    if not is_well_formed(text):
        return None
    digest = _hash(text)
    # Found by its public prefix, decided by a comparison that takes the same time whatever differs.
    for key in ApiKey.objects.select_related("tenant").filter(prefix=text[:_PREFIX_CHARS]):
        if hmac.compare_digest(key.key_hash, digest) and _is_usable(key, now):
            return key
    return None


def touch(key: ApiKey, *, now: datetime) -> None:
    """Note the use, at most once a minute a key."""
    if key.last_used_at is None or key.last_used_at <= now - _LAST_USED_STEP:
        unused = Q(last_used_at__isnull=True) | Q(last_used_at__lte=now - _LAST_USED_STEP)
        ApiKey.objects.filter(unused, pk=key.pk).update(last_used_at=now)


def is_well_formed(text: str) -> bool:
    if len(text) != _LENGTH or not text.startswith(_SCHEME) or not text.isascii():
        return False
    body = text[len(_SCHEME) :]
    return hmac.compare_digest(_checksum(body[:_RANDOM_CHARS]), body[_RANDOM_CHARS:])


def _is_usable(key: ApiKey, now: datetime) -> bool:
    return key.status == ApiKey.Status.ACTIVE and (key.expires_at is None or key.expires_at > now)


def _hash(text: str) -> str:
    # 160 random bits need no slow hash: there is nothing to guess.
    return hashlib.sha256(text.encode()).hexdigest()


def _checksum(random_part: str) -> str:
    number, chars = zlib.crc32(random_part.encode()), ""
    for _ in range(_CHECKSUM_CHARS):
        number, digit = divmod(number, len(_ALPHABET))
        chars = _ALPHABET[digit] + chars
    return chars
