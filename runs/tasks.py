"""The Celery tasks: message schemas and a few lines. The work is in plain functions that tests call directly."""

import logging
import time
from collections.abc import Callable
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from celery import signals
from django.db import connection

from dpp_project import tracing
from dpp_project.celery import RUNS_QUEUE, RUNS_QUEUES, app
from dpp_project.logging import fields
from dpp_project.profile import PROFILE
from packs.base import JsonObject
from runs.jobs.runner import run_job
from runs.jobs.table import beat_schedule
from runs.lifecycle import redeliveries
from runs.lifecycle.queue import EXECUTE_TASK, JOB_TASK, TRACEPARENT, SendFailed, extend_visibility, send_copy
from runs.lifecycle.warm import warm_up
from runs.worker.run_one import Delivery, MessageOutcome, StartFailed, run_one
from runs.worker.warm import warm_up_for_runs

log = logging.getLogger("dpp.tasks")

_TRY_AGAIN_SEC = 2

app.conf.beat_schedule = beat_schedule()


@signals.worker_init.connect
def _warm_up(options: dict[str, Any] | None = None, **_: Any) -> None:
    queues = (options or {}).get("queues")
    if not queues or any(name in queues for name in RUNS_QUEUES):
        warm_up_for_runs()
    else:
        warm_up()


@signals.task_postrun.connect
def _give_connection_back(**_: Any) -> None:
    connection.close()


@app.task(name=EXECUTE_TASK, bind=True)
def execute(task: Any, /, **message: Any) -> str:
    receipt_handle = (task.request.properties or {}).get("delivery_tag")
    queue = _queue_of(task)

    def extend() -> None:
        if receipt_handle:
            extend_visibility(queue, receipt_handle)

    redeliveries.note(str(message.get("run_id", ""))[:64], receive_count=_receive_count(task))
    delivery = Delivery(message_id=task.request.id, body=message, extend=extend)
    sender = getattr(task.request, TRACEPARENT, None) if tracing.ON else None
    with tracing.span("execute run", kind="CONSUMER", parent=sender, run_id=message.get("run_id")) as span:
        done = _run(delivery, queue)
        span.note(done=done)
    log.info("message_done", extra=fields(run_id=message.get("run_id"), done=str(done)))
    return done


def _receive_count(task: Any) -> int:
    received = _delivery_info(task).get("sqs_message", {})
    return int(received.get("Attributes", {}).get("ApproximateReceiveCount", 1))


def _queue_of(task: Any) -> str:
    """The queue it came from, whatever its sender wrote into it."""
    return str(_delivery_info(task).get("sqs_queue", RUNS_QUEUE)).rpartition("/")[2]


def _delivery_info(task: Any) -> JsonObject:
    info: JsonObject = (task.request.properties or {}).get("delivery_info", {})
    return info


def _run(delivery: Delivery, queue: str) -> MessageOutcome:
    began = time.monotonic()
    while True:
        try:
            return run_one(delivery)
        except StartFailed as error:
            # Until it is back this slot takes no further message, and its own does not wander to the dead letters.
            log.warning("waiting_to_begin", extra=fields(error=type(error.__cause__).__name__))
        # Celery ends a task that takes too long, and its message with it. A copy waits as well, and counts afresh.
        if time.monotonic() - began > PROFILE.lease_ttl_sec and _sent_again(delivery.body, queue):
            return MessageOutcome.SENT_AGAIN
        _keep(delivery.extend)
        time.sleep(_TRY_AGAIN_SEC)


def _sent_again(message: JsonObject, queue: str) -> bool:
    try:
        send_copy(message, queue)
    except SendFailed:
        log.warning("copy_not_sent", exc_info=True)
        return False
    return True


def _keep(extend: Callable[[], None]) -> None:
    try:
        extend()
    except (ClientError, BotoCoreError, OSError):
        log.warning("visibility_not_extended", exc_info=True)


@app.task(name=JOB_TASK)
def job(name: str) -> dict[str, int]:
    with tracing.span(f"job {name}"):
        return run_job(name)
