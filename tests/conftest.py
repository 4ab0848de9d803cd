"""Fixtures carry roles: `acme` is a paying tenant, `rival` must see nothing of it. Every service is real."""

from collections.abc import Callable, Iterator
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from pytest_django.plugin import DjangoDbBlocker

from dpp_project.redis import client as redis_client
from runs.access import switches
from runs.models import Run
from tests.builders import Customer, customer, processing, submitted
from tests.owner import owner_cursor
from tests.plugin import SERVICES
from tests.processes import ApiProcess, WorkerProcess
from tests.services import SessionServices


@pytest.fixture(scope="session")
def services(django_db_blocker: DjangoDbBlocker) -> Iterator[SessionServices]:
    """PostgreSQL, Valkey and S3/SQS of this session, migrated and bootstrapped. A missing one fails the tests."""
    SERVICES.start()
    try:
        with django_db_blocker.unblock():
            call_command("setup_database", verbosity=0, stdout=StringIO())
            call_command("bootstrap_storage", stdout=StringIO())
        yield SERVICES
    finally:
        with django_db_blocker.unblock():
            connection.close()
            connection.close_pool()  # type: ignore[attr-defined]
        SERVICES.stop()


@pytest.fixture
def platform(services: SessionServices, django_db_blocker: DjangoDbBlocker) -> Iterator[SessionServices]:
    """Everything up and empty. No transaction around the test: what is committed is committed."""
    WorkerProcess.wait_for_dead_polls()
    with django_db_blocker.unblock():
        wipe()
        yield services


@pytest.fixture
def acme(platform: SessionServices) -> Customer:
    return customer("acme", budget="10.0000")


@pytest.fixture
def rival(platform: SessionServices) -> Customer:
    return customer("rival", budget="10.0000")


@pytest.fixture
def api(platform: SessionServices) -> Client:
    return Client(raise_request_exception=False)


@pytest.fixture
def queued_run(acme: Customer) -> Run:
    return submitted(acme)


@pytest.fixture
def processing_run(acme: Customer) -> Run:
    return processing(acme)


@pytest.fixture(scope="session")
def api_process(services: SessionServices) -> Iterator[ApiProcess]:
    """For what must outlast a test; a test takes `live_api`."""
    with ApiProcess() as process:
        yield process


@pytest.fixture
def live_api(api_process: ApiProcess) -> ApiProcess:
    """The API as it is served: granian, its own processes and threads. Ready, whatever the test before did to it."""
    api_process.wait_ready(path="/readyz")
    return api_process


@pytest.fixture
def worker(platform: SessionServices) -> Iterator[Callable[..., WorkerProcess]]:
    """Starts real Celery workers; all are ended with the test."""
    started: list[WorkerProcess] = []

    def start(kind: type[WorkerProcess] = WorkerProcess, /, **environment: str) -> WorkerProcess:
        process = kind(environment)
        started.append(process)
        process.start()
        return process

    yield start
    for process in started:
        process.stop()


_TABLES = (
    "ledger_entries, ledger_checkpoints, audit_positions, book_findings, run_transitions, stored_objects, "
    "run_payloads, voided_reservations, dead_letters, runs, api_keys, tenant_balances, tenants, plans, switch_states, "
    "switch_changes, document_flights, webhooks, webhook_deliveries"
)


def wipe() -> None:
    with owner_cursor(guards=False) as cursor:
        cursor.execute(f"TRUNCATE {_TABLES} CASCADE")
    redis_client().flushall()
    switches.forget()
    _purge_queues()


def _purge_queues() -> None:
    from dpp_project.celery import DEAD_LETTER_QUEUES, MAINTENANCE_QUEUE, RUNS_QUEUES, queue_url
    from runs.lifecycle.queue import sqs

    for name in (*RUNS_QUEUES, *DEAD_LETTER_QUEUES, MAINTENANCE_QUEUE):
        sqs().purge_queue(QueueUrl=queue_url(name))
