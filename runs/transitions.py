"""The state machine of a run: one function an edge, one compare-and-set for all of them.

Nothing else writes `status`, `money_state`, `version` or `finalize_stage`. Losing raises `LostRace`, so that a
forgotten return value cannot leak a side effect. After winning, the change is applied to the object in hand; it is
never re-read, which could adopt a version somebody else wrote.
"""

import logging
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models.expressions import BaseExpression
from django.db.models.functions import Now
from django.utils import timezone

from dpp_project.clock import db_now_plus
from dpp_project.logging import fields
from dpp_project.metrics import LOST_RACES, TRANSITIONS
from dpp_project.profile import PROFILE
from runs.events import event
from runs.events.publish import publish
from runs.exceptions import LostRace
from runs.models import Run, RunPayload, RunTransition
from runs.outcomes import Outcome, StoredRef
from runs.states import ALLOWED, Actor, FinalizeStage, MoneyState, Reason, Status

log = logging.getLogger("dpp.transitions")

_UNCLAIMED = {"finalize_stage__isnull": True}


def create(run: Run, payload: RunPayload) -> None:
    """none -> QUEUED/RESERVED: a submit. The caller writes the RESERVE entry in the same transaction."""
    assert (run.status, run.money_state, run.version) == (Status.QUEUED, MoneyState.RESERVED, 0)
    with transaction.atomic(savepoint=False):
        run.save()
        payload.save(force_insert=True)
        _record(run, Actor.API, before=None, version_before=None, reason=None)


def start(run: Run, *, lease_token: UUID) -> None:
    """QUEUED -> PROCESSING: a worker takes the lease."""
    _swap(
        run,
        Actor.WORKER,
        expect={"status": Status.QUEUED, **_UNCLAIMED},
        change={
            "status": Status.PROCESSING,
            "lease_token": lease_token,
            "lease_expires_at": db_now_plus(PROFILE.lease_ttl),
        },
    )


def claim_queued(run: Run, outcome: Outcome, *, actor: Actor) -> None:
    """QUEUED, unclaimed -> CLAIMED: the run will end without having started."""
    _claim(run, outcome, actor, expect={"status": Status.QUEUED})


def claim_own(run: Run, outcome: Outcome, *, lease_token: UUID) -> None:
    """PROCESSING, unclaimed -> CLAIMED: the worker that holds the lease ends its run. Expired but not reaped counts."""
    _claim(run, outcome, Actor.WORKER, expect={"status": Status.PROCESSING, "lease_token": lease_token})


def claim_zombie(run: Run, outcome: Outcome) -> None:
    """PROCESSING, unclaimed, lease expired by the database's clock -> CLAIMED: the reaper ends a dead worker's run."""
    expect = {"status": Status.PROCESSING, "lease_token": run.lease_token, "lease_expires_at__lt": Now()}
    _claim(run, outcome, Actor.REAPER, expect=expect)


def take_over(run: Run) -> None:
    """CLAIMED -> CLAIMED: reconcile becomes the owner of a claim whose owner died. The intent stays."""
    _swap(
        run,
        Actor.RECONCILE,
        expect=_claimed_by(run),
        change={"finalize_token": uuid4(), "finalize_claimed_at": Now()},
    )


def rewrite_intent(run: Run, outcome: Outcome) -> None:
    """CLAIMED -> CLAIMED: reconcile replaces an intent that can no longer be kept (its object is gone)."""
    _swap(run, Actor.RECONCILE, expect=_claimed_by(run), change=outcome.as_intent(), reason=outcome.reason)


def commit(run: Run, *, actor: Actor) -> None:
    """CLAIMED -> COMMITTED: the recorded outcome becomes the run's end. The caller adds journal and objects."""
    assert run.intended_status, "only a claim with a recorded outcome is committed"
    assert run.intended_money_state
    refs = [StoredRef.of(values) for values in run.intended_objects or []]
    envelope = refs[0] if refs else None
    _swap(
        run,
        actor,
        expect=_claimed_by(run),
        change={
            "status": Status(run.intended_status),
            "money_state": MoneyState(run.intended_money_state),
            "actual_cost_usd_micros": run.intended_charge_usd_micros,
            "result_bucket": envelope and envelope.bucket,
            "result_key": envelope and envelope.key,
            "result_sha256": envelope and envelope.sha256,
            "last_error_reason_code": run.intended_reason_code,
            "last_error_detail": run.intended_error_detail,
            "idempotency_released": run.intended_release_key,
            "finalize_stage": FinalizeStage.COMMITTED,
            "progress": 1.0,
        },
        reason=run.intended_reason_code,
    )


def dispute(run: Run, *, reason: str) -> None:
    """PROCESSING/RESERVED -> PROCESSING/DISPUTED: money has moved otherwise than recorded. A person decides."""
    _swap(
        run,
        Actor.RECONCILE,
        expect={"status": Status.PROCESSING, "money_state": MoneyState.RESERVED, **_claimed_by(run)},
        change={"money_state": MoneyState.DISPUTED},
        reason=reason,
    )


def resolve(run: Run, outcome: Outcome) -> None:
    """PROCESSING/DISPUTED: an admin replaces the intent; `commit` follows."""
    _swap(
        run,
        Actor.ADMIN,
        expect={"money_state": MoneyState.DISPUTED, **_claimed_by(run)},
        change=outcome.as_intent(),
        reason=outcome.reason,
    )


def expire(run: Run, *, actor: Actor) -> None:
    """COMPLETED | FAILED -> EXPIRED: the retention is over; the result is gone."""
    _swap(
        run,
        actor,
        expect={"status": run.status},
        change={
            "status": Status.EXPIRED,
            "result_bucket": None,
            "result_key": None,
            "result_sha256": None,
            "intended_objects": None,
        },
    )


def _claim(run: Run, outcome: Outcome, actor: Actor, *, expect: dict[str, Any]) -> None:
    _swap(
        run,
        actor,
        expect={**expect, **_UNCLAIMED},
        change={
            "finalize_token": uuid4(),
            "finalize_stage": FinalizeStage.CLAIMED,
            "finalize_claimed_at": Now(),
            **outcome.as_intent(),
        },
        reason=outcome.reason,
    )


def _claimed_by(run: Run) -> dict[str, Any]:
    return {"finalize_token": run.finalize_token, "finalize_stage": FinalizeStage.CLAIMED}


def _swap(
    run: Run,
    actor: Actor,
    *,
    expect: dict[str, Any],
    change: dict[str, Any],
    reason: Reason | str | None = None,
) -> None:
    """Compare-and-set on the version and on all the edge assumes; the audit row in the same transaction."""
    before = (Status(run.status), MoneyState(run.money_state))
    after = (change.get("status", before[0]), change.get("money_state", before[1]))
    assert before == after or (before, after) in ALLOWED, f"{before} -> {after} is not an edge of the state machine"

    version_before = run.version
    with transaction.atomic(savepoint=False):
        won = Run.objects.filter(pk=run.pk, version=version_before, **expect).update(
            **change, version=version_before + 1, updated_at=Now()
        )
        if not won:
            LOST_RACES.labels(actor=actor, edge=f"{before[0]}-{after[0]}").inc()
            raise LostRace(f"{run.pk} is no longer at version {version_before}")
        for name, value in change.items():
            # What the database computed (its clock) stays unknown here; nobody below reads it.
            if not isinstance(value, BaseExpression):
                setattr(run, name, value)
        run.version = version_before + 1
        _record(run, actor, before=before, version_before=version_before, reason=reason)


def _record(
    run: Run,
    actor: Actor,
    *,
    before: tuple[Status, MoneyState] | None,
    version_before: int | None,
    reason: Reason | str | None,
) -> None:
    RunTransition.objects.create(
        run_id=run.pk,
        actor=actor,
        from_status=before and before[0],
        to_status=run.status,
        from_money=before and before[1],
        to_money=run.money_state,
        finalize_stage=run.finalize_stage,
        version_before=version_before,
        version_after=run.version,
        reason_code=reason,
    )
    line = fields(
        run_id=run.pk,
        tenant_id=run.tenant_id,
        trace_id=run.trace_id,
        actor=str(actor),
        version_before=version_before,
        version_after=run.version,
        status=str(run.status),
        money_state=str(run.money_state),
        finalize_stage=run.finalize_stage and str(run.finalize_stage),
        reserved_usd_micros=run.reservation_max_cost_usd_micros,
        charge_usd_micros=run.actual_cost_usd_micros,
        reason_code=reason and str(reason),
    )
    # Made now: a later edge of the same transaction changes the run before this one is told.
    told = event.of_row(run, at=timezone.now())

    def tell() -> None:
        TRANSITIONS.labels(actor=actor, to_status=run.status, reason=reason or "").inc()
        log.info("run_transition", extra=line)
        if told is not None:
            publish(told)

    # Only a committed change is told.
    transaction.on_commit(tell)
