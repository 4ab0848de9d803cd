"""Execute one message: start by CAS, run the pack under its lease and timebox, upload, then claim -> money -> commit.

Called by the Celery task; tests call it directly. Whoever loses a race writes nothing and acknowledges.
"""

import json
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from uuid import UUID, uuid4

from django.db import InterfaceError, OperationalError, connection

from dpp_project import tracing
from dpp_project.faults import crash_point
from dpp_project.logging import fields
from dpp_project.metrics import RUN_SECONDS
from dpp_project.postgresql import prepared
from dpp_project.profile import PROFILE
from packs.base import JsonObject, LeaseLost, Pack, needed_features
from packs.registry import PACKS
from runs import run_rows
from runs.access import switches
from runs.events.publish import OUTBOX
from runs.exceptions import LostRace
from runs.lifecycle import finalize, transitions
from runs.lifecycle.finalize import Ending
from runs.lifecycle.outcomes import Outcome, never_started
from runs.lifecycle.queue import BadMessage, RunMessage, bury
from runs.lifecycle.stored_request import read_request
from runs.models import Run, RunPayload
from runs.states import Actor, Reason, Status
from runs.worker.execution import Execution
from runs.worker.heartbeat import Heartbeat
from storage.exceptions import ObjectDamaged, ObjectMissing, StorageError

log = logging.getLogger("dpp.worker")

_CLAIM_AGAIN_SEC = 1.0

_RUN_AND_PAYLOAD = f"""
    SELECT {run_rows.COLUMNS}, run_payloads.body, run_payloads.object_key, run_payloads.sha256
    FROM runs LEFT JOIN run_payloads USING (run_id)
    WHERE runs.run_id = %s
"""  # noqa: S608


class StartFailed(Exception):
    """PostgreSQL or the object store does not answer. The message can be tried again: a run that did start unseen is
    not started twice, and left to the reaper."""


class MessageOutcome(StrEnum):
    """Why a message may be acknowledged."""

    ENDED = "ended"
    NOT_OURS = "not_ours"
    LEFT_TO_RECONCILE = "left_to_reconcile"
    DEAD_LETTER = "dead_letter"
    SENT_AGAIN = "sent_again"


_OUTCOME_OF = {
    Ending.ENDED: MessageOutcome.ENDED,
    Ending.LOST: MessageOutcome.NOT_OURS,
    Ending.LEFT: MessageOutcome.LEFT_TO_RECONCILE,
}


@dataclass(frozen=True)
class Delivery:
    """The message as the queue gave it to us."""

    message_id: str
    body: JsonObject
    extend: Callable[[], None]


def run_one(delivery: Delivery, *, packs: Mapping[str, Pack] = PACKS) -> MessageOutcome:
    with OUTBOX.opened():
        try:
            begun = _begin(delivery, packs)
        except (OperationalError, InterfaceError, StorageError) as error:
            connection.close()
            raise StartFailed from error
        if isinstance(begun, MessageOutcome):
            return begun
        crash_point("run.started")
        return _execute(*begun, delivery, packs)


def _begin(delivery: Delivery, packs: Mapping[str, Pack]) -> tuple[Run, RunPayload] | MessageOutcome:
    """Find the message's run and start it, or say why there is nothing to execute."""
    try:
        message = RunMessage.parse(delivery.body)
    except BadMessage as error:
        return _bury(delivery, str(error))
    found = _load(UUID(message.run_id))
    if found is None or found[0].tenant_id != message.tenant_id:
        return _bury(delivery, "unknown run" if found is None else "tenant differs")
    run, payload = found
    crash_point("run.received")
    if switches.anything_is_off() and _end_if_switched_off(run, payload, packs):
        return MessageOutcome.ENDED
    started = _start(run)
    return (started, payload) if started else MessageOutcome.NOT_OURS


def _load(run_id: UUID) -> tuple[Run, RunPayload] | None:
    row = prepared.fetch_one(_RUN_AND_PAYLOAD, [run_id])
    if row is None:
        return None
    body, object_key, sha256 = run_rows.extra_columns(row)
    return run_rows.run_of(row), RunPayload(run_id=run_id, body=body, object_key=object_key, sha256=sha256)


def _end_if_switched_off(run: Run, payload: RunPayload, packs: Mapping[str, Pack]) -> bool:
    """A queued run hit by a kill switch ends before it starts, and costs nothing."""
    if run.status != Status.QUEUED or run.finalize_stage is not None:
        return False
    try:
        request = read_request(payload)
    except (ObjectMissing, ObjectDamaged):
        # Executing it will find the same, and say so.
        return False
    docx = bool(request["artifacts"]["include_docx"])
    try:
        switches.refuse_disabled(needed_features(packs[run.pack_type], request["inputs"], docx=docx))
    except switches.FeatureDisabled as disabled:
        detail = f"Switched off by the operator ({disabled.switch}) before the run started. Nothing was charged."
        outcome = never_started(Reason.FEATURE_DISABLED, detail)
        claim = partial(transitions.claim_queued, run, outcome, actor=Actor.WORKER)
        return finalize.end(run, claim, actor=Actor.WORKER) != Ending.LOST
    return False


def _start(run: Run) -> Run | None:
    """QUEUED -> PROCESSING. A lost compare-and-set is looked at again: only a run that is still queued is ours."""
    while run.status == Status.QUEUED and run.finalize_stage is None:
        try:
            transitions.start(run, lease_token=uuid4())
        except LostRace:
            run = Run.objects.get(pk=run.pk)
        else:
            return run
    return None


def _execute(run: Run, payload: RunPayload, delivery: Delivery, packs: Mapping[str, Pack]) -> MessageOutcome:
    assert run.lease_token is not None
    began = time.monotonic()
    with Heartbeat(run.pk, run.lease_token, extend_message=delivery.extend) as heartbeat:
        try:
            with tracing.span(
                "pack", run_id=run.pk, tenant_id=run.tenant_id, trace_id=run.trace_id, pack_type=run.pack_type
            ) as span:
                outcome = Execution(run, payload, packs[run.pack_type], heartbeat).outcome()
                span.note(outcome=outcome.status, reason_code=outcome.reason)
        except LeaseLost:
            log.warning("run_lost", extra=fields(run_id=run.pk, tenant_id=run.tenant_id, trace_id=run.trace_id))
            return MessageOutcome.NOT_OURS
        with tracing.span("finalize", run_id=run.pk, trace_id=run.trace_id) as span:
            ending = finalize.end(run, partial(_claim, run, outcome, heartbeat), actor=Actor.WORKER)
            span.note(ending=ending)
        heartbeat.release_redis_lease()
    RUN_SECONDS.labels(pack_type=run.pack_type, outcome=ending).observe(time.monotonic() - began)
    return _OUTCOME_OF[ending]


def _claim(run: Run, outcome: Outcome, heartbeat: Heartbeat) -> None:
    """A database that is away for a moment does not cost a finished run: its lease is good for longer than that.

    A claim that landed unseen is found lost by the next try, and left to reconcile, which keeps its outcome.
    """
    assert run.lease_token is not None
    gives_up = time.monotonic() + PROFILE.lease_ttl_sec / 2
    while True:
        try:
            return transitions.claim_own(run, outcome, lease_token=run.lease_token)
        except (OperationalError, InterfaceError):
            connection.close()
            if heartbeat.lost.is_set() or time.monotonic() > gives_up:
                raise
            log.warning("claim_tried_again", extra=fields(run_id=run.pk, tenant_id=run.tenant_id))
            time.sleep(_CLAIM_AGAIN_SEC)


def _bury(delivery: Delivery, problem: str) -> MessageOutcome:
    tenant_id = str(delivery.body.get("tenant_id", ""))
    bury(delivery.message_id, json.dumps(delivery.body), problem, tenant_id=tenant_id)
    return MessageOutcome.DEAD_LETTER
