"""The operator's drill of docs/operations.md: PostgreSQL is restored from a backup, Redis and queue begin empty."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from devstack.postgres import _binaries
from dpp_project.celery import DEAD_LETTER_QUEUES, RUNS_QUEUES, queue_url
from dpp_project.redis import client as redis_client
from runs.lifecycle.queue import sqs
from runs.states import Reason
from tests.api.ended_runs import completed_run, failed_run
from tests.builders import Customer, processing, submitted
from tests.processes import CLONE, WorkerProcess
from tests.race.passing_time import waits_in_queue
from tests.services import SessionServices

RESTORED = "dpp_restored"


@pytest.fixture
def restored_url(platform: SessionServices) -> Iterator[str]:
    """An empty database beside the lost one."""
    with psycopg.connect(platform.postgres.owner_url_of("postgres"), autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {RESTORED} WITH (FORCE)")
        connection.execute(f"CREATE DATABASE {RESTORED}")
        yield platform.postgres.url_of(RESTORED)
        connection.execute(f"DROP DATABASE {RESTORED} WITH (FORCE)")


def tool(name: str, *arguments: str) -> None:
    subprocess.run([str(_binaries() / name), *arguments], check=True, capture_output=True, timeout=60)


def manage(url: str, name: str, *arguments: str) -> dict[str, Any]:
    command = [sys.executable, "manage.py", name, "--json", *arguments]
    environment = {**os.environ, "DATABASE_URL": url}
    result = subprocess.run(
        command, cwd=CLONE, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    report: dict[str, Any] = json.loads(result.stdout.strip().splitlines()[-1])
    return report


def value_of(url: str, query: str, *parameters: object) -> object:
    with psycopg.connect(url) as connection:
        row = connection.execute(query, parameters).fetchone()
    assert row is not None
    return row[0]


def test_a_restored_database_and_an_empty_redis_lose_no_micro(
    platform: SessionServices,
    acme: Customer,
    rival: Customer,
    restored_url: str,
    worker: Callable[..., WorkerProcess],
    tmp_path: Path,
) -> None:
    # Given a backup with runs in every state
    completed_run(acme)
    failed_run(acme, Reason.PACK_FAILED)
    waiting, running = submitted(acme), processing(rival)
    waits_in_queue(waiting, seconds=901)
    backup = tmp_path / "dpp.dump"
    tool("pg_dump", "--format=custom", f"--file={backup}", f"--dbname={platform.postgres.owner_url}")
    submitted(acme)  # the backup does not know it, the queue does

    # When it is restored, and Redis and the queue have lost everything
    tool(
        "pg_restore",
        "--exit-on-error",
        "--no-owner",
        f"--dbname={platform.postgres.owner_url_of(RESTORED)}",
        str(backup),
    )
    redis_client().flushall()
    for name in (*RUNS_QUEUES, *DEAD_LETTER_QUEUES):
        sqs().purge_queue(QueueUrl=queue_url(name))
    report = manage(restored_url, "audit_ledger", "--repair")

    # Then every invariant holds, both tenants are in Redis again, exactly
    assert report["ok"]
    assert sorted(report["repaired"]) == ["acme", "rival"]
    checked = {finding["invariant"]: finding["checked"] for finding in report["findings"]}
    assert checked["I2"] == 4, checked
    assert redis_client().get("budget:acme:balance_usd_micros") == str(10_000_000 - 50_000 - 10_000 - 500_000)
    assert redis_client().hget(f"reserve:{running.pk}", "reserved_usd_micros") == "500000"

    # And work goes on: the run that waited is sent again, executed and paid; nothing else is heard of
    assert manage(restored_url, "resend")["sent"] == 1
    executor = worker(DATABASE_URL=restored_url)
    ends = time.monotonic() + 120
    while value_of(restored_url, "SELECT status FROM runs WHERE run_id = %s", waiting.pk) != "COMPLETED":
        assert time.monotonic() < ends, executor.lines()[-3000:]
        time.sleep(0.2)
    assert value_of(restored_url, "SELECT count(*) FROM dead_letters") == 0
    assert manage(restored_url, "audit_ledger")["ok"]
    assert redis_client().get("budget:acme:balance_usd_micros") == str(10_000_000 - 50_000 - 10_000 - 50_000)
