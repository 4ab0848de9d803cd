"""Claim -> money -> commit: how every run ends, whoever ends it.

The caller has won a claim (`transitions.claim_*` or `take_over`), which recorded the outcome. From there on only the
recorded outcome counts: money moves in Redis first (repeatable), then one transaction makes the end true. A crash
anywhere leaves a CLAIMED run that reconcile finishes in the same way.
"""

import logging
from collections.abc import Callable
from enum import StrEnum
from uuid import UUID

from django.db import DatabaseError, InterfaceError

from budget import ledger
from budget.alarms import alarm
from budget.exceptions import LedgerError, ReceiptConflict
from budget.scripts import Settlement
from dpp_project.faults import crash_point
from dpp_project.logging import fields
from dpp_project.money import Micros
from runs.exceptions import LostRace, OutcomeUnknown
from runs.lifecycle import transitions
from runs.models import Run
from runs.states import Actor, MoneyState

log = logging.getLogger("dpp.finalize")


class MoneyDisagrees(Exception):
    """Redis moved another amount than the claim recorded: a dispute."""


def finish(run: Run, *, actor: Actor) -> None:
    """CLAIMED -> ended: money, then commit."""
    crash_point("finalize.claimed")
    move_money(run)
    crash_point("finalize.settled")
    transitions.commit(run, actor=actor)
    crash_point("finalize.committed")
    # Once more, a no-op on the receipt: closes a hold that a rebuild re-created between the two.
    try:
        move_money(run)
    except (LedgerError, MoneyDisagrees):
        log.warning("money_repeat_failed", extra=fields(run_id=run.pk, tenant_id=run.tenant_id), exc_info=True)


class Ending(StrEnum):
    """How an attempt to end a run went."""

    ENDED = "ended"
    LOST = "lost"
    LEFT = "left_to_reconcile"


def end(run: Run, claim: Callable[[], None], *, actor: Actor) -> Ending:
    """Claim, then finish. Whoever loses does nothing; what cannot be finished now, reconcile finishes."""
    try:
        claim()
        finish(run, actor=actor)
    except LostRace:
        return Ending.LOST
    except (LedgerError, MoneyDisagrees, DatabaseError, InterfaceError):
        log.warning("left_to_reconcile", extra=fields(run_id=run.pk, tenant_id=run.tenant_id), exc_info=True)
        return Ending.LEFT
    return Ending.ENDED


def must_be_claimed(run: Run) -> None:
    """For a caller that somebody waits for: an ending that was left is told as done only if its claim stands."""
    if not Run.objects.filter(pk=run.pk, finalize_stage__isnull=False).exists():
        raise OutcomeUnknown(str(run.pk))


def move_money(run: Run) -> Settlement:
    """Settle or refund in Redis by the recorded intent. Repeatable."""
    charge = Micros(run.intended_charge_usd_micros or 0)
    try:
        settlement = _by_intent(run.intended_money_state, run.tenant_id, run.pk, charge)
    except ReceiptConflict as conflict:
        alarm("receipt_conflict", run.tenant_id, run.pk, kind=conflict.kind, charge=conflict.charge)
        raise MoneyDisagrees(str(conflict)) from conflict
    if settlement.charge != charge:
        raise MoneyDisagrees(f"recorded {charge}, settled {settlement.charge}")
    return settlement


def _by_intent(money_state: str | None, tenant_id: str, run_id: UUID, charge: Micros) -> Settlement:
    if money_state == MoneyState.REFUNDED:
        return ledger.refund_full(tenant_id, run_id)
    return ledger.settle(tenant_id, run_id, charge)
