"""The journal and the balance row: PostgreSQL's side of money. Every function runs in the caller's transaction.

The balance row is updated first: it is the tenant's lock, and `available >= 0` is decided there, whatever Redis says.
Lock order everywhere: run, then balance row.
"""

from uuid import UUID

from django.db import connection, transaction
from django.db.models import F, Sum

from budget.exceptions import BalanceTooLarge, InsufficientFunds, ReservationVoided
from budget.models import ENDINGS, EntryKind, LedgerEntry, TenantBalance, VoidedReservation
from dpp_project.money import MAX_BALANCE, Micros

# RETURNING saves a round trip: the caller shows the balance it left behind.
_TAKE = """
    UPDATE tenant_balances SET available_usd_micros = available_usd_micros - %s
    WHERE tenant_id = %s AND available_usd_micros >= %s
    RETURNING available_usd_micros
"""


def reserve(tenant_id: str, run_id: UUID, amount: Micros) -> Micros:
    """RESERVE: in the transaction that inserts the run. Returns what is available afterwards."""
    _in_transaction()
    with connection.cursor() as cursor:
        cursor.execute(_TAKE, [amount, tenant_id, amount])
        row = cursor.fetchone()
    if row is None:
        raise InsufficientFunds(available=available(tenant_id), required=amount)
    # Under the row lock that the sweeper takes too: either it sees our run, or we see its void.
    if VoidedReservation.objects.filter(run_id=run_id).exists():
        raise ReservationVoided(str(run_id))
    _write(EntryKind.RESERVE, tenant_id, run_id, Micros(-amount))
    return Micros(row[0])


def settle(tenant_id: str, run_id: UUID, refund: Micros) -> None:
    """SETTLE: the part of the reservation that was not charged comes back. With the terminal commit."""
    _end(EntryKind.SETTLE, tenant_id, run_id, refund)


def refund(tenant_id: str, run_id: UUID, reserved: Micros) -> None:
    """REFUND: the whole reservation comes back. With the terminal commit."""
    _end(EntryKind.REFUND, tenant_id, run_id, reserved)


def credit(tenant_id: str, amount: Micros, *, reference: str, note: str) -> bool:
    """CREDIT: a top-up. False if this reference has been credited before."""
    _in_transaction()
    lock(tenant_id)
    if LedgerEntry.objects.filter(reference=reference).exists():
        return False
    if available(tenant_id) + amount > MAX_BALANCE:
        raise BalanceTooLarge(f"{tenant_id}: a balance may not pass {MAX_BALANCE} micros")
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


def _end(kind: EntryKind, tenant_id: str, run_id: UUID, returned: Micros) -> None:
    _in_transaction()
    TenantBalance.objects.filter(tenant_id=tenant_id).update(available_usd_micros=F("available_usd_micros") + returned)
    _write(kind, tenant_id, run_id, returned)


def _write(kind: EntryKind, tenant_id: str, run_id: UUID, amount: Micros) -> None:
    LedgerEntry.objects.create(tenant_id=tenant_id, run_id=run_id, kind=kind, amount_usd_micros=amount)


def _in_transaction() -> None:
    assert transaction.get_connection().in_atomic_block, "the journal is written with what it records, or not at all"
