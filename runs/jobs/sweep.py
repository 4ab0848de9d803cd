"""Money nobody will use: runs that waited too long, holds whose run never came, holds whose run has ended."""

import logging
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db import transaction

from budget import journal, ledger
from budget.exceptions import LedgerError
from budget.holds import next_old_holds
from budget.models import EntryKind, LedgerEntry, VoidedReservation
from budget.rebuild import ended_among, rebuild
from dpp_project.clock import db_now_plus
from dpp_project.logging import fields
from dpp_project.profile import PROFILE
from runs import finalize, transitions
from runs.finalize import Ending
from runs.jobs.passes import Budget, drain
from runs.models import Run
from runs.outcomes import never_started
from runs.states import LIVE, Actor, Reason, Status

log = logging.getLogger("dpp.jobs")

_BATCH = 500
_BUDGET_SEC = 10.0
_DETAIL = "The run waited in the queue longer than its reservation lasts. Nothing was charged."


@dataclass(frozen=True)
class Swept:
    found: int = 0
    expired: int = 0
    lost: int = 0
    left: int = 0
    holds_voided: int = 0
    holds_closed: int = 0


def sweep() -> Swept:
    """One bounded pass. However many runs have waited too long, at least one batch of holds is looked at."""
    budget = Budget(_BUDGET_SEC)
    endings = drain(_stale, _expire, batch=_BATCH, gone=(Ending.ENDED, Ending.LOST), budget=budget)
    voided, closed = _sweep_holds(budget)
    return Swept(
        found=endings.total() + voided + closed,
        expired=endings[Ending.ENDED],
        lost=endings[Ending.LOST],
        left=endings[Ending.LEFT],
        holds_voided=voided,
        holds_closed=closed,
    )


def _stale() -> list[Run]:
    waiting = Run.objects.filter(
        status=Status.QUEUED,
        finalize_stage__isnull=True,
        created_at__lt=db_now_plus(timedelta(seconds=-PROFILE.reservation_ttl_sec)),
    )
    return list(waiting.order_by("created_at")[:_BATCH])


def _expire(run: Run) -> Ending:
    outcome = never_started(Reason.RESERVATION_EXPIRED, _DETAIL)
    return finalize.end(run, lambda: transitions.claim_queued(run, outcome, actor=Actor.SWEEPER), actor=Actor.SWEEPER)


def _sweep_holds(budget: Budget) -> tuple[int, int]:
    """(voided, closed) among the holds older than five minutes. The cursor moves on, so that a batch in which
    there was nothing to do is no reason to stop."""
    voided = closed = 0
    while True:
        tenant_of = next_old_holds(older_than_sec=PROFILE.orphan_hold_age_sec, batch=_BATCH)
        voided_now, closed_now = _sweep_some(tenant_of)
        voided, closed = voided + voided_now, closed + closed_now
        if len(tenant_of) < _BATCH or budget.is_spent:
            return voided, closed


def _sweep_some(tenant_of: dict[UUID, str]) -> tuple[int, int]:
    live = set(Run.objects.filter(pk__in=tenant_of, status__in=LIVE).values_list("pk", flat=True))
    ended = {hold.run_id for hold in ended_among([run_id for run_id in tenant_of if run_id not in live])}
    for tenant_id in sorted({tenant_of[run_id] for run_id in ended}):
        # Closes every hold of an ended run with the amounts of the journal.
        rebuild(tenant_id)
    orphans = [run_id for run_id in tenant_of if run_id not in live and run_id not in ended]
    return sum(_void(tenant_of[run_id], run_id) for run_id in orphans), len(ended)


def _void(tenant_id: str, run_id: UUID) -> bool:
    """A hold without a run: under the row lock that submit takes too, forbid the run, then return the money."""
    with transaction.atomic():
        journal.lock(tenant_id)
        if LedgerEntry.objects.filter(run_id=run_id, kind=EntryKind.RESERVE).exists():
            return False
        VoidedReservation.objects.get_or_create(run_id=run_id)
    try:
        ledger.refund_full(tenant_id, run_id)
    except LedgerError as error:
        # Redis forgot it meanwhile, or does not answer: the next pass looks again, the other holds need not wait.
        log.warning("orphan_hold_left", extra=fields(tenant_id=tenant_id, run_id=run_id, error=type(error).__name__))
        return False
    log.warning("orphan_hold_returned", extra=fields(tenant_id=tenant_id, run_id=run_id))
    return True
