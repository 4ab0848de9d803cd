"""The journal and the balance row: PostgreSQL's side of money. Every function runs in the caller's transaction.

RESERVE is written by the function that accepts a run (`dpp_accept_run`), SETTLE and REFUND by the statement that ends
it. The balance row is the tenant's lock, and `available >= 0` is decided there, whatever Redis says. Lock order
everywhere: run, then balance row.
"""

from collections.abc import Sequence
from typing import Any, cast
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F

from budget.exceptions import BalanceTooLarge, ReferenceUsed
from budget.models import ENDINGS, EntryKind, LedgerEntry, TenantBalance
from dpp_project.money import MAX_BALANCE, Micros

_TOTAL = """
    WITH verified AS (
        SELECT coalesce(max(sequence), 0) AS sequence, coalesce(max(total_usd_micros), 0) AS total
        FROM ledger_checkpoints WHERE tenant_id = %s
    )
    SELECT total + coalesce((SELECT sum(amount_usd_micros) FROM ledger_entries AS entry
                             WHERE entry.tenant_id = %s AND entry.sequence > verified.sequence), 0)
    FROM verified
"""


def credit(tenant_id: str, amount: Micros, *, reference: str, note: str) -> bool:
    """CREDIT: a top-up. False if this very credit stands already under this reference."""
    _in_transaction()
    lock(tenant_id)
    standing = LedgerEntry.objects.filter(reference=reference).values_list("tenant_id", "amount_usd_micros").first()
    if standing == (tenant_id, amount):
        return False
    if standing is not None:
        raise ReferenceUsed(f"{reference!r} has been credited before, to another tenant or with another amount")
    # What live runs hold may come back whole, and must fit then too.
    held = sum(reserved for _, reserved in live_reservations(tenant_id))
    if available(tenant_id) + held + amount > MAX_BALANCE:
        raise BalanceTooLarge(f"{tenant_id}: available and held together may not pass {MAX_BALANCE} micros")
    TenantBalance.objects.filter(tenant_id=tenant_id).update(available_usd_micros=F("available_usd_micros") + amount)
    LedgerEntry.objects.create(
        tenant_id=tenant_id, kind=EntryKind.CREDIT, amount_usd_micros=amount, reference=reference, note=note
    )
    return True


def lock(tenant_id: str) -> None:
    """Take the tenant's row lock. What must be seen under it is read in a later statement."""
    _in_transaction()
    if not TenantBalance.objects.select_for_update().filter(tenant_id=tenant_id).exists():
        TenantBalance.objects.get_or_create(tenant_id=tenant_id)
        TenantBalance.objects.select_for_update().get(tenant_id=tenant_id)


def available(tenant_id: str) -> Micros:
    row = TenantBalance.objects.filter(tenant_id=tenant_id).values_list("available_usd_micros", flat=True).first()
    return Micros(row or 0)


def live_reservations(tenant_id: str) -> list[tuple[UUID, Micros]]:
    """What the tenant's live runs hold. Joined over the run, whose partial index of live runs keeps this small."""
    rows = LedgerEntry.objects.filter(
        kind=EntryKind.RESERVE, run__tenant_id=tenant_id, run__status__in=_live_statuses()
    ).values_list("run_id", "amount_usd_micros")
    return [(run_id, Micros(-amount)) for run_id, amount in rows]


def _live_statuses() -> Sequence[str]:
    """What the run itself calls live: the ledger knows the foreign key, not the states behind it."""
    run: Any = LedgerEntry._meta.get_field("run").related_model
    return cast(Sequence[str], run.LIVE)


def journal_sum(tenant_id: str) -> Micros:
    """What the journal says is available: as far as the audit has verified it, and everything after that."""
    with connection.cursor() as cursor:
        cursor.execute(_TOTAL, [tenant_id, tenant_id])
        return Micros(int(cursor.fetchone()[0]))


def ending_of(run_id: UUID) -> tuple[Micros, Micros] | None:
    """(charge, refund) of an ended run, from the journal; None while it is live."""
    of_run = LedgerEntry.objects.filter(run_id=run_id)
    returned = of_run.filter(kind__in=ENDINGS).values_list("amount_usd_micros", flat=True).first()
    if returned is None:
        return None
    reserved = -of_run.values_list("amount_usd_micros", flat=True).get(kind=EntryKind.RESERVE)
    return Micros(reserved - returned), Micros(returned)


def _in_transaction() -> None:
    assert transaction.get_connection().in_atomic_block, "the journal is written with what it records, or not at all"
