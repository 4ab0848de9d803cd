"""SQS doubles, loses, delays, refuses; strangers write into the queue; the server dies with all its queues."""

import base64
import time
from io import StringIO
from uuid import UUID, uuid4

from django.core.management import call_command
from django.utils import timezone

from dpp_project.celery import DEAD_LETTER_QUEUE, RUNS_QUEUE, RUNS_QUEUES, queue_url
from runs.lifecycle import queue
from runs.lifecycle.queue import sqs
from runs.models import DeadLetter, Run, RunTransition
from tests.books import everything_about
from tests.builders import fresh_key
from tests.processes import WorkerProcess
from tests.race.queue_messages import celery_message
from tests.torture.bench import Bench
from tests.torture.table import Figures, Size, row

_SECTION = "SQS"


def _starts(run_id: UUID) -> int:
    return RunTransition.objects.filter(run_id=run_id, from_status="QUEUED", to_status="PROCESSING").count()


@row(_SECTION, "every message twice, 1 s apart; once more after success")
def doubled(bench: Bench, size: Size) -> Figures:
    owner = bench.customer()
    sent = bench.submit_many(owner, size.live_runs)
    runs = [Run.objects.get(pk=each.run_id) for each in sent]
    for _ in range(2):
        for run in runs:
            queue.send(run, now=timezone.now())
        time.sleep(1)
    healed = bench.healed(owner, since=time.monotonic(), within=120)
    before = [everything_about(run) for run in runs[:5]]
    for run in runs:
        queue.send(run, now=timezone.now())
    bench.until(lambda: not any(map(queue.depth, RUNS_QUEUES)))
    time.sleep(1)
    assert [everything_about(run) for run in runs[:5]] == before
    assert {_starts(run.pk) for run in runs} == {1}
    return Figures(len(runs), healed)


@row(_SECTION, "sends refused for a while")
def refused(bench: Bench, size: Size) -> Figures:
    """503, the money is back at once, and the same key works as soon as the queue does."""
    owner = bench.customer()
    wanted = [fresh_key() for _ in range(4)]
    sqs().delete_queue(QueueUrl=queue_url(RUNS_QUEUE))
    try:
        for key in wanted:
            answer = bench.try_submit(owner, key)
            assert answer is not None
            assert answer.status == 503, answer.text
            assert answer.json["reason_code"] == "QUEUE_ENQUEUE_FAILED"
        assert bench.healed(owner, since=time.monotonic(), within=10) < 10
    finally:
        bench.prepare_queues()
    ended = time.monotonic()
    for key in wanted:
        bench.submit(owner, key=key)
    healed = bench.healed(owner, since=ended)
    completed = Run.objects.filter(tenant=owner.tenant, status="COMPLETED")
    assert sorted(completed.values_list("idempotency_key", flat=True)) == sorted(wanted)
    return Figures(4, healed)


@row(_SECTION, "queue purged with runs in it")
def purged(bench: Bench, size: Size) -> Figures:
    owner = bench.customer(budget="1000.0000")
    number = size.live_runs * 5 // 2
    with bench.without_worker():
        sent = bench.submit_many(owner, number)
        for name in RUNS_QUEUES:
            sqs().purge_queue(QueueUrl=queue_url(name))
        lost = time.monotonic()
    healed = bench.healed(owner, since=lost, within=300)
    assert {bench.status_of(each.run_id)[0] for each in sent} == {"COMPLETED"}
    return Figures(number, healed)


@row(_SECTION, "server killed -9, its queues gone")
def killed(bench: Bench, size: Size) -> Figures:
    """Whoever starts it bootstraps the queues; the resend job finds the runs."""
    owner = bench.customer()
    with bench.without_worker():
        sent = bench.submit_many(owner, 6)
        bench.services.ministack.kill()
        bench.services.ministack.start()
        bench.services.ministack.wait_ready()
        bench.prepare_queues()
        lost = time.monotonic()
    healed = bench.healed(owner, since=lost, within=120)
    assert {bench.status_of(each.run_id)[0] for each in sent} == {"COMPLETED"}
    return Figures(1, healed)


@row(_SECTION, "server killed -9 under a running worker, its queues gone: the worker goes on by itself")
def killed_under_a_worker(bench: Bench, size: Size) -> Figures:
    """Nobody starts this worker again: it asks until there is a queue."""
    owner = bench.customer()
    with bench.without_worker(), bench.with_process(WorkerProcess(bench.environment)) as worker:
        first = bench.submit(owner)
        bench.healed(owner, since=time.monotonic())
        bench.services.ministack.kill()
        time.sleep(2)
        bench.services.ministack.start()
        bench.services.ministack.wait_ready()
        # The server is back before its queues are.
        # It asks for the queue's attributes only, and says once that it waits.
        bench.until(lambda: "queue_unavailable" in worker.lines(), why="the worker lost its queue")
        time.sleep(2)
        bench.prepare_queues()
        back = time.monotonic()
        call_command("bootstrap_storage", stdout=StringIO())
        sent = [first, *bench.submit_many(owner, 4)]
        healed = bench.healed(owner, since=back, within=120)
        assert worker.child is not None
        assert worker.child.poll() is None
    assert {bench.status_of(each.run_id)[0] for each in sent} == {"COMPLETED"}
    return Figures(1, healed)


@row(_SECTION, "a run longer than the visibility timeout")
def longer_than_visibility(bench: Bench, size: Size) -> Figures:
    """The heartbeat keeps lease and message: one attempt, no dead letter."""
    owner = bench.customer()
    bench.crash_points.arm("run.executed=pause:10")
    sent = bench.submit(owner)
    bench.crashed()
    bench.crash_points.disarm()
    healed = bench.healed(owner, since=time.monotonic())
    bench.ended_as(sent.run_id, "COMPLETED", None, 50_000)
    assert _starts(sent.run_id) == 1
    return Figures(1, healed)


@row(_SECTION, "not JSON, unknown task, another tenant's run, oversized: the consumer stays up")
def strangers_write(bench: Bench, size: Size) -> Figures:
    owner, victim = bench.customer(), bench.customer()
    target = bench.submit(victim)
    bench.healed(victim, since=time.monotonic())
    before = everything_about(Run.objects.get(pk=target.run_id))
    known = DeadLetter.objects.count()
    for text in (
        "not JSON",
        base64.b64encode(b"not JSON either").decode(),
        celery_message("no.such.task", {}),
        celery_message(queue.EXECUTE_TASK, {"run_id": "x"}),
        celery_message(queue.EXECUTE_TASK, _message(target.run_id, owner.id)),
        celery_message(queue.EXECUTE_TASK, _message(uuid4(), owner.id)),
        celery_message(queue.EXECUTE_TASK, {**_message(uuid4(), owner.id), "more": "x" * 200_000}),
    ):
        sqs().send_message(QueueUrl=queue_url(RUNS_QUEUE), MessageBody=text)
    began = time.monotonic()
    sent = bench.submit_many(owner, 3)
    bench.healed(owner, since=began, within=90)
    assert {bench.status_of(each.run_id)[0] for each in sent} == {"COMPLETED"}
    bench.until(lambda: DeadLetter.objects.count() - known >= 6, within=60, why="they are kept for a person")
    assert everything_about(Run.objects.get(pk=target.run_id)) == before
    return Figures(7, time.monotonic() - began)


@row(_SECTION, "dead letters redriven for ended runs")
def redriven(bench: Bench, size: Size) -> Figures:
    owner = bench.customer()
    sent = bench.submit(owner)
    bench.healed(owner, since=time.monotonic())
    run = Run.objects.get(pk=sent.run_id)
    before = everything_about(run)
    for _ in range(5):
        text = celery_message(queue.EXECUTE_TASK, _message(run.pk, owner.id))
        sqs().send_message(QueueUrl=queue_url(DEAD_LETTER_QUEUE), MessageBody=text)
    bench.until(lambda: queue.depth(DEAD_LETTER_QUEUE) == 0)
    time.sleep(0.5)
    assert everything_about(run) == before
    return Figures(5, 0.0)


def _message(run_id: object, tenant_id: str) -> dict[str, str]:
    return {
        "run_id": str(run_id),
        "tenant_id": tenant_id,
        "pack_type": "decision",
        "enqueued_at": timezone.now().isoformat(),
        "schema_version": queue.SCHEMA_VERSION,
    }
