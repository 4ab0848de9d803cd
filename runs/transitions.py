"""The state machine of a run: one function an edge, one compare-and-set for all of them.

Nothing else writes `status`, `money_state`, `version` or `finalize_stage`. Losing raises `LostRace`, so that a
forgotten return value cannot leak a side effect. After winning, the change is applied to the object in hand; it is
never re-read, which could adopt a version somebody else wrote.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.utils import timezone
from psycopg.types.json import Jsonb

from dpp_project.logging import fields
from dpp_project.metrics import LOST_RACES, TRANSITIONS
from dpp_project.money import Micros
from dpp_project.postgresql import prepared
from dpp_project.profile import PROFILE
from runs.events import event
from runs.events.event import Event
from runs.events.publish import publish
from runs.exceptions import LostRace
from runs.models import Run, RunPayload
from runs.outcomes import Outcome, StoredRef
from runs.states import ALLOWED, Actor, FinalizeStage, MoneyState, Reason, Status

log = logging.getLogger("dpp.transitions")

# SQLSTATEs of `dpp_accept_run`.
INSUFFICIENT = "DP402"
VOIDED = "DP503"

ACCEPT = "SELECT dpp_accept_run(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"

_UNCLAIMED = "finalize_stage IS NULL"


@dataclass(frozen=True)
class Computed:
    """A value the database works out, by its own clock."""

    sql: str


@dataclass(frozen=True)
class Together:
    """Further parts of a transition's statement. Each reads `won`, the changed row: a loser changes nothing."""

    sql: str
    params: Sequence[Any]


_NOW = Computed("statement_timestamp()")


def create(run: Run, payload: RunPayload) -> Micros:
    """none -> QUEUED/RESERVED: a submit, with its money, in one call. Returns what the tenant has left.

    Fails with the SQLSTATE of what stopped it: `INSUFFICIENT`, `VOIDED`, or the database's own.
    """
    assert (run.status, run.money_state, run.version) == (Status.QUEUED, MoneyState.RESERVED, 0)
    row = prepared.fetch_one(
        ACCEPT,
        [
            *(run.pk, run.tenant_id, run.pack_type, run.profile_version, run.idempotency_key, run.payload_hash),
            *(run.reservation_max_cost_usd_micros, run.minimum_fee_usd_micros, run.timebox_sec),
            *(run.min_reliability_score, run.inline_result, run.retention_until, run.trace_id, run.created_at),
            *(payload.body, payload.object_key),
        ],
    )
    assert row is not None
    _tell(run, Actor.API, version_before=None, reason=None)
    return Micros(row[0])


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


def commit(run: Run, *, actor: Actor, together: Together) -> None:
    """CLAIMED -> COMMITTED: the recorded outcome becomes the run's end, together with journal and objects."""
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
        together=together,
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
    together: Together | None = None,
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
    sql = _statement(
        sets=[*(f"{name} = %s" for name in given), *(f"{name} = {change[name].sql}" for name in computed)],
        conditions=[*(f"{name} = %s" for name in equal), where],
        together=together,
    )
    reason = reason and str(reason)
    params = [
        *(_plain(value) for value in (*given.values(), *equal.values())),
        *(str(actor), *map(str, before), version_before, reason),
        *(together.params if together else ()),
    ]
    if prepared.fetch_one(sql, params) is None:
        LOST_RACES.labels(actor=actor, edge=f"{before[0]}-{after[0]}").inc()
        raise LostRace(f"{run.pk} is no longer at version {version_before}")
    # What the database computed (its clock) stays unknown here; nobody below reads it.
    for name, value in given.items():
        setattr(run, name, value)
    _tell(run, actor, version_before=version_before, reason=reason, told=event.of_row(run, at=timezone.now()))


def _statement(*, sets: list[str], conditions: list[str], together: Together | None) -> str:
    # All of it is text of this program: names of columns, and the parts other modules of ours declare.
    more = f", {together.sql}" if together else ""
    return f"""
        WITH won AS (
            UPDATE runs SET {", ".join(sets)}, updated_at = statement_timestamp()
            WHERE {" AND ".join(conditions)}
            RETURNING *
        ), recorded AS (
            INSERT INTO run_transitions (run_id, actor, from_status, to_status, from_money, to_money, finalize_stage,
                version_before, version_after, reason_code, at)
            SELECT run_id, %s::text, %s::text, status, %s::text, money_state, finalize_stage,
                %s::bigint, version, %s::text, clock_timestamp()
            FROM won
        ){more}
        SELECT 1 FROM won
    """  # noqa: S608


def _plain(value: Any) -> Any:
    """As PostgreSQL takes it: our choices are text, the objects of an outcome are JSON."""
    if isinstance(value, str):
        return str(value)
    return Jsonb(value) if isinstance(value, list) else value


def _tell(run: Run, actor: Actor, *, version_before: int | None, reason: str | None, told: Event | None = None) -> None:
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
        reason_code=reason,
    )

    def tell() -> None:
        TRANSITIONS.labels(actor=actor, to_status=status, reason=reason or "").inc()
        log.info("run_transition", extra=line)
        if told is not None:
            publish(told)

    transaction.on_commit(tell)
