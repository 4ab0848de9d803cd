"""Finish what somebody claimed and did not finish: the recorded outcome, exactly, whatever happened since."""

import logging
from dataclasses import dataclass
from datetime import timedelta

import redis
from django.db import DatabaseError, InterfaceError

from budget import scripts
from budget.alarms import alarm
from budget.exceptions import LedgerError
from dpp_project.clock import db_now_plus
from dpp_project.logging import fields
from dpp_project.profile import PROFILE
from runs.exceptions import LostRace
from runs.jobs.passes import UNREAD, TimeLimit, drain
from runs.lifecycle import finalize, transitions
from runs.lifecycle.finalize import MoneyDisagrees
from runs.lifecycle.outcomes import StoredRef, failed
from runs.models import Run
from runs.states import LIVE, Actor, FinalizeStage, MoneyState, Reason, Status
from storage import store
from storage.exceptions import ObjectDamaged, ObjectMissing, StorageError

log = logging.getLogger("dpp.jobs")

_BATCH = 100
_TIME_LIMIT_SEC = 15.0


@dataclass(frozen=True)
class Reconciled:
    found: int = 0
    ended: int = 0
    disputed: int = 0
    lost: int = 0
    left: int = 0


def reconcile() -> Reconciled:
    """One bounded pass over claims whose owner has been silent too long."""
    gone = ("ended", "disputed", "lost")
    counts = drain(_abandoned, _finish, batch=_BATCH, gone=gone, time_limit=TimeLimit(_TIME_LIMIT_SEC))
    return Reconciled(counts.total(), **counts)


def _abandoned() -> list[Run]:
    silent = Run.objects.filter(
        finalize_stage=FinalizeStage.CLAIMED,
        money_state=MoneyState.RESERVED,
        status__in=LIVE,
        finalize_claimed_at__lt=db_now_plus(timedelta(seconds=-PROFILE.reconcile_claim_age_sec)),
    )
    return list(silent.defer(*UNREAD).order_by("finalize_claimed_at")[:_BATCH])


def _finish(run: Run) -> str:
    try:
        transitions.take_over(run)
        if run.intended_status == Status.COMPLETED and not _result_is_stored(run):
            if scripts.receipt(run.tenant_id, run.pk) is not None:
                # The charge of a success was taken, but there is no result to show for it.
                return _dispute(run, "RESULT_MISSING_AFTER_SETTLE")
            transitions.rewrite_intent(
                run, failed(run, Reason.STORAGE_WRITE_FAILED, "The stored result is missing or damaged.")
            )
        finalize.finish(run, actor=Actor.RECONCILE)
    except LostRace:
        return "lost"
    except MoneyDisagrees:
        return _dispute(run, "RECEIPT_DIFFERS")
    except (LedgerError, StorageError, DatabaseError, InterfaceError, redis.RedisError):
        log.warning("reconcile_postponed", extra=fields(run_id=run.pk, tenant_id=run.tenant_id), exc_info=True)
        return "left"
    return "ended"


def _result_is_stored(run: Run) -> bool:
    refs = [StoredRef.of(values) for values in run.intended_objects or []]
    try:
        for ref in refs:
            store.read(ref.key, sha256=ref.sha256, bucket=ref.bucket)
    except (ObjectMissing, ObjectDamaged):
        return False
    return bool(refs)


def _dispute(run: Run, reason: str) -> str:
    alarm("run_disputed", run.tenant_id, run.pk, reason=reason)
    try:
        transitions.dispute(run, reason=reason)
    except LostRace:
        return "lost"
    return "disputed"
