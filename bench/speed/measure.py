"""What is compared with what. Each function measures once and returns absolute figures; `__main__` makes the ratios.

Peers are measured in turns within the same minute, on the same servers: the machine's moods hit all of them alike.
"""

import itertools
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import boto3

from bench.speed import customers, servers
from bench.speed.customers import Customer
from bench.speed.http_load import Load, drive
from bench.speed.plain.celery import BUCKET, QUEUE, QUEUE_URL
from bench.speed.plain.celery import execute as plain_execute

Figures = dict[str, float]

CONNECTIONS = 32
API_PROCESSES, API_THREADS = 2, 16

sqs = boto3.client("sqs", endpoint_url=os.environ["AWS_ENDPOINT_URL"])
s3 = boto3.client("s3", endpoint_url=os.environ["AWS_ENDPOINT_URL"])


def make_plain_world() -> None:
    """Table, queue and bucket of the plain peers."""
    from django.db import connection

    from dpp_project.postgresql.roles import as_owner

    with as_owner(), connection.cursor() as cursor:
        cursor.execute(
            "CREATE TABLE bench_plain_runs (run_id uuid PRIMARY KEY, tenant text NOT NULL, pack_type text NOT NULL,"
            " inputs jsonb NOT NULL, max_cost_usd numeric(14, 4) NOT NULL, status text NOT NULL,"
            " created_at timestamptz NOT NULL)"
        )
        cursor.execute("GRANT ALL ON bench_plain_runs TO PUBLIC")
    sqs.create_queue(QueueName=QUEUE, Attributes={"VisibilityTimeout": "120"})
    s3.create_bucket(Bucket=BUCKET)


def empty_queues() -> None:
    from dpp_project.celery import RUNS_QUEUES, queue_url

    # The backlogs, too: all but a tenant's first four runs wait there.
    for url in (QUEUE_URL, *map(queue_url, RUNS_QUEUES)):
        sqs.purge_queue(QueueUrl=url)


def submit(api: servers.Server, buyers: list[Customer], seconds: float) -> Load:
    return drive(api.port, lambda number: buyers[number].submit(), connections=CONNECTIONS, seconds=seconds, expect=202)


def plain_submit(plain: servers.Server, seconds: float) -> Load:
    request = customers.plain_submit()
    return drive(plain.port, lambda _: request, connections=CONNECTIONS, seconds=seconds, expect=202)


def floor(buyers: list[Customer], seconds: float, *, threads: int) -> Load:
    """As many processes as the API has."""
    children = [
        subprocess.Popen(
            [
                *(sys.executable, "-m", "bench.speed.floor", "--seconds", str(seconds), "--threads", str(threads)),
                *("--tenant", buyers[number].tenant.pk),
            ],
            cwd=servers.CLONE,
            stdout=subprocess.PIPE,
        )
        for number in range(API_PROCESSES)
    ]
    load = Load(seconds=seconds)
    for child in children:
        out, _ = child.communicate(timeout=120)
        assert child.returncode == 0
        latencies_ms = json.loads(out)
        load.latencies_ms += latencies_ms
        load.answered += len(latencies_ms)
    return load


def poll(api: servers.Server, request: bytes, seconds: float, *, expect: int = 200) -> Load:
    return drive(api.port, lambda _: request, connections=CONNECTIONS, seconds=seconds, expect=expect)


def one_run(api: servers.Server, buyer: Customer) -> tuple[str, bytes, str]:
    """A queued run: its id, the body of its poll, its ETag."""
    answer = servers.ask(api.port, buyer.submit())
    run_id = json.loads(answer.partition(b"\r\n\r\n")[2])["run_id"]
    head, _, body = servers.ask(api.port, buyer.poll(run_id)).partition(b"\r\n\r\n")
    etag = next(line[6:] for line in head.decode().split("\r\n") if line.lower().startswith("etag: "))
    return run_id, body, etag


def ended_runs(buyer: Customer, number: int) -> list[str]:
    """Completed runs, by the worker's own function in this process."""
    from dataclasses import asdict

    from runs.lifecycle.queue import RunMessage
    from runs.worker.run_one import Delivery, MessageOutcome, run_one

    run_ids = [str(_submit_directly(buyer)) for _ in range(number)]
    for run_id in run_ids:
        message = asdict(RunMessage(run_id, buyer.tenant.pk, "decision", "now"))
        done = run_one(Delivery(message_id="bench", body=message, extend=lambda: None))
        assert done == MessageOutcome.ENDED, done
    return run_ids


def poll_in_turn(api: servers.Server, requests: list[bytes], seconds: float) -> Load:
    """Every connection goes through all of them."""
    turns = [itertools.cycle(requests[number % len(requests) :] + requests) for number in range(CONNECTIONS)]
    return drive(api.port, lambda number: next(turns[number]), connections=CONNECTIONS, seconds=seconds, expect=200)


def pipeline(home: Path, buyer: Customer, number: int) -> float:
    """Runs a second, all of them waiting in the queue before a worker comes."""
    run_ids = [_submit_directly(buyer) for _ in range(number)]
    with servers.platform("worker", home):
        return _rate(lambda: _completed_at(run_ids), number)


def plain_pipeline(home: Path, number: int, body: str) -> float:
    done = home / f"plain-{time.monotonic_ns()}.done"
    for index in range(number):
        plain_execute.delay(f"rate-{time.monotonic_ns()}-{index}", body)
    with servers.plain_worker(home, done):
        return _rate(lambda: _noted(done), number)


def finishing(home: Path, buyers: list[Customer], seconds: float) -> tuple[float, float, Load]:
    """Runs that end in a second, worked off a full queue: with nobody else about, then while 32 connections submit."""
    waiting = [_submit_directly(buyers[0]) for _ in range(int(seconds * 80))]
    with servers.platform("api", home) as api, servers.platform("worker", home):
        _wait_for(partial(_completed_at, waiting[: len(waiting) // 40]), len(waiting) // 40)
        began = time.time()
        time.sleep(seconds)
        alone = _ended_between(began, time.time())
        began = time.time()
        load = drive(
            api.port,
            lambda number: buyers[number].submit(),
            connections=CONNECTIONS,
            seconds=seconds,
            expect=202,
            warm=0.0,
        )
        return alone, _ended_between(began, time.time()), load


def _ended_between(begin: float, end: float) -> float:
    """Runs a second."""
    from datetime import UTC, datetime

    from runs.models import RunTransition

    moments = [datetime.fromtimestamp(moment, UTC) for moment in (begin, end)]
    return RunTransition.objects.filter(to_status="COMPLETED", at__range=moments).count() / (end - begin)


def idle_latencies(home: Path, buyer: Customer, body: str, number: int) -> tuple[list[float], list[float]]:
    """Milliseconds from POST to COMPLETED, and from `delay()` to the end of the task: one at a time, in turns."""
    ours: list[float] = []
    plain: list[float] = []
    done = home / f"plain-{time.monotonic_ns()}.done"
    with ExitStack() as stack:
        api = stack.enter_context(servers.platform("api", home))
        stack.enter_context(servers.platform("worker", home))
        stack.enter_context(servers.plain_worker(home, done))
        for index in range(number + 5):
            began = time.time()
            run_id = UUID(json.loads(servers.ask(api.port, buyer.submit()).partition(b"\r\n\r\n")[2])["run_id"])
            ours.append((_wait_for(partial(_completed_at, [run_id]), 1)[0] - began) * 1000)
            began = time.time()
            plain_execute.delay(f"idle-{time.monotonic_ns()}", body)
            plain.append((_wait_for(partial(_noted, done), index + 1)[-1] - began) * 1000)
    return ours[5:], plain[5:]


def start_up_sec(home: Path) -> float:
    began = time.perf_counter()
    with servers.platform("api", home):
        return time.perf_counter() - began


def memory(home: Path) -> Figures:
    figures: Figures = {}
    for name in ("api", "worker", "maintenance", "reaper", "beat", "events", "mcp"):
        with servers.platform(name, home, DPP_API_URL="http://127.0.0.1:1") as server:
            time.sleep(6)
            figures[name] = server.resident_mib()
    return figures


def _rate(ends: Callable[[], list[float]], number: int) -> float:
    """From the first tenth to the last: neither the start of the worker nor its idle poll afterwards count."""
    moments = _wait_for(ends, number)
    first = number // 10
    return (number - 1 - first) / (moments[-1] - moments[first])


def _wait_for(ends: Callable[[], list[float]], number: int, *, seconds: float = 300) -> list[float]:
    """The moments at which so many ended. Looked at seldom: looking takes time from those who work."""
    give_up = time.monotonic() + seconds
    while len(moments := ends()) < number:
        assert time.monotonic() < give_up, f"{len(moments)} of {number} ended"
        time.sleep(0.02 if number == 1 else 0.2)
    return sorted(moments)


def _completed_at(run_ids: list[UUID]) -> list[float]:
    """By the database's clock, which is this machine's."""
    from runs.models import RunTransition

    ended = RunTransition.objects.filter(run_id__in=run_ids, to_status="COMPLETED")
    return [at.timestamp() for at in ended.values_list("at", flat=True)]


def _noted(done: Path) -> list[float]:
    return [float(line) for line in done.read_text().splitlines()] if done.exists() else []


def _submit_directly(buyer: Customer) -> UUID:
    from django.utils import timezone

    from dpp_project.money import Micros
    from runs.lifecycle.request import RunRequest
    from runs.lifecycle.submit import submit as submit_run

    inputs: dict[str, Any] = customers.BODY["inputs"]  # type: ignore[assignment]
    request = RunRequest("decision", inputs, Micros(500_000), 90, 0.8, False, False, False)
    key = f"pipeline-{time.monotonic_ns()}"
    run = submit_run(buyer.tenant, request, key=key, trace_id="bench", now=timezone.now()).run
    run_id: UUID = run.pk
    return run_id


def median(loads: list[Load]) -> Figures:
    """The middle one of each figure."""
    figures = [load.figures() for load in loads]
    return {name: statistics.median(one[name] for one in figures) for name in figures[0]}
