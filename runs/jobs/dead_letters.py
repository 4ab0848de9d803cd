"""Messages that three receives could not deliver: their run is ended with the minimum fee, unless it lives.

A message that no worker held so often was lost on the way from SQS (a brownout): it is sent again, and counts afresh.
"""

from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING
from uuid import UUID

from dpp_project.celery import DEAD_LETTER_QUEUES, queue_url
from runs.jobs.passes import UNREAD, TimeLimit, isolated
from runs.lifecycle import finalize, redeliveries, transitions
from runs.lifecycle.finalize import Ending
from runs.lifecycle.outcomes import failed
from runs.lifecycle.queue import BadMessage, RunMessage, SendFailed, bury, decode, queue_of, send_copy, sqs
from runs.models import Run
from runs.states import Actor, Reason, Status

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import MessageTypeDef

_TIME_LIMIT_SEC = 10.0
_DETAIL = "The run could not be started in three attempts."


@dataclass(frozen=True)
class Buried:
    found: int = 0
    ended: int = 0
    acknowledged: int = 0
    kept: int = 0
    left: int = 0
    sent_again: int = 0


def dead_letters() -> Buried:
    """One bounded pass. A message is deleted only after what it stands for is settled or written down."""
    counts = {"ended": 0, "acknowledged": 0, "kept": 0, "left": 0, "sent_again": 0}
    time_limit = TimeLimit(_TIME_LIMIT_SEC)
    for queue in DEAD_LETTER_QUEUES:
        while messages := _receive(queue):
            for message in messages:
                counts[isolated(partial(_settle, queue), message)] += 1
            if time_limit.is_over:
                break  # of each queue at least one batch
    return Buried(sum(counts.values()), **counts)


def _settle(queue: str, message: "MessageTypeDef") -> str:
    outcome = _handle(message["MessageId"], message["Body"])
    sqs().delete_message(QueueUrl=queue_url(queue), ReceiptHandle=message["ReceiptHandle"])
    return outcome


def _receive(queue: str) -> "list[MessageTypeDef]":
    answer = sqs().receive_message(QueueUrl=queue_url(queue), MaxNumberOfMessages=10, WaitTimeSeconds=0)
    return answer.get("Messages", [])


def _handle(message_id: str, body: str) -> str:
    try:
        message = RunMessage.parse(decode(body))
    except BadMessage as error:
        bury(message_id, body, str(error))
        return "kept"
    run = Run.objects.defer(*UNREAD).filter(pk=UUID(message.run_id)).first()
    if run is None or run.tenant_id != message.tenant_id:
        bury(message_id, body, "unknown run" if run is None else "tenant differs")
        return "kept"
    if run.status != Status.QUEUED or run.finalize_stage is not None:
        return "acknowledged"
    if not redeliveries.all_reached_a_worker(run.pk):
        try:
            send_copy(asdict(message), queue_of(run))
        except SendFailed:
            return "left"  # the resend job finds it
        return "sent_again"
    outcome = failed(run, Reason.WORKER_CRASHED, _DETAIL)
    ending = finalize.end(run, lambda: transitions.claim_queued(run, outcome, actor=Actor.DLQ), actor=Actor.DLQ)
    if ending == Ending.LEFT:
        # Claimed, it is reconcile's. Otherwise the message comes again.
        finalize.must_be_claimed(run)
    return {Ending.ENDED: "ended", Ending.LOST: "acknowledged", Ending.LEFT: "left"}[ending]
