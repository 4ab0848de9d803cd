"""The work queue: send a run, look at the queues, create them. SQS is only a hint; the run's row is the truth."""

import base64
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
from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings

from budget import holds
from dpp_project import tracing
from dpp_project.celery import DEAD_LETTER_QUEUE, MAINTENANCE_QUEUE, RUNS_QUEUE, app, queue_url
from dpp_project.logging import fields
from dpp_project.metrics import ENQUEUE_FAILURES
from dpp_project.profile import PROFILE
from dpp_project.sharing import NoAnswer, SharedCalls
from runs.models import Run

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

log = logging.getLogger("dpp.queue")

EXECUTE_TASK = "runs.execute"
JOB_TASK = "runs.job"
SCHEMA_VERSION = "1"
# A header beside Celery's own, not a field of the schema: workers of a release without it are not disturbed.
TRACEPARENT = "traceparent"


class SendFailed(Exception):
    """The queue did not confirm the message. It may have arrived all the same."""


class Refused(Exception):
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


def send(run: Run, *, now: datetime) -> None:
    """Enqueue a run; returns when the queue has confirmed it."""
    message = RunMessage(str(run.pk), run.tenant_id, run.pack_type, now.isoformat())
    try:
        with tracing.span("send run", kind="PRODUCER", run_id=run.pk, trace_id=run.trace_id):
            if not _sends.ask(_Letter(run.pk, _task_text(asdict(message)))):
                raise Refused(str(run.pk))
    except (ClientError, BotoCoreError, OSError, Refused, NoAnswer) as error:
        ENQUEUE_FAILURES.inc()
        raise SendFailed(type(error).__name__) from error


def send_copy(message: dict[str, Any]) -> None:
    """The message once more, as new. Harmless: only one of them starts the run."""
    _send_one(RUNS_QUEUE, _task_text(message))


def send_job(name: str, *, delay_sec: int = 0) -> None:
    """Ask for one pass of a beat job, as beat does."""
    text = _task_text({"name": name}, task_name=JOB_TASK, queue=MAINTENANCE_QUEUE)
    _send_one(MAINTENANCE_QUEUE, text, delay_sec=delay_sec)


def _send_one(queue: str, text: str, *, delay_sec: int = 0) -> None:
    try:
        sqs().send_message(QueueUrl=queue_url(queue), MessageBody=text, DelaySeconds=delay_sec)
    except (ClientError, BotoCoreError, OSError) as error:
        raise SendFailed(type(error).__name__) from error


def _task_text(kwargs: dict[str, Any], *, task_name: str = EXECUTE_TASK, queue: str = RUNS_QUEUE) -> str:
    """The task as Celery's own producer writes it for SQS; that one sends a single message a call."""
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


class _Letter(NamedTuple):
    """One run's message on its way."""

    run_id: UUID
    body: str


def _deliver(letters: Sequence[_Letter]) -> list[bool]:
    """Which of them the queue has confirmed."""
    answer = sqs().send_message_batch(
        QueueUrl=queue_url(RUNS_QUEUE),
        Entries=[{"Id": str(number), "MessageBody": letter.body} for number, letter in enumerate(letters)],
    )
    successful = {entry["Id"] for entry in answer.get("Successful", [])}
    confirmed = [str(number) in successful for number in range(len(letters))]
    try:
        holds.mark_sent([letter.run_id for letter, sent in zip(letters, confirmed, strict=True) if sent])
    except redis.RedisError as error:
        # The run will be sent once more, which is harmless.
        log.warning("not_marked_as_sent", extra=fields(error=type(error).__name__))
    return confirmed


# Two calls on their way at once: the second batch fills while the first travels. SQS takes ten messages a call.
_sends = SharedCalls(_deliver, lines=2, most=10)


@functools.cache
def sqs() -> "SQSClient":
    return boto3.client(
        "sqs",
        endpoint_url=settings.AWS_ENDPOINT_URL,
        region_name=settings.AWS_REGION,
        config=Config(connect_timeout=2, read_timeout=10, retries={"total_max_attempts": 2}, max_pool_connections=16),
    )


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
