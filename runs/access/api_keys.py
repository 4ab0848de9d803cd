"""API keys (`key_text` says what they look like), kept only as a hash.

Looked up through a cache of the process that is at most `FRESH_SEC` old: a revocation works everywhere within 5 s.
"""

import hashlib
import hmac
import threading
import time
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet

from dpp_project.ttl_cache import TtlCache
from runs.access import key_budgets
from runs.access.key_budgets import Limits
from runs.access.key_restrictions import Restrictions
from runs.access.key_text import is_well_formed, new_text, prefix_of
from runs.models import ApiKey, Tenant

# What a key looks like belongs to what is done with keys; only who has no database takes it from `key_text`.
__all__ = ["is_well_formed", "new_text", "prefix_of"]

UNRESTRICTED = Restrictions()
UNLIMITED = Limits()

_LAST_USED_STEP = timedelta(minutes=1)

# Revocation, suspension and changed limits are seen by every process after this time. The contract allows 5 s.
FRESH_SEC = 4.0
_PREFIXES_FRESH_SEC = 5.0

# Rows by their public prefix. Rows are shared between threads and only read, but for `last_used_at`.
_cache: TtlCache[str, tuple[ApiKey, ...]] = TtlCache(FRESH_SEC, most=10_000)
# The prefixes of all active keys.
_prefixes: TtlCache[None, frozenset[str]] = TtlCache(_PREFIXES_FRESH_SEC, most=1)
_prefixes_lock = threading.Lock()


def issue(
    tenant: Tenant,
    *,
    label: str = "",
    expires_at: datetime | None = None,
    restrictions: Restrictions = UNRESTRICTED,
    limits: Limits = UNLIMITED,
    may_create_keys: bool = False,
) -> tuple[ApiKey, str]:
    """A new key and its text, which is shown now and never again."""
    with transaction.atomic():
        budget = key_budgets.make(tenant.pk, limits)
        return add(
            tenant,
            label=label,
            expires_at=expires_at,
            budget=budget,
            may_create_keys=may_create_keys,
            **restrictions.columns(),
        )


def add(tenant: Tenant, **columns: Any) -> tuple[ApiKey, str]:
    """A row with a new text."""
    text = new_text()
    key = ApiKey.objects.create(tenant=tenant, key_hash=_hash(text), prefix=prefix_of(text), **columns)
    return key, text


def rotate(
    old: ApiKey,
    *,
    overlap: timedelta,
    now: datetime,
    label: str | None = None,
    expires_at: datetime | None = None,
    restrictions: Restrictions | None = None,
) -> tuple[ApiKey, str]:
    """A new key for the tenant; the old one works on for the overlap, so that nothing breaks in between.

    The new one may do what the old one may, unless other restrictions are given. It takes the old one's place: both
    spend from one budget, and the keys that the old one made are the new one's.
    """
    ends = now + overlap
    if old.expires_at is None or old.expires_at > ends:  # one that was to end earlier is not given more time
        old.expires_at = ends
    with transaction.atomic():
        ApiKey.objects.filter(pk=old.pk).update(expires_at=old.expires_at)
        fresh, text = add(
            old.tenant,
            label=old.label if label is None else label,
            expires_at=expires_at,
            parent_id=old.parent_id,
            budget_id=old.budget_id,
            may_create_keys=old.may_create_keys,
            **(restrictions or Restrictions.of(old)).columns(),
        )
        ApiKey.objects.filter(parent=old).update(parent=fresh)
        return fresh, text


def revoke(key: ApiKey) -> bool:
    """It, and all keys that were made with it. False if it was revoked before. Seen by this process at once, by all
    others within 5 s."""
    with transaction.atomic():
        revoked = _revoke(ApiKey.objects.filter(pk=key.pk))
        level = revoked or [key]
        # Level by level, each in a statement of its own: whoever makes a key holds its maker's row meanwhile.
        while level:
            level = _revoke(ApiKey.objects.filter(parent__in=level))
            revoked += level
    for one in (key, *revoked):
        _cache.forget(one.prefix)
    return key.pk in {one.pk for one in revoked}


def _revoke(keys: QuerySet[ApiKey]) -> list[ApiKey]:
    active = list(keys.filter(status=ApiKey.Status.ACTIVE).order_by("key_id").select_for_update())
    ApiKey.objects.filter(pk__in=[key.pk for key in active]).update(status=ApiKey.Status.REVOKED)
    return active


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
    return _usable(_cache.fresh(prefix) or _load(prefix), text, now)


def find_cached(text: str, *, now: datetime) -> ApiKey | None:
    """As `find`, but only among the keys this process has looked up in the last seconds."""
    return _usable(_cache.fresh(prefix_of(text)) or (), text, now) if is_well_formed(text) else None


def is_touched(key: ApiKey, *, now: datetime) -> bool:
    """Whether its use within this minute is noted."""
    return key.last_used_at is not None and key.last_used_at > now - _LAST_USED_STEP


def touch(key: ApiKey, *, now: datetime) -> None:
    """Note the use, at most once a minute a key."""
    if not is_touched(key, now=now):
        unused = Q(last_used_at__isnull=True) | Q(last_used_at__lte=now - _LAST_USED_STEP)
        ApiKey.objects.filter(unused, pk=key.pk).update(last_used_at=now)
        key.last_used_at = now


def prefix_is_known(text: str) -> bool:
    """Whether some active key has this text's prefix. A key issued in the last seconds may not be known yet.

    While an address floods the API with keys that do not exist, its keys are first looked for here: one query per
    `_PREFIXES_FRESH_SEC`, whatever the flood, and a customer behind the same address still gets in.
    """
    with _prefixes_lock:
        known = _prefixes.fresh(None)
        if known is None:
            began = time.monotonic()
            active = ApiKey.objects.filter(status=ApiKey.Status.ACTIVE)
            known = frozenset(active.values_list("prefix", flat=True))
            _prefixes.put(None, known, read_at=began)
        return prefix_of(text) in known


def _load(prefix: str) -> tuple[ApiKey, ...]:
    began = time.monotonic()
    rows = tuple(ApiKey.objects.select_related("tenant__plan").filter(prefix=prefix))
    if rows:  # never an empty answer: the key may be issued in the next moment, and a flood would fill the cache
        _cache.put(prefix, rows, read_at=began)
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
