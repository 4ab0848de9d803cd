"""Messages on the queue: their schema, their form on the wire, and where one is kept that fits no run."""

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from budget.alarms import alarm
from dpp_project import tracing
from dpp_project.celery import app
from runs.models import DeadLetter

EXECUTE_TASK = "runs.execute"
JOB_TASK = "runs.job"
SCHEMA_VERSION = "1"
# A header beside Celery's own, not a field of the schema: workers of a release without it are not disturbed.
TRACEPARENT = "traceparent"


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


def bury(message_id: str, body: str, problem: str, *, tenant_id: str = "") -> None:
    """A message that fits no run: kept for a person, no run touched."""
    DeadLetter.objects.get_or_create(message_id=message_id, defaults={"body": body, "problem": problem})
    alarm("dead_letter", tenant_id[:64], problem=problem)


def _plain(body: str) -> bytes:
    return body.encode() if body.lstrip().startswith("{") else base64.b64decode(body, validate=True)
