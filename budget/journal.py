"""The journal and the balance row: PostgreSQL's side of money. Every function runs in the caller's transaction.

RESERVE is written by the function that accepts a run (`dpp_accept_run`), SETTLE and REFUND by the statement that ends
it. The balance row is the tenant's lock, and `available >= 0` is decided there, whatever Redis says. Lock order
everywhere: run, then balance row.
"""

from uuid import UUID

from django.db import transaction
from django.db.models import F, Sum

from budget.exceptions import BalanceTooLarge
from budget.models import ENDINGS, EntryKind, LedgerEntry, TenantBalance
from dpp_project.money import MAX_BALANCE, Micros

_LIVE = ("QUEUED", "PROCESSING")

# A run's ending, as a part of the statement that commits it: `won` is the run's row, or nothing for a loser.
# Parameters: what comes back, the entry's kind, what comes back.
ENDING = """
    paid AS (
        UPDATE tenant_balances SET available_usd_micros = available_usd_micros + %s
        FROM won WHERE tenant_balances.tenant_id = won.tenant_id
    ), entered AS (
        INSERT INTO ledger_entries (tenant_id, run_id, kind, amount_usd_micros, note, created_at)
        SELECT tenant_id, run_id, %s::text, %s, '', clock_timestamp() FROM won
    )
"""


def credit(tenant_id: str, amount: Micros, *, reference: str, note: str) -> bool:
    """CREDIT: a top-up. False if this reference has been credited before."""
    _in_transaction()
    lock(tenant_id)
    if LedgerEntry.objects.filter(reference=reference).exists():
        return False
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
        kind=EntryKind.RESERVE, run__tenant_id=tenant_id, run__status__in=_LIVE
    ).values_list("run_id", "amount_usd_micros")
    return [(run_id, Micros(-amount)) for run_id, amount in rows]


def journal_sum(tenant_id: str) -> Micros:
    total = LedgerEntry.objects.filter(tenant_id=tenant_id).aggregate(total=Sum("amount_usd_micros"))["total"]
    return Micros(total or 0)


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
