"""API keys: `dpp_sk_` + 27 base62 characters (160 bits) + a 6-character checksum. Kept only as a hash.

Looked up through a cache of the process that is at most `_FRESH_SEC` old: a revocation works everywhere within 5 s.
"""

import hashlib
import hmac
import secrets
import string
import time
import zlib
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from runs.models import ApiKey, Tenant

_ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
_SCHEME = "dpp_sk_"
_RANDOM_CHARS = 27  # 62^27 > 2^160
_CHECKSUM_CHARS = 6  # 62^6 > 2^32
_LENGTH = len(_SCHEME) + _RANDOM_CHARS + _CHECKSUM_CHARS
_PREFIX_CHARS = len(_SCHEME) + 8
_LAST_USED_STEP = timedelta(minutes=1)

# Revocation, suspension and changed limits are seen by every process after this time. The contract allows 5 s.
_FRESH_SEC = 4.0
_MOST_CACHED = 10_000


def issue(tenant: Tenant, *, label: str = "", expires_at: datetime | None = None) -> tuple[ApiKey, str]:
    """A new key and its text, which is shown now and never again."""
    text = new_text()
    key = ApiKey.objects.create(
        tenant=tenant, key_hash=_hash(text), prefix=prefix_of(text), label=label, expires_at=expires_at
    )
    return key, text


def new_text() -> str:
    """The text of a key that nobody has yet."""
    random_part = "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM_CHARS))
    return _SCHEME + random_part + _checksum(random_part)


def rotate(
    old: ApiKey, *, overlap: timedelta, now: datetime, label: str | None = None, expires_at: datetime | None = None
) -> tuple[ApiKey, str]:
    """A new key for the tenant; the old one works on for the overlap, so that nothing breaks in between."""
    ends = now + overlap
    if old.expires_at is None or old.expires_at > ends:  # one that was to end earlier is not given more time
        old.expires_at = ends
    with transaction.atomic():
        ApiKey.objects.filter(pk=old.pk).update(expires_at=old.expires_at)
        return issue(old.tenant, label=old.label if label is None else label, expires_at=expires_at)


def revoke(key: ApiKey) -> bool:
    """False if it was revoked before. Seen by this process at once, by all others within 5 s."""
    revoked = ApiKey.objects.filter(pk=key.pk, status=ApiKey.Status.ACTIVE).update(status=ApiKey.Status.REVOKED)
    _cache.pop(key.prefix, None)
    return revoked == 1


def named(text: str) -> ApiKey | None:
    """The key an operator means by its id or prefix; a whole key is as good as its prefix."""
    try:
        wanted = Q(pk=UUID(text))
    except ValueError:
        wanted = Q(prefix=prefix_of(text))
    found = ApiKey.objects.select_related("tenant").filter(wanted)[:2]
    # Two keys with the same eight random characters will not happen; if they do, the id must be named.
    return found[0] if len(found) == 1 else None


def find(text: str, *, now: datetime) -> ApiKey | None:
    """The usable key with this text, with its tenant. A wrong checksum is refused without a database call."""
    if not is_well_formed(text):
        return None
    prefix = prefix_of(text)
    return _usable(_cached(prefix) or _load(prefix), text, now)


def find_cached(text: str, *, now: datetime) -> ApiKey | None:
    """As `find`, but only among the keys this process has looked up in the last seconds."""
    return _usable(_cached(prefix_of(text)), text, now) if is_well_formed(text) else None


def is_touched(key: ApiKey, *, now: datetime) -> bool:
    """Whether its use within this minute is noted."""
    return key.last_used_at is not None and key.last_used_at > now - _LAST_USED_STEP


def touch(key: ApiKey, *, now: datetime) -> None:
    """Note the use, at most once a minute a key."""
    if not is_touched(key, now=now):
        unused = Q(last_used_at__isnull=True) | Q(last_used_at__lte=now - _LAST_USED_STEP)
        ApiKey.objects.filter(unused, pk=key.pk).update(last_used_at=now)
        key.last_used_at = now


def is_well_formed(text: str) -> bool:
    if len(text) != _LENGTH or not text.startswith(_SCHEME) or not text.isascii():
        return False
    body = text[len(_SCHEME) :]
    return hmac.compare_digest(_checksum(body[:_RANDOM_CHARS]), body[_RANDOM_CHARS:])


def prefix_of(text: str) -> str:
    """The part of a key that may be shown."""
    return text[:_PREFIX_CHARS]


# Rows by their public prefix. Rows are shared between threads and only read, but for `last_used_at`.
_cache: dict[str, tuple[float, tuple[ApiKey, ...]]] = {}


def _cached(prefix: str) -> tuple[ApiKey, ...]:
    loaded_at, rows = _cache.get(prefix, (0.0, ()))
    return rows if 0 <= time.monotonic() - loaded_at < _FRESH_SEC else ()


def _load(prefix: str) -> tuple[ApiKey, ...]:
    # The time before the query: what is revoked while it runs must not count as fresh from its end.
    began = time.monotonic()
    rows = tuple(ApiKey.objects.select_related("tenant").filter(prefix=prefix))
    if rows:  # never an empty answer: the key may be issued in the next moment, and a flood would fill the cache
        if len(_cache) >= _MOST_CACHED:
            _cache.clear()
        _cache[prefix] = (began, rows)
    return rows


def _usable(rows: tuple[ApiKey, ...], text: str, now: datetime) -> ApiKey | None:
    """Found by the public prefix, decided by a comparison that takes the same time whatever differs."""
    digest = _hash(text)
    for key in rows:
        if hmac.compare_digest(key.key_hash, digest) and _is_active(key, now):
            return key
    return None


def _is_active(key: ApiKey, now: datetime) -> bool:
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
