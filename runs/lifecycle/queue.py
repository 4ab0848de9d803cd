"""The work queue: what a message is, sending a run, making the queues. SQS is only a hint; the run's row is the truth.

A run whose message the queue has not confirmed carries a marker in Redis, set with its hold: the resend job's hint.
"""

import base64
import binascii
import functools
import hashlib
import json
import logging
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID, uuid4

import boto3
import redis
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionClosedError,
    ConnectTimeoutError,
    ReadTimeoutError,
)
from django.conf import settings

from budget import redis_keys
from budget.alarms import alarm
from budget.holds import holds_of, oldest_members
from dpp_project import tracing
from dpp_project.batching import BatchedCalls, NoAnswer
from dpp_project.celery import (
    DEAD_LETTER_QUEUES,
    MAINTENANCE_QUEUE,
    RUNS_QUEUE,
    RUNS_QUEUES,
    WORK_QUEUES,
    app,
    queue_url,
)
from dpp_project.dependency import SQS, DependencySilent
from dpp_project.logging import fields
from dpp_project.metrics import ENQUEUE_FAILURES
from dpp_project.profile import PROFILE
from dpp_project.redis import client
from dpp_project.work_queues import Work
from packs.base import FETCHES
from packs.registry import PACKS
from runs.models import DeadLetter, Run

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.literals import QueueAttributeFilterType
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

log = logging.getLogger("dpp.queue")

EXECUTE_TASK = "runs.execute"
JOB_TASK = "runs.job"
SCHEMA_VERSION = "1"
# A header beside Celery's own, not a field of the schema: workers of a release without it are not disturbed.
TRACEPARENT = "traceparent"


class SendFailed(Exception):
    """The queue did not confirm the message. It may have arrived all the same."""


class MessageRejected(Exception):
    """The queue answered, and did not take this message."""


class BadMessage(ValueError):
    """The message is not of our schema."""


@dataclass(frozen=True)
class RunMessage:
    """The message's schema: the keyword arguments of the task."""

    run_id: str
    tenant_id: str
    pack_type: str
    enqueued_at: str
    schema_version: str = SCHEMA_VERSION

    @classmethod
    def parse(cls, kwargs: dict[str, Any]) -> "RunMessage":
        names = set(cls.__dataclass_fields__)
        if set(kwargs) != names or not all(isinstance(kwargs[name], str) for name in names):
            raise BadMessage(f"fields {sorted(kwargs)} are not {sorted(names)}")
        if kwargs["schema_version"] != SCHEMA_VERSION:
            raise BadMessage(f"schema version {kwargs['schema_version']!r} is unknown")
        try:
            UUID(kwargs["run_id"])
        except ValueError as error:
            raise BadMessage("run_id is not a UUID") from error
        return cls(**kwargs)


def encode(kwargs: dict[str, Any], *, task_name: str, queue: str) -> str:
    """The task as Celery's own producer writes it for SQS; that one sends a single message per call."""
    task_id = str(uuid4())
    task = app.amqp.as_task_v2(
        task_id, task_name, kwargs=kwargs, argsrepr="()", kwargsrepr="{}", origin="dpp", ignore_result=True
    )
    headers = {**task.headers, TRACEPARENT: tracing.traceparent()} if tracing.ON else task.headers
    text = json.dumps(
        {
            "body": base64.b64encode(json.dumps(task.body).encode()).decode(),
            "content-encoding": "utf-8",
            "content-type": "application/json",
            "headers": headers,
            "properties": {
                **task.properties,
                "delivery_mode": 2,
                "delivery_info": {"exchange": queue, "routing_key": queue},
                "priority": 0,
                "body_encoding": "base64",
                "delivery_tag": task_id,
            },
        }
    )
    return base64.b64encode(text.encode()).decode()


def decode(body: str) -> dict[str, Any]:
    """The keyword arguments inside a message: base64 JSON around base64 JSON, or as a worker buried them."""
    try:
        outer = json.loads(_plain(body))
        if isinstance(outer, dict) and "body" not in outer:
            return outer
        _, kwargs, _ = json.loads(base64.b64decode(outer["body"]))
    except (ValueError, KeyError, TypeError, RecursionError, binascii.Error) as error:
        raise BadMessage(f"not a task message: {type(error).__name__}") from error
    if not isinstance(kwargs, dict):
        raise BadMessage("keyword arguments are not an object")
    return kwargs


def _plain(body: str) -> bytes:
    return body.encode() if body.lstrip().startswith("{") else base64.b64decode(body, validate=True)


def work_of(pack_type: str) -> Work:
    """A pack that was taken off the list ends its runs quickly."""
    pack = PACKS.get(pack_type)
    return pack.work if pack else Work.QUICK


def queue_of(run: Run, *, features: Collection[str] = (), live_runs: int | None = None) -> str:
    """Where a run waits, by its kind of work and by how many live runs its tenant has, this one among them.

    What is not told is asked of Redis, or taken from the pack alone. A wrong guess costs time and nothing else: every
    worker can execute every run.
    """
    work = work_of(run.pack_type)
    if work == Work.QUICK and FETCHES in features:
        work = Work.FETCH
    if live_runs is None:
        try:
            live_runs = holds_of(run.tenant_id)
        except redis.RedisError:
            live_runs = 0
    queues = WORK_QUEUES[work]
    return queues.direct if live_runs <= PROFILE.direct_runs_per_tenant else queues.backlog


def send(run: Run, *, now: datetime, features: Collection[str] = (), live_runs: int | None = None) -> None:
    """Enqueue a run where it belongs (`queue_of`); returns when the queue has confirmed it."""
    queue = queue_of(run, features=features, live_runs=live_runs)
    message = RunMessage(str(run.pk), run.tenant_id, run.pack_type, now.isoformat())
    try:
        with tracing.span("send run", kind="PRODUCER", run_id=run.pk, trace_id=run.trace_id), SQS.call():
            body = encode(asdict(message), task_name=EXECUTE_TASK, queue=queue)
            if not _sends[queue].ask(_OutgoingMessage(run.pk, run.tenant_id, body)):
                raise MessageRejected(str(run.pk))
    except (ClientError, BotoCoreError, OSError, MessageRejected, NoAnswer, DependencySilent) as error:
        if isinstance(error, (NoAnswer, ReadTimeoutError, ConnectTimeoutError)):
            SQS.got_no_answer(within_sec=_SEND_WITHIN_SEC)
        ENQUEUE_FAILURES.inc()
        raise SendFailed(type(error).__name__) from error


def send_copy(message: dict[str, Any], queue: str) -> None:
    """The message once more, as new. Harmless: only one of them starts the run."""
    _send_one(queue, encode(message, task_name=EXECUTE_TASK, queue=queue))


def message_group(tenant_id: str) -> str:
    """SQS's fair queues keep a group with many messages from delaying the others of its queue."""
    return hashlib.sha256(tenant_id.encode()).hexdigest()[:32]


def send_job(name: str, *, delay_sec: int = 0) -> None:
    """Ask for one pass of a beat job, as beat does."""
    text = encode({"name": name}, task_name=JOB_TASK, queue=MAINTENANCE_QUEUE)
    _send_one(MAINTENANCE_QUEUE, text, delay_sec=delay_sec)


def refuse_if_silent() -> None:
    """For a submit, before any money moves: a queue that took nothing a moment ago will not take this one."""
    if SQS.is_silent:
        raise SendFailed(DependencySilent.__name__)


def _send_one(queue: str, text: str, *, delay_sec: int = 0) -> None:
    try:
        _sender().send_message(QueueUrl=queue_url(queue), MessageBody=text, DelaySeconds=delay_sec)
    except (ClientError, BotoCoreError, OSError) as error:
        raise SendFailed(type(error).__name__) from error


class _OutgoingMessage(NamedTuple):
    """One run's message on its way."""

    run_id: UUID
    tenant_id: str
    body: str


def _send_batch(queue: str, messages: Sequence[_OutgoingMessage]) -> list[bool]:
    """Which of them the queue has confirmed."""
    entries: list[SendMessageBatchRequestEntryTypeDef] = [
        {"Id": str(number), "MessageBody": message.body} for number, message in enumerate(messages)
    ]
    if settings.SQS_MESSAGE_GROUPS:
        for entry, message in zip(entries, messages, strict=True):
            entry["MessageGroupId"] = message_group(message.tenant_id)
    send_entries = functools.partial(_sender().send_message_batch, QueueUrl=queue_url(queue), Entries=entries)
    try:
        answer = send_entries()
    except ConnectionClosedError:
        # It had rested for too long. Whoever sends twice does no harm.
        answer = send_entries()
    successful = {entry["Id"] for entry in answer.get("Successful", [])}
    confirmed = [str(number) in successful for number in range(len(messages))]
    try:
        _remove_markers([message for message, sent in zip(messages, confirmed, strict=True) if sent])
    except redis.RedisError as error:
        # The run will be sent once more, which is harmless.
        log.warning("not_marked_as_sent", extra=fields(error=type(error).__name__))
    return confirmed


# A submit waits for it: it must know within three seconds.
_SEND_WITHIN_SEC = 1.2

# Two calls on their way at once: the second batch fills while the first travels. SQS takes ten messages per call.
_sends = {
    queue: BatchedCalls(functools.partial(_send_batch, queue), lines=2, most=10, patience_sec=_SEND_WITHIN_SEC)
    for queue in RUNS_QUEUES
}


def unsent(*, older_than_sec: int, batch: int) -> list[UUID]:
    """Runs whose messages the queue has not confirmed for so long."""
    found = []
    for member in oldest_members(redis_keys.all_unsent(), older_than_sec=older_than_sec, batch=batch):
        run_id = redis_keys.run_id_of(member.name)
        if run_id is None:
            client().zrem(member.index_key, member.name)
        else:
            found.append(run_id)
    return found


def take_unsent(run: Run) -> bool:
    """Remove the marker; True for exactly one caller."""
    return client().zrem(redis_keys.unsent(run.tenant_id), str(run.pk)) == 1


def _remove_markers(sent: Sequence[_OutgoingMessage]) -> None:
    """One call for each index: a single server has one, a cluster one for each group of tenants."""
    by_index: dict[str, list[str]] = {}
    for message in sent:
        by_index.setdefault(redis_keys.unsent(message.tenant_id), []).append(str(message.run_id))
    for index, run_ids in by_index.items():
        client().zrem(index, *run_ids)


@functools.cache
def sqs() -> "SQSClient":
    """For all but sending: nobody waits for these calls."""
    return _client(Config(connect_timeout=2, read_timeout=10, retries={"total_max_attempts": 2}))


@functools.cache
def _sender() -> "SQSClient":
    seconds = _SEND_WITHIN_SEC
    return _client(Config(connect_timeout=seconds, read_timeout=seconds, retries={"total_max_attempts": 1}))


def _client(config: Config) -> "SQSClient":
    return boto3.client(
        "sqs",
        endpoint_url=settings.AWS_ENDPOINT_URL,
        region_name=settings.AWS_REGION,
        config=config.merge(Config(max_pool_connections=16)),
    )


def connect() -> None:
    """Build what is slow to build. Opens no connection."""
    sqs()
    _sender()


def extend_visibility(queue: str, receipt_handle: str) -> None:
    """Keep a message with us for another visibility timeout."""
    sqs().change_message_visibility(
        QueueUrl=queue_url(queue),
        ReceiptHandle=receipt_handle,
        VisibilityTimeout=PROFILE.sqs_visibility_timeout_sec,
    )


def depth(queue: str = RUNS_QUEUE) -> int:
    return int(_attribute(queue, "ApproximateNumberOfMessages"))


def _attribute(queue: str, name: "QueueAttributeFilterType") -> str:
    return sqs().get_queue_attributes(QueueUrl=queue_url(queue), AttributeNames=[name])["Attributes"][name]  # type: ignore[index]


def bootstrap_queues() -> list[str]:
    """Create the queues with visibility timeout and redrive, or set these on existing ones. Safe to repeat."""
    visibility = {"VisibilityTimeout": str(PROFILE.sqs_visibility_timeout_sec)}
    for queues in WORK_QUEUES.values():
        _ensure(queues.dead_letters, {**visibility, "MessageRetentionPeriod": "1209600"})
        arn = _attribute(queues.dead_letters, "QueueArn")
        redrive = json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": str(PROFILE.sqs_max_receive_count)})
        for name in queues.taken_by_workers:
            _ensure(name, {**visibility, "RedrivePolicy": redrive, "MessageRetentionPeriod": "345600"})
    # A pass that nobody took within five minutes is stale: the next one does the same work.
    _ensure(MAINTENANCE_QUEUE, {**visibility, "MessageRetentionPeriod": "300"})
    return [*RUNS_QUEUES, *DEAD_LETTER_QUEUES, MAINTENANCE_QUEUE]


def _ensure(name: str, attributes: dict[str, str]) -> None:
    try:
        sqs().get_queue_url(QueueName=name)
    except ClientError:
        sqs().create_queue(QueueName=name, Attributes=attributes)  # type: ignore[arg-type]
    else:
        sqs().set_queue_attributes(QueueUrl=queue_url(name), Attributes=attributes)  # type: ignore[arg-type]


def bury(message_id: str, body: str, problem: str, *, tenant_id: str = "") -> None:
    """A message that fits no run: kept for a person, no run touched."""
    DeadLetter.objects.get_or_create(message_id=message_id, defaults={"body": body, "problem": problem})
    alarm("dead_letter", tenant_id[:64], problem=problem)
