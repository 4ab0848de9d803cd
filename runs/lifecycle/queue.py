"""The work queue: what a message is, sending a run, making the queues. SQS is only a hint; the run's row is the truth.

A run whose message the queue has not confirmed carries a marker in Redis, set with its hold: the resend job's hint.
"""

import base64
import binascii
import functools
import json
import logging
from collections.abc import Sequence
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
from budget.holds import members_by_age
from dpp_project import tracing
from dpp_project.batching import BatchedCalls, NoAnswer
from dpp_project.celery import DEAD_LETTER_QUEUE, MAINTENANCE_QUEUE, RUNS_QUEUE, app, queue_url
from dpp_project.dependency import SQS, DependencySilent
from dpp_project.logging import fields
from dpp_project.metrics import ENQUEUE_FAILURES
from dpp_project.profile import PROFILE
from dpp_project.redis import client
from runs.models import DeadLetter, Run

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
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


def send(run: Run, *, now: datetime) -> None:
    """Enqueue a run; returns when the queue has confirmed it."""
    message = RunMessage(str(run.pk), run.tenant_id, run.pack_type, now.isoformat())
    try:
        with tracing.span("send run", kind="PRODUCER", run_id=run.pk, trace_id=run.trace_id), SQS.call():
            if not _sends.ask(
                _OutgoingMessage(run.pk, encode(asdict(message), task_name=EXECUTE_TASK, queue=RUNS_QUEUE))
            ):
                raise MessageRejected(str(run.pk))
    except (ClientError, BotoCoreError, OSError, MessageRejected, NoAnswer, DependencySilent) as error:
        if isinstance(error, (NoAnswer, ReadTimeoutError, ConnectTimeoutError)):
            SQS.got_no_answer(within_sec=_SEND_WITHIN_SEC)
        ENQUEUE_FAILURES.inc()
        raise SendFailed(type(error).__name__) from error


def send_copy(message: dict[str, Any]) -> None:
    """The message once more, as new. Harmless: only one of them starts the run."""
    _send_one(RUNS_QUEUE, encode(message, task_name=EXECUTE_TASK, queue=RUNS_QUEUE))


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
    body: str


def _send_batch(messages: Sequence[_OutgoingMessage]) -> list[bool]:
    """Which of them the queue has confirmed."""
    entries: list[SendMessageBatchRequestEntryTypeDef] = [
        {"Id": str(number), "MessageBody": message.body} for number, message in enumerate(messages)
    ]
    send_entries = functools.partial(_sender().send_message_batch, QueueUrl=queue_url(RUNS_QUEUE), Entries=entries)
    try:
        answer = send_entries()
    except ConnectionClosedError:
        # It had rested for too long. Whoever sends twice does no harm.
        answer = send_entries()
    successful = {entry["Id"] for entry in answer.get("Successful", [])}
    confirmed = [str(number) in successful for number in range(len(messages))]
    try:
        _remove_markers([message.run_id for message, sent in zip(messages, confirmed, strict=True) if sent])
    except redis.RedisError as error:
        # The run will be sent once more, which is harmless.
        log.warning("not_marked_as_sent", extra=fields(error=type(error).__name__))
    return confirmed


# A submit waits for it: it must know within three seconds.
_SEND_WITHIN_SEC = 1.2

# Two calls on their way at once: the second batch fills while the first travels. SQS takes ten messages a call.
_sends = BatchedCalls(_send_batch, lines=2, most=10, patience_sec=_SEND_WITHIN_SEC)


def unsent(*, older_than_sec: int, batch: int) -> list[UUID]:
    """Runs whose messages the queue has not confirmed for so long."""
    found = []
    for member, _ in members_by_age(redis_keys.UNSENT, "-inf", older_than_sec, batch):
        run_id = redis_keys.run_id_of(member)
        if run_id is None:
            client().zrem(redis_keys.UNSENT, member)
        else:
            found.append(run_id)
    return found


def take_unsent(run_id: UUID) -> bool:
    """Remove the marker; True for exactly one caller."""
    return client().zrem(redis_keys.UNSENT, str(run_id)) == 1


def _remove_markers(run_ids: Sequence[UUID]) -> None:
    if run_ids:
        client().zrem(redis_keys.UNSENT, *map(str, run_ids))


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
    attributes = sqs().get_queue_attributes(QueueUrl=queue_url(queue), AttributeNames=["ApproximateNumberOfMessages"])[
        "Attributes"
    ]
    return int(attributes["ApproximateNumberOfMessages"])


def bootstrap_queues() -> list[str]:
    """Create the queues with visibility timeout and redrive, or set these on existing ones. Safe to repeat."""
    visibility = {"VisibilityTimeout": str(PROFILE.sqs_visibility_timeout_sec)}
    _ensure(DEAD_LETTER_QUEUE, {**visibility, "MessageRetentionPeriod": "1209600"})
    dlq_arn = sqs().get_queue_attributes(QueueUrl=queue_url(DEAD_LETTER_QUEUE), AttributeNames=["QueueArn"])[
        "Attributes"
    ]["QueueArn"]
    redrive = json.dumps({"deadLetterTargetArn": dlq_arn, "maxReceiveCount": str(PROFILE.sqs_max_receive_count)})
    _ensure(RUNS_QUEUE, {**visibility, "RedrivePolicy": redrive, "MessageRetentionPeriod": "345600"})
    # A pass that nobody took within five minutes is stale: the next one does the same work.
    _ensure(MAINTENANCE_QUEUE, {**visibility, "MessageRetentionPeriod": "300"})
    return [RUNS_QUEUE, DEAD_LETTER_QUEUE, MAINTENANCE_QUEUE]


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
