"""Keys that a key makes: each may do at most what its maker may, and what it spends counts for its maker too.

A key sees and revokes itself and what is below it, and nothing else of its tenant.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from runs.access import api_keys, key_budgets
from runs.access.key_budgets import Limits
from runs.models import ApiKey

MAX_KEYS_PER_TENANT = 1_000
MAX_LEVELS = 8

_FAMILY = """
    WITH RECURSIVE family AS (
        SELECT key_id, 0 AS level FROM api_keys WHERE key_id = %s
        UNION ALL
        SELECT child.key_id, family.level + 1 FROM api_keys AS child JOIN family ON child.parent_id = family.key_id
    )
    SELECT api_keys.* FROM api_keys JOIN family USING (key_id)
    WHERE status = 'ACTIVE' AND (expires_at IS NULL OR expires_at > statement_timestamp())
    ORDER BY family.level, created_at, key_id
"""


class SubKeyRefused(Exception):
    """The maker may not make such a key. The message says why."""


class MayNotMakeKeys(SubKeyRefused):
    """The maker makes no keys at all."""


class TooManyKeys(SubKeyRefused):
    """Its tenant has as many as it may have, or they are nested too deeply."""


@dataclass(frozen=True)
class WantedKey:
    """None: as the maker has it."""

    label: str = ""
    limits: Limits = api_keys.UNLIMITED
    packs: tuple[str, ...] | None = None
    read_only: bool = False
    expires_at: datetime | None = None
    may_create_keys: bool = False


def make(maker: ApiKey, wanted: WantedKey, *, now: datetime) -> tuple[ApiKey, str]:
    """A key below the maker, and its text, which is shown now and never again. Raises `SubKeyRefused`."""
    with transaction.atomic():
        # Held until the key is there: a revocation that comes meanwhile then finds it, one that came before is seen.
        maker = ApiKey.objects.select_for_update(of=("self",)).select_related("tenant", "budget").get(pk=maker.pk)
        if not maker.may_create_keys or maker.status != ApiKey.Status.ACTIVE:
            raise MayNotMakeKeys("This key makes no keys.")
        _check_room(maker)
        budget = key_budgets.make(maker.tenant_id, wanted.limits, above=maker.budget)
        return api_keys.add(
            maker.tenant,
            parent=maker,
            budget=budget,
            label=wanted.label,
            packs=_packs(maker, wanted),
            read_only=wanted.read_only,
            allowed_networks=maker.allowed_networks,
            expires_at=_expiry(maker, wanted, now),
            may_create_keys=wanted.may_create_keys,
        )


def family(key: ApiKey) -> list[ApiKey]:
    """The key and all usable keys below it, makers before what they made."""
    return list(ApiKey.objects.raw(_FAMILY, [key.pk]).prefetch_related("budget"))


def revoke(key: ApiKey, wanted: UUID) -> bool:
    """Revoke itself or a key below it, with all that is below that one. False if it is no such key."""
    found = next((one for one in family(key) if one.pk == wanted), None)
    if found is None:
        return False
    api_keys.revoke(found)
    return True


def _check_room(maker: ApiKey) -> None:
    if ApiKey.objects.filter(tenant=maker.tenant_id, status=ApiKey.Status.ACTIVE).count() >= MAX_KEYS_PER_TENANT:
        raise TooManyKeys(f"A tenant has at most {MAX_KEYS_PER_TENANT} keys: revoke those that nobody uses.")
    above, level = maker, 1
    while above.parent is not None:
        above, level = above.parent, level + 1
    if level >= MAX_LEVELS:
        raise TooManyKeys(f"Keys are made at most {MAX_LEVELS} levels deep.")


def _packs(maker: ApiKey, wanted: WantedKey) -> list[str] | None:
    if wanted.packs is None:
        return None if wanted.read_only else maker.packs
    beyond = sorted(set(wanted.packs) - set(maker.packs)) if maker.packs else []
    if beyond:
        raise SubKeyRefused(f"This key may not submit {beyond[0]}, so no key below it may.")
    return sorted(set(wanted.packs))


def _expiry(maker: ApiKey, wanted: WantedKey, now: datetime) -> datetime | None:
    if wanted.expires_at is None:
        return maker.expires_at
    if wanted.expires_at <= now:
        raise SubKeyRefused("expires_at must be in the future.")
    if maker.expires_at is not None and wanted.expires_at > maker.expires_at:
        raise SubKeyRefused("This key expires earlier, and no key below it lives longer.")
    return wanted.expires_at
