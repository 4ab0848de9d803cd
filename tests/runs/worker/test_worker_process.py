"""What a real worker process does when its queue vanishes, and when one of its children is killed."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dpp_project.celery import DEAD_LETTER_QUEUE, RUNS_QUEUE, app, queue_url
from runs.jobs.dead_letters import Buried, dead_letters
from runs.lifecycle.queue import bootstrap_queues, depth, sqs
from runs.models import Run
from tests.builders import Customer, submitted
from tests.processes import WorkerProcess
from tests.services import SessionServices
from tests.torture.processes import CrashPoints
from tests.torture.proxy import Proxy


@pytest.fixture
def crash_points(tmp_path: Path) -> CrashPoints:
    return CrashPoints(tmp_path)


@pytest.fixture
def worker(acme: Customer, crash_points: CrashPoints) -> Iterator[WorkerProcess]:
    """Nobody starts it again: what it survives, it survives by itself. No job helps it either."""
    process = WorkerProcess(crash_points.environment)
    process.start()
    yield process
    process.stop()


def test_a_worker_outlives_its_queue(worker: WorkerProcess, acme: Customer) -> None:
    first = submitted(acme)
    _until(lambda: _status(first) == "COMPLETED", worker)
    sqs().delete_queue(QueueUrl=queue_url(RUNS_QUEUE))
    try:
        _until(lambda: "NonExistentQueue" in worker.lines() or "QueueDoesNotExist" in worker.lines(), worker)
        time.sleep(2)
    finally:
        bootstrap_queues()

    second = submitted(acme)
    _until(lambda: _status(second) == "COMPLETED", worker)

    assert worker.child is not None
    assert worker.child.poll() is None


def test_a_worker_gives_up_a_question_to_the_queue_that_is_never_answered(
    platform: SessionServices, acme: Customer
) -> None:
    proxy = Proxy(platform.ministack.port)
    worker = WorkerProcess({"AWS_ENDPOINT_URL": f"http://127.0.0.1:{proxy.port}"})
    worker.start()
    try:
        first = submitted(acme)
        _until(lambda: _status(first) == "COMPLETED", worker)
        proxy.mute_present_connections()
        _until(lambda: "queue_unavailable: HTTP 599" in worker.lines(), worker)
        second = submitted(acme)
        _until(lambda: _status(second) != "QUEUED", worker)
    finally:
        worker.stop()
        proxy.close()


def test_a_brownout_of_the_queue_makes_no_dead_letters(platform: SessionServices, acme: Customer) -> None:
    """Answers are lost for longer than three receives would take: the worker asks for messages once, then waits."""
    proxy = Proxy(platform.ministack.port)
    sqs().set_queue_attributes(QueueUrl=queue_url(RUNS_QUEUE), Attributes={"VisibilityTimeout": "2"})
    worker = WorkerProcess({"AWS_ENDPOINT_URL": f"http://127.0.0.1:{proxy.port}"})
    worker.start()
    try:
        first = submitted(acme)
        _until(lambda: _status(first) == "COMPLETED", worker)
        with proxy.swallowing_answers():
            backlog = [submitted(acme) for _ in range(4)]
            time.sleep(30)
            assert depth(DEAD_LETTER_QUEUE) == 0
        _until(lambda: {_status(run) for run in backlog} == {"COMPLETED"}, worker)
    finally:
        worker.stop()
        proxy.close()
        bootstrap_queues()
    assert dead_letters() == Buried()


def test_a_worker_sends_its_message_anew_before_an_outage_of_the_database_ends_its_task(
    platform: SessionServices, acme: Customer
) -> None:
    postgres = platform.postgres
    proxy = Proxy(postgres.port)
    short = '{"lease_ttl_sec": 3, "lease_heartbeat_sec": 1}'
    url = postgres.url.replace(f":{postgres.port}/", f":{proxy.port}/")
    worker = WorkerProcess({"DATABASE_URL": url, "DPP_PROFILE_OVERRIDES": short})
    worker.start()
    try:
        first = submitted(acme)
        _until(lambda: _status(first) == "COMPLETED", worker)
        with proxy.refusing():
            second = submitted(acme)
            _until(lambda: '"done": "sent_again"' in worker.lines(), worker)
            assert _status(second) == "QUEUED"
        _until(lambda: _status(second) == "COMPLETED", worker)
    finally:
        worker.stop()
        proxy.close()
    assert depth(DEAD_LETTER_QUEUE) == 0


def test_the_message_of_a_killed_child_comes_back(
    worker: WorkerProcess, crash_points: CrashPoints, acme: Customer
) -> None:
    crash_points.arm("run.received")
    run = submitted(acme)
    _until(lambda: crash_points.victim is not None, worker)
    _until(lambda: _status(run) == "COMPLETED", worker)
    assert worker.child is not None
    assert worker.child.poll() is None


def test_a_message_that_is_gone_cannot_be_given_back_and_that_is_no_error(acme: Customer) -> None:
    """Its child was killed, it came back to another one, which has finished it. The worker learns of the death last."""
    submitted(acme)
    with app.connection_for_read() as connection:
        channel: Any = connection.default_channel
        app.amqp.queues[RUNS_QUEUE].bind(channel).declare()
        first = channel.basic_get(RUNS_QUEUE)
        url = queue_url(RUNS_QUEUE)
        sqs().change_message_visibility(QueueUrl=url, ReceiptHandle=first.delivery_tag, VisibilityTimeout=0)
        (second,) = sqs().receive_message(QueueUrl=url, WaitTimeSeconds=5)["Messages"]
        sqs().delete_message(QueueUrl=url, ReceiptHandle=second["ReceiptHandle"])

        channel.basic_reject(first.delivery_tag, requeue=True)

        channel.qos._flush()
        assert not channel.qos._delivered


def test_a_message_that_kills_three_children_ends_in_the_dead_letters(
    worker: WorkerProcess, crash_points: CrashPoints, acme: Customer
) -> None:
    victims: set[int] = set()
    crash_points.arm("run.received")
    run = submitted(acme)
    for _ in range(3):
        _until(lambda: crash_points.victim is not None, worker)
        victims.add(crash_points.victim or 0)
        # The next one is ready before the message is back.
        crash_points.arm("run.received")
    _until(lambda: depth(DEAD_LETTER_QUEUE) == 1, worker)

    assert dead_letters() == Buried(found=1, ended=1)

    ended = Run.objects.get(pk=run.pk)
    assert (ended.status, ended.last_error_reason_code) == ("FAILED", "WORKER_CRASHED")
    assert len(victims) == 3
    assert worker.child is not None
    assert worker.child.poll() is None


def test_a_child_killed_in_mid_pack_leaves_its_run_to_the_reaper(
    worker: WorkerProcess, crash_points: CrashPoints, acme: Customer
) -> None:
    """Its message comes back, finds the run taken, and is acknowledged: no second attempt, no dead letter."""
    crash_points.arm("run.started")
    run = submitted(acme)
    _until(lambda: crash_points.victim is not None, worker)
    _until(lambda: "not_ours" in worker.lines(), worker)
    assert _status(run) == "PROCESSING"
    assert depth(DEAD_LETTER_QUEUE) == 0
    os.kill(worker.pid, signal.SIGTERM)
    _until(lambda: worker.child is not None and worker.child.poll() is not None, worker)


def _status(run: Run) -> str:
    return Run.objects.get(pk=run.pk).status


def _until(what: Callable[[], bool], worker: WorkerProcess, *, within: float = 180) -> None:
    ends = time.monotonic() + within
    while not what():
        if time.monotonic() > ends:
            pytest.fail(f"not within {within} s\n{worker.lines()[-3000:]}")
        time.sleep(0.05)
