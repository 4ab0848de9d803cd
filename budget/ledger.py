"""The ledger as the rest of the platform sees it: reserve, settle, refund, top up.

Redis answers fast; when it has forgotten, the tenant is rebuilt from the database and the call repeated once.
What stays unknown is `LedgerUnavailable` (try later) or `NoReservation` (an alarm): never a guess.
"""

import logging
from collections.abc import Callable
from typing import TypeVar
from uuid import UUID

import redis
from django.db import transaction

from budget import journal, scripts
from budget.alarms import alarm
from budget.exceptions import LedgerUnavailable, NoReservation
from budget.rebuild import rebuild
from budget.scripts import BalanceMissing, HoldMissing, Settlement
from dpp_project.logging import fields
from dpp_project.money import Micros

log = logging.getLogger("dpp.budget")

T = TypeVar("T")


def reserve(tenant_id: str, run_id: UUID, amount: Micros) -> Micros:
    return _healing(tenant_id, lambda: scripts.reserve(tenant_id, run_id, amount))


def settle(tenant_id: str, run_id: UUID, charge: Micros) -> Settlement:
    settlement = _ending(tenant_id, run_id, lambda: scripts.settle(tenant_id, run_id, charge))
    if settlement.charge != charge:
        alarm("settled_with_another_charge", tenant_id, run_id, asked=charge, stands=settlement.charge)
    return settlement


def refund_full(tenant_id: str, run_id: UUID) -> Settlement:
    return _ending(tenant_id, run_id, lambda: scripts.refund_full(tenant_id, run_id))


def top_up(tenant_id: str, amount: Micros, *, reference: str, note: str = "") -> bool:
    """Credit once per reference; False if it was credited before. Redis follows, at the latest by the audit."""
    if amount <= 0:
        raise ValueError("a top-up is a positive amount")
    with transaction.atomic():
        return _credit(tenant_id, amount, reference=reference, note=note)


def top_up_to(tenant_id: str, budget: Micros, *, reference: str, note: str = "") -> None:
    """Credit what is missing to the budget. Two at once: the second finds nothing missing."""
    with transaction.atomic():
        journal.lock(tenant_id)
        missing = budget - journal.available(tenant_id)
        if missing > 0:
            _credit(tenant_id, Micros(missing), reference=reference, note=note)


def _credit(tenant_id: str, amount: Micros, *, reference: str, note: str) -> bool:
    credited = journal.credit(tenant_id, amount, reference=reference, note=note)
    # Under the lock of the credit: nobody sees the books with it and Redis without it.
    try:
        rebuild(tenant_id)
    except LedgerUnavailable:
        log.warning("top_up_not_in_redis_yet", extra=fields(tenant_id=tenant_id))
    log.info(
        "top_up",
        extra=fields(tenant_id=tenant_id, amount_usd_micros=amount, reference=reference, credited=credited),
    )
    return credited


def known_balance(tenant_id: str) -> Micros:
    """What the tenant can spend, from the truth."""
    return journal.available(tenant_id)


def _ending(tenant_id: str, run_id: UUID, call: Callable[[], Settlement]) -> Settlement:
    try:
        return _healing(tenant_id, call)
    except HoldMissing:
        ending = journal.ending_of(run_id)
        if ending is None:
            alarm("no_reservation", tenant_id, run_id)
            raise NoReservation(str(run_id)) from None
        return Settlement(charge=ending[0], refund=ending[1], balance=None)


def _healing(tenant_id: str, call: Callable[[], T]) -> T:
    """Call Redis; if it has forgotten this tenant or this hold, rebuild and call once more."""
    try:
        try:
            return call()
        except (BalanceMissing, HoldMissing):
            rebuild(tenant_id)
            return call()
    except BalanceMissing as error:
        raise LedgerUnavailable(f"{tenant_id}: Redis forgot again") from error
    except redis.RedisError as error:
        raise LedgerUnavailable(f"{tenant_id}: Redis did not answer") from error
