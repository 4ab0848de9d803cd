"""Celery on SQS: the application and its transport settings. Tasks and schedule are set by `runs.tasks`."""

import os
from typing import Any
from urllib.parse import quote, urlsplit

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dpp_project.settings")

from celery import Celery, signals
from django.conf import settings
from kombu import Exchange, Queue
from kombu.transport import TRANSPORT_ALIASES

from dpp_project import tracing
from dpp_project.env import Env
from dpp_project.logging import name_service
from dpp_project.metrics_port import leave_to_parent, require_shared_counters, serve_metrics
from dpp_project.profile import PROFILE
from dpp_project.work_queues import Work, named

WORK_QUEUES = named(settings.SQS_QUEUE_PREFIX)
RUNS_QUEUES = tuple(name for queues in WORK_QUEUES.values() for name in queues.taken_by_workers)
DEAD_LETTER_QUEUES = tuple(queues.dead_letters for queues in WORK_QUEUES.values())
# Of the quick work.
RUNS_QUEUE = WORK_QUEUES[Work.QUICK].direct
DEAD_LETTER_QUEUE = WORK_QUEUES[Work.QUICK].dead_letters
MAINTENANCE_QUEUE = f"{settings.SQS_QUEUE_PREFIX}-maintenance"

_METRICS_PORT = "DPP_WORKER_METRICS_PORT"


def queue_url(name: str) -> str:
    return f"{settings.SQS_QUEUE_URL_BASE}/{name}"


def _broker_url(env: Env) -> str:
    """With an endpoint (development, tests) the address and keys are spelled out; in production the role is used."""
    if not settings.AWS_ENDPOINT_URL:
        return "sqs://"
    endpoint = urlsplit(settings.AWS_ENDPOINT_URL)
    key, secret = env.text("AWS_ACCESS_KEY_ID"), env.text("AWS_SECRET_ACCESS_KEY")
    return f"sqs://{quote(key, safe='')}:{quote(secret, safe='')}@{endpoint.hostname}:{endpoint.port}//"


def _transport_options() -> dict[str, Any]:
    return {
        "region": settings.AWS_REGION,
        "is_secure": not (settings.AWS_ENDPOINT_URL or "").startswith("http://"),
        "wait_time_seconds": settings.SQS_WAIT_TIME_SEC,
        # 0 asks again as soon as a slot is free; anything else caps throughput at prefetch / interval.
        "polling_interval": 0,
        "predefined_queues": {
            name: {"url": queue_url(name), "region": settings.AWS_REGION} for name in (*RUNS_QUEUES, MAINTENANCE_QUEUE)
        },
        # A send that hangs must fail while the caller still waits: it then gets its money back.
        "client-config": {"connect_timeout": 2, "read_timeout": 10, "retries": {"total_max_attempts": 1}},
    }


TRANSPORT_ALIASES["sqs"] = "dpp_project.sqs_transport:Transport"

app = Celery("dpp")
# Left to itself Celery closes the whole pool of connections before and after every task. A task gives its connection
# back to the pool, which looks at it before it lends it again.
app.conf.CELERY_DB_REUSE_MAX = 2**62
app.conf.update(
    broker_url=_broker_url(Env()),
    broker_transport_options=_transport_options(),
    broker_connection_retry_on_startup=True,
    # An exchange each: all on the default one would make a message for one a message for all.
    task_queues=[Queue(name, Exchange(name), routing_key=name) for name in (*RUNS_QUEUES, MAINTENANCE_QUEUE)],
    task_default_queue=MAINTENANCE_QUEUE,
    task_create_missing_queues=False,
    task_ignore_result=True,
    result_backend=None,
    task_serializer="json",
    accept_content=["json"],
    task_acks_late=True,
    # The message of a killed child is made visible again, and counts as received: the third time it is a dead letter.
    # A run that had already started is left to the reaper: its message meets PROCESSING and is acknowledged.
    task_reject_on_worker_lost=True,
    # Packs are held to their timebox by the worker itself; this ends a child that is stuck beyond all of it.
    task_time_limit=PROFILE.timebox_max_sec + PROFILE.lease_ttl_sec,
    worker_prefetch_multiplier=1,
    worker_enable_remote_control=False,
    worker_send_task_events=False,
    worker_hijack_root_logger=False,
    worker_soft_shutdown_timeout=float(PROFILE.timebox_max_sec),
    timezone="UTC",
    imports=["runs.tasks"],
    beat_schedule_filename=os.environ.get("DPP_BEAT_SCHEDULE_FILE", "celerybeat-schedule"),
)


@signals.worker_init.connect
def _name_worker(**_: Any) -> None:
    """By what it takes: the same program does the runs and the maintenance."""
    takes_runs = not app.amqp.queues.consume_from.keys().isdisjoint(RUNS_QUEUES)
    name_service("worker" if takes_runs else "maintenance")


@signals.beat_init.connect
def _name_beat(**_: Any) -> None:
    name_service("beat")


@signals.worker_init.connect
@signals.beat_init.connect
def _check_at_start(**_: Any) -> None:
    from dpp_project.checks import refuse_unsafe_start

    refuse_unsafe_start()


@signals.worker_init.connect
def _serve_metrics(**_: Any) -> None:
    require_shared_counters(_METRICS_PORT)
    serve_metrics(_METRICS_PORT)


@signals.worker_process_init.connect
def _leave_port_to_parent(**_: Any) -> None:
    leave_to_parent()


@signals.worker_process_shutdown.connect
def _send_last_spans(**_: Any) -> None:
    tracing.flush()


@signals.setup_logging.connect
def _keep_our_logging(**_: Any) -> None:
    """Settings have configured JSON logging; connecting here keeps Celery from replacing it."""
