"""Accept a run: replay or reserve -> row -> mapping -> send. The order is what makes every crash harmless.

Redis admits (one call; fast, may be wrong), PostgreSQL decides (balance row and unique key in one call), Redis maps the
key to the run (one call), the queue gets its message last. Called by the REST view; knows no HTTP.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from uuid import uuid4

import redis
from django.db import DatabaseError, InterfaceError, connection
from django.db.models import BooleanField, ExpressionWrapper, Q
from django.db.models.functions import Now

from budget import journal, ledger
from budget.exceptions import InsufficientFunds, LedgerError, LedgerUnavailable, ReservationVoided, SpendingFrozen
from budget.holds import holds_of
from budget.rebuild import rebuild
from budget.scripts import BalanceMissing
from dpp_project.faults import crash_point
from dpp_project.logging import fields
from dpp_project.metrics import SUBMITS
from dpp_project.money import Micros
from dpp_project.profile import PROFILE, profile_of
from runs.access import key_budgets, plans
from runs.access.limits import Gate, RateLimited, TooManyRuns
from runs.access.switches import FeatureDisabled, refuse_disabled
from runs.events import event
from runs.events.event import Event
from runs.exceptions import (
    EnqueueFailed,
    IdempotencyConflict,
    KeyBudgetDrained,
    OutcomeUnknown,
    QuoteExpired,
    ReservationTooSmall,
)
from runs.lifecycle import acceptance, finalize, queue, statements, transitions
from runs.lifecycle.acceptance import has_unknown_outcome, sqlstate
from runs.lifecycle.admission import Admission, Mapping
from runs.lifecycle.finalize import Ending
from runs.lifecycle.outcomes import never_started
from runs.lifecycle.request import RunRequest
from runs.lifecycle.retention import expire_run, folder_of
from runs.models import ApiKey, Run, RunPayload, Tenant
from runs.states import Actor, Reason, Status
from storage import store
from storage.exceptions import StorageError

log = logging.getLogger("dpp.submit")

# Deadlock and serialization failure: the transaction is rolled back for certain and may be tried again.
_TRY_AGAIN = ("40001", "40P01")
_MOST_TRIES = 3

# Of a fresh run; a replay is answered all the same.
_REFUSALS = (
    *(FeatureDisabled, ReservationTooSmall, QuoteExpired),
    *(RateLimited, TooManyRuns, InsufficientFunds, queue.SendFailed),
)


@dataclass(frozen=True)
class Accepted:
    run: Run
    replayed: bool
    available: Micros


class _KeyTaken(Exception):
    """The unique constraint knows a run under this key that Redis had forgotten."""

    def __init__(self, run: Run) -> None:
        super().__init__(run.idempotency_key)
        self.run = run


def submit(
    tenant: Tenant,
    request: RunRequest,
    *,
    key: str,
    trace_id: str,
    now: datetime,
    gate: Gate | None = None,
    api_key: ApiKey | None = None,
) -> Accepted:
    """Without a gate no limits apply, without an API key no budget of one: for callers that are not a tenant's
    requests."""
    new_run = partial(_new_run, tenant, request, key=key, trace_id=trace_id, now=now, api_key=api_key)
    find = partial(_usable, tenant, key)
    admission = Admission(tenant.pk, key)
    try:
        return _submit(admission, new_run, find, request, gate)
    finally:
        admission.release_key()


def _submit(
    admission: Admission,
    new_run: Callable[[], Run],
    find: Callable[[], Run | None],
    request: RunRequest,
    gate: Gate | None,
) -> Accepted:
    run = new_run()
    known = _admit(admission, run, find, request, gate)
    if known is None:
        crash_point("submit.reserved")
        try:
            run, available = _insert_held(run, request, new_run, find)
        except _KeyTaken as taken:
            known = taken.run
            # Redis forgot the key: mapped again, or every further replay would come this long way.
            _confirm(admission, known)
    if known is not None:
        return _replay(known, request, gate)
    crash_point("submit.committed")
    _confirm(admission, run, event.of_row(run, at=run.created_at))
    crash_point("submit.mapped")
    try:
        queue.send(run, now=run.created_at, features=request.features, live_runs=admission.live_runs)
    except queue.SendFailed as error:
        log.warning("enqueue_failed", extra=fields(run_id=run.pk, tenant_id=run.tenant_id, error=str(error)))
        if _give_up(run):
            admission.forget_mapping(run)
            raise EnqueueFailed(run.pk) from error
    crash_point("submit.sent")
    SUBMITS.labels(outcome="accepted").inc()
    return Accepted(run, replayed=False, available=available)


def _admit(
    admission: Admission, run: Run, find: Callable[[], Run | None], request: RunRequest, gate: Gate | None
) -> Run | None:
    """None once the run's money is held, or the run that already has this key."""
    try:
        refuse_disabled(request.features)
        if request.max_cost < request.least:
            raise ReservationTooSmall(least=request.least, given=request.max_cost)
        if request.quote_is_expired:
            raise QuoteExpired
        queue.refuse_if_silent()
        while isinstance(found := _held_or_mapped(admission, run, gate), Mapping):
            known = find()
            if known is not None:
                return known
            # The mapping is a hint: it named an expired, released or absent run.
            admission.ignore_mapping(found)
    except _REFUSALS as refusal:
        # Refused as a fresh run. But a replay is answered whatever the limits and the balance say, and Redis may have
        # forgotten the key.
        known = find()
        if known is None:
            if gate and isinstance(refusal, FeatureDisabled | ReservationTooSmall | QuoteExpired):
                gate.refused_submit()
            raise
        _confirm(admission, known)
        return known
    return None


def _held_or_mapped(admission: Admission, run: Run, gate: Gate | None) -> Mapping | Micros:
    try:
        return admission.admit(run, gate)
    except BalanceMissing:
        # Redis has forgotten the tenant. The key is locked and the rate is counted; but how many runs are live was
        # forgotten too, and is only known again after the rebuild.
        rebuild(run.tenant_id)
        available = ledger.reserve(run.tenant_id, run.pk, Micros(run.reservation_max_cost_usd_micros))
        if gate:
            try:
                gate.count_live_runs(holds_of(run.tenant_id))
            except TooManyRuns:
                _return_hold(run)
                raise
        return available


def _confirm(admission: Admission, run: Run, event: Event | None = None) -> None:
    """Map the key, and put the hold back if Redis lost it. The run is committed: a silent Redis no longer stops it."""
    try:
        if not admission.confirm(run, event):
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
    crash_point("submit.repeated")
    if run.status == Status.QUEUED and not transitions.repeat_receipt(run):
        # Its message was not sent, and it is being given up: a receipt now would name a run that its key will not name.
        raise EnqueueFailed(run.pk)
    SUBMITS.labels(outcome="replayed").inc()
    return Accepted(run, replayed=True, available=journal.available(run.tenant_id))


def _usable(tenant: Tenant, key: str) -> Run | None:
    """The run that this key names, if it still does. One past its retention, by the database, is expired first."""
    known = Run.objects.filter(tenant=tenant, idempotency_key=key, idempotency_released=False)
    past_retention = ExpressionWrapper(Q(retention_until__lte=Now()), BooleanField())
    run = known.exclude(status=Status.EXPIRED).annotate(past_retention=past_retention).first()
    if run is not None and run.past_retention and expire_run(run, actor=Actor.API):
        return None
    return run


def _insert_held(
    run: Run, request: RunRequest, new_run: Callable[[], Run], find: Callable[[], Run | None]
) -> tuple[Run, Micros]:
    """Make the hold true in the database. Returns the run and what is left; what fails for certain gives it back."""
    for attempt in range(_MOST_TRIES):
        if attempt:
            # A hold that was returned is never made again: the next try is another run.
            run = new_run()
            ledger.reserve(run.tenant_id, run.pk, request.max_cost)
        try:
            return run, _insert(run, request)
        except InsufficientFunds:
            # Redis believed in more than there is: put it right, and try once more on the truth.
            _return_hold(run)
            _forget_inputs(run, request)
            rebuild(run.tenant_id)
            if attempt:
                raise
        except OutcomeUnknown:
            raise
        except Exception as error:
            _return_hold(run)
            _forget_inputs(run, request)
            state = sqlstate(error)
            if state == statements.KEY_IS_TAKEN and statements.ONE_KEY_CONSTRAINT in str(error):
                known = find()
                if known is not None:
                    raise _KeyTaken(known) from error
            elif state not in _TRY_AGAIN:
                raise
            if attempt == _MOST_TRIES - 1:
                raise
    raise AssertionError("unreachable: the last try raises or returns")


def _insert(run: Run, request: RunRequest) -> Micros:
    """One call, one transaction: run, payload, transition, RESERVE entry, balance row. Those that come at the same time
    share it."""
    payload = _new_payload(run, request)
    try:
        return acceptance.accept(run, payload)
    except (DatabaseError, InterfaceError) as error:
        state = sqlstate(error)
        if state == statements.INSUFFICIENT:
            raise InsufficientFunds(available=journal.available(run.tenant_id), required=request.max_cost) from error
        if state == statements.FROZEN:
            raise SpendingFrozen(run.tenant_id) from error
        if state == statements.KEY_DRAINED:
            raise _drained(run) from error
        if state == statements.VOIDED:
            raise ReservationVoided(str(run.pk)) from error
        # Only the database can tell, by the run's id.
        if has_unknown_outcome(error):
            return _after_unknown_commit(run, error)
        raise


def _drained(run: Run) -> KeyBudgetDrained:
    assert run.key_budget_id is not None
    left = key_budgets.left(run.key_budget_id)
    required = Micros(run.reservation_max_cost_usd_micros)
    return KeyBudgetDrained(left=left.total, per_run=left.per_run, required=required)


def _after_unknown_commit(run: Run, error: Exception) -> Micros:
    log.warning("commit_outcome_unknown", extra=fields(run_id=run.pk, tenant_id=run.tenant_id))
    connection.close()
    try:
        if Run.objects.filter(pk=run.pk).exists():
            return journal.available(run.tenant_id)
    except DatabaseError:
        pass
    raise OutcomeUnknown(str(run.pk)) from error


def _return_hold(run: Run) -> None:
    """No run came of it. If Redis does not answer, the sweeper finds the hold."""
    try:
        ledger.refund_full(run.tenant_id, run.pk)
    except LedgerError:
        log.warning("hold_left_to_sweeper", extra=fields(run_id=run.pk, tenant_id=run.tenant_id))


def _forget_inputs(run: Run, request: RunRequest) -> None:
    """No run came of it: nobody will read them. Whoever dies before this leaves them to the sweeper, with the hold."""
    if _is_inline(request):
        return
    try:
        store.delete([folder_of(run).inputs])
    except StorageError:
        log.warning("inputs_left_to_lifecycle", extra=fields(run_id=run.pk, tenant_id=run.tenant_id))


def _give_up(run: Run) -> bool:
    """The send failed: end the run and free its key. False if a worker has it, or somebody else its receipt."""
    detail = "The work could not be queued. Nothing was charged; the same Idempotency-Key starts a fresh run."
    outcome = never_started(Reason.QUEUE_ENQUEUE_FAILED, detail, releases_key=True)
    ending = finalize.end(run, lambda: transitions.claim_unsent(run, outcome), actor=Actor.API)
    if ending == Ending.LEFT:
        finalize.must_be_claimed(run)
    return ending != Ending.LOST


def _new_run(
    tenant: Tenant, request: RunRequest, *, key: str, trace_id: str, now: datetime, api_key: ApiKey | None = None
) -> Run:
    profile = profile_of(request.profile_version)
    return Run(
        run_id=uuid4(),
        tenant=tenant,
        pack_type=request.pack_type,
        profile_version=profile.version,
        idempotency_key=key,
        payload_hash=request.payload_hash,
        reservation_max_cost_usd_micros=request.max_cost,
        minimum_fee_usd_micros=profile.minimum_fee(request.max_cost),
        timebox_sec=request.timebox_sec,
        min_reliability_score=request.min_reliability_score,
        inline_result=request.inline,
        retention_until=now + plans.retention_of(tenant, profile),
        trace_id=trace_id,
        client_name=request.client_name,
        client_version=request.client_version,
        api_key_id=api_key.pk if api_key else None,
        key_budget_id=api_key.budget_id if api_key else None,
        tags=dict(request.tags) if request.tags else None,
        created_at=now,
        updated_at=now,
    )


def _new_payload(run: Run, request: RunRequest) -> RunPayload:
    """Large inputs go to object storage, before any money moves: a failure then costs nobody anything."""
    if _is_inline(request):
        return RunPayload(run=run, body=request.canonical.decode(), sha256=request.payload_hash)
    object_key = folder_of(run).inputs
    store.put(object_key, request.canonical, mime=store.JSON_MIME)
    return RunPayload(run=run, object_key=object_key, sha256=request.payload_hash)


def _is_inline(request: RunRequest) -> bool:
    return len(request.canonical) <= PROFILE.inline_payload_max_bytes
