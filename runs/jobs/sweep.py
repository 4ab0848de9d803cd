"""Money nobody will use: runs that waited too long, holds whose run never came, holds whose run has ended."""

import logging
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from budget import journal, ledger
from budget.exceptions import LedgerError
from budget.holds import held_since, next_old_holds
from budget.models import EntryKind, LedgerEntry, VoidedReservation
from budget.rebuild import ended_among, rebuild
from dpp_project.clock import db_now_plus
from dpp_project.logging import fields
from dpp_project.profile import LONGEST_RETENTION_DAYS, PROFILE
from runs.jobs.passes import UNREAD, TimeLimit, drain, isolated
from runs.lifecycle import finalize, transitions
from runs.lifecycle.finalize import Ending
from runs.lifecycle.outcomes import never_started
from runs.models import Run
from runs.states import LIVE, Actor, Reason, Status
from storage import store
from storage.exceptions import StorageError
from storage.object_keys import RunFolder

log = logging.getLogger("dpp.jobs")

_BATCH = 500
_TIME_LIMIT_SEC = 10.0
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
    time_limit = TimeLimit(_TIME_LIMIT_SEC)
    gone = (Ending.ENDED, Ending.LOST)
    endings = drain(_stale, _expire, batch=_BATCH, gone=gone, time_limit=time_limit, left=Ending.LEFT)
    holds = _sweep_holds(time_limit)
    voided, closed = holds["voided"], holds["closed"]
    return Swept(
        found=endings.total() + voided + closed,
        expired=endings[Ending.ENDED],
        lost=endings[Ending.LOST],
        left=endings[Ending.LEFT] + holds["left"],
        holds_voided=voided,
        holds_closed=closed,
    )


def _stale() -> list[Run]:
    waiting = Run.objects.filter(
        status=Status.QUEUED,
        finalize_stage__isnull=True,
        created_at__lt=db_now_plus(timedelta(seconds=-PROFILE.reservation_ttl_sec)),
    )
    return list(waiting.defer(*UNREAD).order_by("created_at")[:_BATCH])


def _expire(run: Run) -> Ending:
    outcome = never_started(Reason.RESERVATION_EXPIRED, _DETAIL)
    return finalize.end(run, lambda: transitions.claim_stale(run, outcome), actor=Actor.SWEEPER)


def _sweep_holds(time_limit: TimeLimit) -> Counter[str]:
    """What became of the holds older than five minutes. The cursor moves on, so that a batch in which there was nothing
    to do is no reason to stop."""
    counts: Counter[str] = Counter()
    while True:
        tenant_of = next_old_holds(older_than_sec=PROFILE.orphan_hold_age_sec, batch=_BATCH)
        counts += _sweep_some(tenant_of)
        if len(tenant_of) < _BATCH or time_limit.is_over:
            return counts


def _sweep_some(tenant_of: dict[UUID, str]) -> Counter[str]:
    live = set(Run.objects.filter(pk__in=tenant_of, status__in=LIVE).values_list("pk", flat=True))
    ended = {hold.run_id for hold in ended_among([run_id for run_id in tenant_of if run_id not in live])}
    counts: Counter[str] = Counter()
    ended_of = Counter(tenant_of[run_id] for run_id in ended)
    for tenant_id, number in sorted(ended_of.items()):
        counts[isolated(_close, tenant_id)] += number
    for run_id, tenant_id in tenant_of.items():
        if run_id not in live and run_id not in ended:
            counts[isolated(_void, (tenant_id, run_id))] += 1
    return counts


def _close(tenant_id: str) -> str:
    """Close every hold of an ended run with the amounts of the journal."""
    rebuild(tenant_id)
    return "closed"


def _void(orphan: tuple[str, UUID]) -> str:
    """A hold without a run: under the row lock that submit takes too, forbid the run, then return the money."""
    tenant_id, run_id = orphan
    made_at = held_since(tenant_id, run_id)
    with transaction.atomic():
        journal.lock(tenant_id)
        if LedgerEntry.objects.filter(run_id=run_id, kind=EntryKind.RESERVE).exists():
            return "needed"
        VoidedReservation.objects.get_or_create(run_id=run_id)
    try:
        ledger.refund_full(tenant_id, run_id)
    except LedgerError as error:
        # Redis forgot it meanwhile, or does not answer: the next pass looks again, the other holds need not wait.
        log.warning("orphan_hold_left", extra=fields(tenant_id=tenant_id, run_id=run_id, error=type(error).__name__))
        return "left"
    log.warning("orphan_hold_returned", extra=fields(tenant_id=tenant_id, run_id=run_id))
    _forget_inputs(tenant_id, run_id, made_at)
    return "voided"


def _forget_inputs(tenant_id: str, run_id: UUID, made_at: datetime | None) -> None:
    """Large inputs are stored before their run is. The key names the day by the clock of the API; the hold's is Redis'.

    The money does not wait for object storage: what it does not delete now, its lifecycle does.
    """
    if made_at is None:
        return
    days = [made_at + timedelta(days=shift) for shift in (-1, 0, 1)]
    # Nor is it known how long the run was to be kept.
    lasting = (PROFILE.retention, timedelta(days=LONGEST_RETENTION_DAYS))
    folders = [RunFolder(tenant_id, run_id, day, kept_for) for day in days for kept_for in lasting]
    try:
        store.delete([folder.inputs for folder in folders])
    except StorageError:
        log.warning("inputs_left_to_lifecycle", extra=fields(tenant_id=tenant_id, run_id=run_id))
