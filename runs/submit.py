"""Accept a run: replay or reserve -> row -> mapping -> send. The order is what makes every crash harmless.

Redis admits (fast, may be wrong), PostgreSQL decides (balance row and unique key in one transaction), SQS is told
last. Called by the REST view; knows no HTTP.
"""

import logging
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

import redis
from django.db import DatabaseError, IntegrityError, InterfaceError, OperationalError, transaction

from budget import journal, ledger
from budget.exceptions import InsufficientFunds, LedgerError, LedgerUnavailable
from budget.rebuild import rebuild
from dpp_project.faults import crash_point
from dpp_project.logging import fields
from dpp_project.metrics import SUBMITS
from dpp_project.money import Micros
from dpp_project.profile import PROFILE
from runs import finalize, queue, transitions
from runs.exceptions import EnqueueFailed, IdempotencyConflict, OutcomeUnknown
from runs.finalize import Ending
from runs.idempotency import KeyDoor
from runs.limits import Gate
from runs.models import Run, RunPayload, Tenant
from runs.outcomes import never_started
from runs.request import RunRequest
from runs.retention import expire_run
from runs.states import Actor, Reason, Status
from runs.switches import refuse_disabled
from storage import keys as storage_keys
from storage import store

log = logging.getLogger("dpp.submit")

# Deadlock and serialization failure: the transaction is rolled back for certain and may be tried again.
_TRY_AGAIN = ("40001", "40P01")
_MOST_TRIES = 3
_ONE_KEY_CONSTRAINT = "runs_one_per_idempotency_key"


@dataclass(frozen=True)
class Accepted:
    run: Run
    replayed: bool
    available: Micros


class _KeyTaken(Exception):
    """The unique constraint knows a run under this key that Redis had forgotten."""


def submit(
    tenant: Tenant, request: RunRequest, *, key: str, trace_id: str, now: datetime, gate: Gate | None = None
) -> Accepted:
    """Without a gate no limits apply: for callers that are not a tenant's requests."""
    door = KeyDoor(tenant.pk, key)
    mapping = door.open()
    while mapping is not None:
        known = _usable(tenant, key, now)
        if known is not None:
            return _replay(known, request, gate)
        # The mapping is a hint: it named an expired, released or absent run.
        mapping = door.reopen_ignoring(mapping)
    crash_point("submit.locked")

    sent: Run | None = None
    given_up: Run | None = None
    try:
        known = _usable(tenant, key, now)
        if known is not None:
            # Redis forgot the key: told again, or every further replay would queue for the lock.
            _confirm(door, known)
            return _replay(known, request, gate)
        if gate:
            gate.submit()
        refuse_disabled(request.features)
        try:
            run, available = _reserve_and_insert(tenant, request, key=key, trace_id=trace_id, now=now)
        except _KeyTaken:
            known = _usable(tenant, key, now)
            if known is None:
                raise OutcomeUnknown(key) from None
            return _replay(known, request, gate)
        crash_point("submit.committed")
        _confirm(door, run)
        crash_point("submit.mapped")
        try:
            queue.send(run, now=now)
            sent = run
        except queue.SendFailed as error:
            log.warning("enqueue_failed", extra=fields(run_id=run.pk, tenant_id=tenant.pk, error=str(error)))
            if _give_up(run):
                given_up = run
                raise EnqueueFailed(run.pk) from error
        crash_point("submit.sent")
        SUBMITS.labels(outcome="accepted").inc()
        return Accepted(run, replayed=False, available=available)
    finally:
        door.close(sent=sent, given_up=given_up)


def _confirm(door: KeyDoor, run: Run) -> None:
    """Map the key, and put the hold back if Redis lost it. The run is committed: a silent Redis no longer stops it."""
    try:
        if not door.confirm(run):
            rebuild(run.tenant_id)
    except (redis.RedisError, LedgerUnavailable) as error:
        log.warning("not_confirmed_in_redis", extra=fields(run_id=run.pk, error=type(error).__name__))


def _replay(run: Run, request: RunRequest, gate: Gate | None) -> Accepted:
    """Same key again: the same receipt, or a conflict if it means something else."""
    if gate:
        gate.replay()
    if run.payload_hash != request.payload_hash:
        SUBMITS.labels(outcome="conflict").inc()
        raise IdempotencyConflict(run.idempotency_key)
    SUBMITS.labels(outcome="replayed").inc()
    return Accepted(run, replayed=True, available=journal.available(run.tenant_id))


def _usable(tenant: Tenant, key: str, now: datetime) -> Run | None:
    """The run that this key names, if it still does. One past its retention is expired first."""
    run = (
        Run.objects.filter(tenant=tenant, idempotency_key=key, idempotency_released=False)
        .exclude(status=Status.EXPIRED)
        .first()
    )
    if run is not None and run.retention_until <= now and expire_run(run, actor=Actor.API):
        return None
    return run


def _reserve_and_insert(
    tenant: Tenant, request: RunRequest, *, key: str, trace_id: str, now: datetime
) -> tuple[Run, Micros]:
    """Hold the money in Redis, then make it true in the database. Returns the run and what is left."""
    for attempt in range(_MOST_TRIES):
        run = _new_run(tenant, request, key=key, trace_id=trace_id, now=now)
        payload = _new_payload(run, request)
        ledger.reserve(tenant.pk, run.pk, request.max_cost)
        crash_point("submit.reserved")
        try:
            return run, _insert(run, payload, request.max_cost)
        except InsufficientFunds:
            # Redis believed in more than there is: put it right, and try once more on the truth.
            _return_hold(run)
            rebuild(tenant.pk)
            if attempt:
                raise
        except (DatabaseError, InterfaceError) as error:
            _return_hold(run)
            if isinstance(error, IntegrityError) and _ONE_KEY_CONSTRAINT in str(error):
                raise _KeyTaken from error
            if not _may_try_again(error) or attempt == _MOST_TRIES - 1:
                raise
    raise AssertionError("unreachable: the last try raises or returns")


def _insert(run: Run, payload: RunPayload, amount: Micros) -> Micros:
    """One transaction: run, payload, transition, RESERVE entry, balance row."""
    written = False
    try:
        with transaction.atomic():
            transitions.create(run, payload)
            available = journal.reserve(run.tenant_id, run.pk, amount)
            written = True
    except (OperationalError, InterfaceError) as error:
        # Raised by COMMIT itself: it may have happened. Only the database can tell, by the run's id.
        if written and not _may_try_again(error):
            return _after_unknown_commit(run, error)
        raise
    return available


def _after_unknown_commit(run: Run, error: Exception) -> Micros:
    log.warning("commit_outcome_unknown", extra=fields(run_id=run.pk, tenant_id=run.tenant_id))
    try:
        if Run.objects.filter(pk=run.pk).exists():
            return journal.available(run.tenant_id)
    except DatabaseError:
        pass
    raise OutcomeUnknown(str(run.pk)) from error


def _may_try_again(error: Exception) -> bool:
    return getattr(error.__cause__, "sqlstate", None) in _TRY_AGAIN


def _return_hold(run: Run) -> None:
    """No run came of it. If Redis does not answer, the sweeper finds the hold."""
    try:
        ledger.refund_full(run.tenant_id, run.pk)
    except LedgerError:
        log.warning("hold_left_to_sweeper", extra=fields(run_id=run.pk, tenant_id=run.tenant_id))


def _give_up(run: Run) -> bool:
    """The send failed: end the run and free its key. False if the message did arrive and a worker has it."""
    detail = "The work could not be queued. Nothing was charged; the same Idempotency-Key starts a fresh run."
    outcome = never_started(Reason.QUEUE_ENQUEUE_FAILED, detail, releases_key=True)
    ending = finalize.end(run, lambda: transitions.claim_queued(run, outcome, actor=Actor.API), actor=Actor.API)
    if ending == Ending.LEFT:
        finalize.must_be_claimed(run)
    return ending != Ending.LOST


def _new_run(tenant: Tenant, request: RunRequest, *, key: str, trace_id: str, now: datetime) -> Run:
    return Run(
        run_id=uuid4(),
        tenant=tenant,
        pack_type=request.pack_type,
        profile_version=PROFILE.version,
        idempotency_key=key,
        payload_hash=request.payload_hash,
        reservation_max_cost_usd_micros=request.max_cost,
        minimum_fee_usd_micros=PROFILE.minimum_fee(request.max_cost),
        timebox_sec=request.timebox_sec,
        min_reliability_score=request.min_reliability_score,
        inline_result=request.inline,
        retention_until=now + PROFILE.retention,
        trace_id=trace_id,
        created_at=now,
        updated_at=now,
    )


def _new_payload(run: Run, request: RunRequest) -> RunPayload:
    """Large inputs go to object storage, before any money moves: a failure then costs nobody anything."""
    if len(request.canonical) <= PROFILE.inline_payload_max_bytes:
        return RunPayload(run=run, body=request.canonical.decode(), sha256=request.payload_hash)
    object_key = storage_keys.inputs(run.tenant_id, run.pk, run.created_at)
    store.put(object_key, request.canonical, mime=store.JSON_MIME)
    return RunPayload(run=run, object_key=object_key, sha256=request.payload_hash)
