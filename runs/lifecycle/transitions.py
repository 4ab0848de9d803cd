"""The state machine of a run: one function per edge, one compare-and-set for all of them.

Nothing else writes `status`, `money_state`, `version` or `finalize_stage`. Losing raises `LostRace`, so that a
forgotten return value cannot leak a side effect. After winning, the change is applied to the object in hand; it is
never re-read, which could adopt a version somebody else wrote.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone
from psycopg.types.json import Jsonb

from dpp_project.logging import fields
from dpp_project.metrics import LOST_RACES, TRANSITIONS
from dpp_project.money import Micros
from dpp_project.postgresql import prepared
from dpp_project.profile import PROFILE
from runs.events import event
from runs.events.event import Event
from runs.events.publish import publish_event
from runs.exceptions import LostRace
from runs.lifecycle import statements
from runs.lifecycle.outcomes import Outcome, StoredRef
from runs.lifecycle.statements import StatementPart, compare_and_set, ending
from runs.models import Run, RunPayload
from runs.states import ALLOWED, Actor, FinalizeStage, MoneyState, Reason, Status

log = logging.getLogger("dpp.transitions")

_UNCLAIMED = "finalize_stage IS NULL"
_FULL_PROGRESS = 1.0


@dataclass(frozen=True)
class Computed:
    """A value the database works out, by its own clock."""

    sql: str


_NOW = Computed("statement_timestamp()")

# What an expired run no longer has.
_GONE: dict[str, Any] = {
    "status": Status.EXPIRED,
    "result_bucket": None,
    "result_key": None,
    "result_sha256": None,
    "intended_objects": None,
    # Its warnings may quote the inputs.
    "result_summary": None,
}


def create(run: Run, payload: RunPayload) -> Micros:
    """none -> QUEUED/RESERVED: a submit, with its money, in one call. Returns what the tenant has left.

    The run's times are the database's afterwards.

    Fails with the SQLSTATE of what stopped it: `statements.INSUFFICIENT`, `.FROZEN`, `.VOIDED`, or the database's.
    """
    row = prepared.fetch_one(statements.ACCEPT, statements.accept_params(run, payload))
    assert row is not None
    remaining, accepted_at = row
    note_created(run, accepted_at)
    return Micros(remaining)


class Created(NamedTuple):
    """What came of one of the submits that were made together."""

    outcome: str
    """`statements.ACCEPTED`, or the SQLSTATE with which it would have failed alone."""
    remaining: Micros
    at: datetime


def create_together(requests: Sequence[tuple[Run, RunPayload]]) -> list[Created]:
    """The same edge for several runs in one call, each with its own outcome: see `runs/sql/accept_runs.sql`.

    Each accepted one is to be noted by `note_created`. Fails as a whole only if none of them was created.
    """
    rows = prepared.fetch_all(statements.ACCEPT_TOGETHER, statements.accept_together_params(requests))
    assert [place for place, *_ in rows] == list(range(1, len(requests) + 1))
    return [Created(outcome, Micros(remaining or 0), at) for _, outcome, remaining, at in rows]


def note_created(run: Run, at: datetime) -> None:
    """The run's times are the database's; log line and metric."""
    assert (run.status, run.money_state, run.version) == (Status.QUEUED, MoneyState.RESERVED, 0)
    run.retention_until = at + (run.retention_until - run.created_at)
    run.created_at = run.updated_at = at
    _announce(run, Actor.API, version_before=None, reason=None)


def start(run: Run, *, lease_token: UUID) -> None:
    """QUEUED -> PROCESSING: a worker takes the lease."""
    _swap(
        run,
        Actor.WORKER,
        expect={"status": Status.QUEUED},
        where=_UNCLAIMED,
        change={
            "status": Status.PROCESSING,
            "lease_token": lease_token,
            "lease_expires_at": Computed(f"statement_timestamp() + interval '{PROFILE.lease_ttl_sec} seconds'"),
        },
    )


def claim_queued(run: Run, outcome: Outcome, *, actor: Actor) -> None:
    """QUEUED, unclaimed -> CLAIMED: the run will end without having started."""
    _claim(run, outcome, actor, expect={"status": Status.QUEUED})


def claim_unsent(run: Run, outcome: Outcome) -> None:
    """QUEUED, unclaimed, with one receipt -> CLAIMED: the submit whose message was not taken frees the key again."""
    _claim(run, outcome, Actor.API, expect={"status": Status.QUEUED}, where="receipt_repeated_at IS NULL")


def repeat_receipt(run: Run) -> bool:
    """No edge: after a second receipt a queued run is no longer given up. False if it is already being given up."""
    if run.receipt_repeated_at is not None:
        return True
    return Run.objects.filter(pk=run.pk, intended_release_key=False).update(receipt_repeated_at=Now()) == 1


def claim_stale(run: Run, outcome: Outcome) -> None:
    """QUEUED, unclaimed, too old by the database's clock -> CLAIMED: the sweeper ends a run that waited too long."""
    too_old = f"created_at < statement_timestamp() - interval '{PROFILE.reservation_ttl_sec} seconds'"
    _claim(run, outcome, Actor.SWEEPER, expect={"status": Status.QUEUED}, where=too_old)


def claim_own(run: Run, outcome: Outcome, *, lease_token: UUID) -> None:
    """PROCESSING, unclaimed -> CLAIMED: the worker that holds the lease ends its run. Expired but not reaped counts."""
    _claim(run, outcome, Actor.WORKER, expect={"status": Status.PROCESSING, "lease_token": lease_token})


def claim_zombie(run: Run, outcome: Outcome) -> None:
    """PROCESSING, unclaimed, lease expired by the database's clock -> CLAIMED: the reaper ends a dead worker's run."""
    expect = {"status": Status.PROCESSING, "lease_token": run.lease_token}
    _claim(run, outcome, Actor.REAPER, expect=expect, where="lease_expires_at < statement_timestamp()")


def take_over(run: Run) -> None:
    """CLAIMED -> CLAIMED: reconcile becomes the owner of a claim whose owner died. The intent stays."""
    _swap(
        run,
        Actor.RECONCILE,
        expect=_claimed_by(run),
        change={"finalize_token": uuid4(), "finalize_claimed_at": _NOW},
    )


def rewrite_intent(run: Run, outcome: Outcome) -> None:
    """CLAIMED -> CLAIMED: reconcile replaces an intent that can no longer be kept (its object is gone)."""
    _swap(run, Actor.RECONCILE, expect=_claimed_by(run), change=outcome.as_intent(), reason=outcome.reason)


def commit(run: Run, *, actor: Actor) -> None:
    """CLAIMED -> COMMITTED: the recorded outcome becomes the run's end, with journal entry, balance row and objects."""
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
            "progress": _FULL_PROGRESS,
        },
        reason=run.intended_reason_code,
        part=ending(run),
    )


def dispute(run: Run, *, reason: str) -> None:
    """QUEUED | PROCESSING, RESERVED -> DISPUTED: money has moved otherwise than recorded. A person decides.

    A queued one comes from a database that lost its last commits: Redis knows an ending of which no row tells.
    """
    _swap(
        run,
        Actor.RECONCILE,
        expect={"status": run.status, "money_state": MoneyState.RESERVED, **_claimed_by(run)},
        change={"money_state": MoneyState.DISPUTED},
        reason=reason,
    )


def resolve(run: Run, outcome: Outcome) -> None:
    """DISPUTED: an admin replaces the intent; `commit` follows."""
    _swap(
        run,
        Actor.ADMIN,
        expect={"money_state": MoneyState.DISPUTED, **_claimed_by(run)},
        change=outcome.as_intent(),
        reason=outcome.reason,
    )


def expire(run: Run, *, actor: Actor) -> None:
    """COMPLETED | FAILED -> EXPIRED: the retention is over by the database's clock; the result is gone."""
    _swap(
        run,
        actor,
        expect={"status": run.status},
        where="retention_until <= statement_timestamp()",
        change=_GONE,
    )


def forget(run: Run, *, actor: Actor) -> None:
    """COMPLETED | FAILED -> EXPIRED: the owner ends the retention before its time; the result is gone."""
    _swap(
        run,
        actor,
        expect={"status": run.status},
        change={**_GONE, "retention_until": _NOW},
    )


def _claim(run: Run, outcome: Outcome, actor: Actor, *, expect: dict[str, Any], where: str = "true") -> None:
    _swap(
        run,
        actor,
        expect=expect,
        where=f"{_UNCLAIMED} AND {where}",
        change={
            "finalize_token": uuid4(),
            "finalize_stage": FinalizeStage.CLAIMED,
            "finalize_claimed_at": _NOW,
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
    where: str = "true",
    part: StatementPart | None = None,
) -> None:
    """Compare-and-set on the version and on all the edge assumes, with the audit row, in one statement."""
    before = (Status(run.status), MoneyState(run.money_state))
    after = (change.get("status", before[0]), change.get("money_state", before[1]))
    assert before == after or (before, after) in ALLOWED, f"{before} -> {after} is not an edge of the state machine"

    version_before = run.version
    change = {**change, "version": version_before + 1}
    computed = [name for name, value in change.items() if isinstance(value, Computed)]
    given = {name: value for name, value in change.items() if name not in computed}
    equal = {"run_id": run.pk, "version": version_before, **expect}
    sql = compare_and_set(
        sets=[*(f"{name} = %s" for name in given), *(f"{name} = {change[name].sql}" for name in computed)],
        conditions=[*(f"{name} = %s" for name in equal), where],
        part=part,
    )
    reason = reason and str(reason)
    params = [
        *(_plain(value) for value in (*given.values(), *equal.values())),
        *(str(actor), *map(str, before), version_before, reason),
        *(part.params if part else ()),
    ]
    if prepared.fetch_one(sql, params) is None:
        LOST_RACES.labels(actor=actor, edge=f"{before[0]}-{after[0]}").inc()
        raise LostRace(f"{run.pk} is no longer at version {version_before}")
    # What the database computed (its clock) stays unknown here; nobody below reads it.
    for name, value in given.items():
        setattr(run, name, value)
    _announce(run, actor, version_before=version_before, reason=reason, news=event.of_row(run, at=timezone.now()))


def _plain(value: Any) -> Any:
    """As PostgreSQL takes it: our choices are text, an outcome's objects and summary are JSON."""
    if isinstance(value, str):
        return str(value)
    return Jsonb(value) if isinstance(value, list | dict) else value


def _announce(
    run: Run, actor: Actor, *, version_before: int | None, reason: str | None, news: Event | None = None
) -> None:
    """Metric, log line and event of a change: only once it is committed, and as the run was then."""
    status = run.status
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
        refund_usd_micros=_refund(run),
        reason_code=reason,
        # By this name a failed run's lines are found, whoever ended it.
        **({"error.reason_code": run.last_error_reason_code} if run.last_error_reason_code else {}),
    )

    def announce() -> None:
        TRANSITIONS.labels(actor=actor, to_status=status, reason=reason or "").inc()
        log.info("run_transition", extra=line)
        if news is not None:
            publish_event(news)

    transaction.on_commit(announce)


def _refund(run: Run) -> int | None:
    """What of the reservation goes back; None while the run is live."""
    charge = run.actual_cost_usd_micros
    return None if charge is None else run.reservation_max_cost_usd_micros - charge
