"""Messages that three receives could not deliver: their run is ended with the minimum fee, unless it lives."""

import base64
import binascii
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from budget.ledger import alarm
from dpp_project.celery import DEAD_LETTER_QUEUE, queue_url
from runs import finalize, transitions
from runs.finalize import Ending
from runs.jobs.passes import Budget
from runs.models import DeadLetter, Run
from runs.outcomes import failed
from runs.queue import BadMessage, RunMessage, sqs
from runs.states import Actor, Reason, Status

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import MessageTypeDef

_BUDGET_SEC = 10.0
_DETAIL = "The run could not be started in three attempts."


@dataclass(frozen=True)
class Buried:
    found: int = 0
    ended: int = 0
    acknowledged: int = 0
    kept: int = 0
    left: int = 0


def dead_letters() -> Buried:
    """One bounded pass. A message is deleted only after what it stands for is settled or written down."""
    counts = {"ended": 0, "acknowledged": 0, "kept": 0, "left": 0}
    budget = Budget(_BUDGET_SEC)
    while messages := _receive():
        for message in messages:
            counts[_handle(message["MessageId"], message["Body"])] += 1
            sqs().delete_message(QueueUrl=queue_url(DEAD_LETTER_QUEUE), ReceiptHandle=message["ReceiptHandle"])
        if budget.is_spent:
            break
    return Buried(sum(counts.values()), **counts)


def _receive() -> "list[MessageTypeDef]":
    answer = sqs().receive_message(QueueUrl=queue_url(DEAD_LETTER_QUEUE), MaxNumberOfMessages=10, WaitTimeSeconds=0)
    return answer.get("Messages", [])


def _handle(message_id: str, body: str) -> str:
    try:
        message = RunMessage.parse(task_kwargs(body))
    except BadMessage as error:
        return _keep(message_id, body, str(error))
    run = Run.objects.filter(pk=UUID(message.run_id)).first()
    if run is None or run.tenant_id != message.tenant_id:
        return _keep(message_id, body, "unknown run" if run is None else "tenant differs")
    if run.status != Status.QUEUED or run.finalize_stage is not None:
        return "acknowledged"
    outcome = failed(run, Reason.WORKER_CRASHED, _DETAIL)
    ending = finalize.end(run, lambda: transitions.claim_queued(run, outcome, actor=Actor.DLQ), actor=Actor.DLQ)
    return {Ending.ENDED: "ended", Ending.LOST: "acknowledged", Ending.LEFT: "left"}[ending]


def task_kwargs(body: str) -> dict[str, Any]:
    """The keyword arguments inside a Celery message: base64 JSON around base64 JSON."""
    try:
        outer = json.loads(_decoded(body))
        _, kwargs, _ = json.loads(base64.b64decode(outer["body"]))
    except (ValueError, KeyError, TypeError, binascii.Error) as error:
        raise BadMessage(f"not a task message: {type(error).__name__}") from error
    if not isinstance(kwargs, dict):
        raise BadMessage("keyword arguments are not an object")
    return kwargs


def _decoded(body: str) -> bytes:
    return body.encode() if body.lstrip().startswith("{") else base64.b64decode(body, validate=True)


def _keep(message_id: str, body: str, problem: str) -> str:
    DeadLetter.objects.get_or_create(message_id=message_id, defaults={"body": body, "problem": problem})
    alarm("dead_letter", "", problem=problem)
    return "kept"
