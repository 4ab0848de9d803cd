"""The worker is killed in mid-pack, told to stop, raced with cancels and with other reapers; its clock is wrong."""

import json
import os
import signal
import time
from datetime import timedelta
from io import BytesIO
from uuid import UUID, uuid4

from django.utils import timezone
from freezegun import freeze_time
from PIL import Image

from dpp_project.celery import DEAD_LETTER_QUEUE
from dpp_project.profile import PROFILE
from runs.exceptions import RunNotCancellable
from runs.lifecycle import queue, transitions
from runs.lifecycle.cancel import cancel
from runs.models import Run, RunTransition
from storage import store
from tests.builders import body, fresh_key, submitted
from tests.http import Api
from tests.packs.ocr.zoo import chained_filters
from tests.processes import WorkerProcess
from tests.race.actors import fresh, work
from tests.race.threads import at_once
from tests.torture.bench import SHORT, Bench
from tests.torture.processes import Beat, JobsLoop, MaintenanceWorker
from tests.torture.table import Figures, Size, row

_SECTION = "Worker and clock"


@row(_SECTION, "the zombie: kill -9 in mid-pack, ended by beat's own reaper")
def zombie(bench: Bench, size: Size) -> Figures:
    """No loop of jobs here: beat sends, the maintenance worker reaps."""
    owner = bench.customer()
    bench.jobs.stop()
    slowest = 0.0
    # Lease and interval are the promise; the rest is beat, queue and worker on a machine that carries three benches.
    bound = SHORT["lease_ttl_sec"] + SHORT["reaper_interval_sec"] + 10
    try:
        with (
            bench.with_process(MaintenanceWorker(bench.environment)),
            bench.with_process(Beat(bench.environment)),
        ):
            for _ in range(max(size.kills // 4, 1)):
                bench.crash_points.arm("run.executed=pause:60")
                sent = bench.submit(owner)
                bench.crashed()
                bench.worker.kill()
                died = time.monotonic()
                bench.crash_points.disarm()
                slowest = max(slowest, bench.healed(owner, since=died, within=bound))
                bench.ended_as(sent.run_id, "FAILED", "WORKER_TIMEOUT", 10_000)
                bench.restart_worker()
    finally:
        bench.jobs = bench.start(JobsLoop(bench.environment))
    return Figures(max(size.kills // 4, 1), slowest)


@row(_SECTION, "SIGTERM with work left (keeps its heartbeat, one attempt)")
def told_to_stop(bench: Bench, size: Size) -> Figures:
    owner = bench.customer()
    with bench.without_worker(), bench.with_process(WorkerProcess(bench.environment)) as worker:
        bench.crash_points.arm("run.executed=pause:9")
        sent = bench.submit(owner)
        bench.crashed()
        bench.crash_points.disarm()
        os.kill(worker.pid, signal.SIGTERM)
        told = time.monotonic()
        bench.until(lambda: worker.child is not None and worker.child.poll() is not None, why="it stopped")
        healed = bench.healed(owner, since=told)
    bench.ended_as(sent.run_id, "COMPLETED", None, 50_000)
    assert RunTransition.objects.filter(run_id=sent.run_id, to_status="PROCESSING", from_status="QUEUED").count() == 1
    return Figures(1, healed)


@row(_SECTION, "two reapers at once, many zombies")
def two_reapers(bench: Bench, size: Size) -> Figures:
    owner = bench.customer()
    with bench.without_worker(), bench.with_process(JobsLoop(bench.environment)):
        sent = bench.submit_many(owner, size.live_runs)
        for each in sent:
            _start(each.run_id)
        died = time.monotonic()
        # Their leases are of the locked profile: let them pass.
        Run.objects.filter(tenant=owner.tenant).update(lease_expires_at=timezone.now())
        healed = bench.healed(owner, since=died)
    for each in sent:
        bench.ended_as(each.run_id, "FAILED", "WORKER_TIMEOUT", 5_000)
    return Figures(len(sent), healed)


def _start(run_id: UUID) -> None:
    transitions.start(Run.objects.get(pk=run_id), lease_token=uuid4())


@row(_SECTION, "cancel raced with finish")
def cancel_raced(bench: Bench, size: Size) -> Figures:
    """In this process, so that the two really meet: the real functions, real services."""
    owner = bench.customer(budget="1000.0000")
    rounds = size.rounds
    with bench.without_worker():
        for _ in range(rounds):
            run = submitted(owner, max_cost="0.0500")

            def move(position: int, run: Run = run) -> object:
                if position:
                    return work(run)
                try:
                    return cancel(fresh(run))
                except RunNotCancellable:
                    return None

            outcomes = at_once(2, move, threads=2)
            assert not any(isinstance(outcome, Exception) for outcome in outcomes), outcomes
    healed = bench.healed(owner, since=time.monotonic())
    ended = Run.objects.filter(tenant=owner.tenant)
    assert ended.count() == rounds
    assert set(ended.values_list("last_error_reason_code", flat=True)) <= {None, "RUN_CANCELLED"}
    return Figures(rounds, healed)


@row(_SECTION, "worker clock 10 min ahead and behind")
def wrong_clock(bench: Bench, size: Size) -> Figures:
    """Leases are given and judged by the database's clock: the worker's own decides nothing."""
    owner = bench.customer()
    with bench.without_worker():
        for minutes in (-10, 10):
            run = submitted(owner)
            with freeze_time(timezone.now() + timedelta(minutes=minutes), tick=True):
                work(run)
            bench.ended_as(run.pk, "COMPLETED", None, 50_000)
    return Figures(2, bench.healed(owner, since=time.monotonic()))


@row(_SECTION, "one of two workers killed under load")
def one_of_two(bench: Bench, size: Size) -> Figures:
    owner = bench.customer()
    with bench.with_process(WorkerProcess(bench.environment)):
        sent = bench.submit_many(owner, size.live_runs)
        bench.worker.kill()
        died = time.monotonic()
        bench.restart_worker()
        healed = bench.healed(owner, since=died, within=180)
    assert {bench.status_of(each.run_id)[1] for each in sent} <= {None, "WORKER_TIMEOUT"}
    return Figures(len(sent), healed)


@row(_SECTION, "out of memory in an OCR child (a clear entry for each file, the worker and its neighbours unharmed)")
def out_of_memory(bench: Bench, size: Size) -> Figures:
    """One file makes its decoder crash for want of memory; the largest picture allowed and a small one are read."""
    owner, neighbour = bench.customer(), bench.customer()
    files = {"large.png": _large_picture(), "bomb.pdf": chained_filters(), "small.png": _picture("L", (400, 120))}
    for name, content in files.items():
        store.put(f"dpp/{owner.id}/uploads/{name}", content, mime="application/octet-stream")
    images = [{"kind": "s3", "key": f"dpp/{owner.id}/uploads/{name}"} for name in files]
    starts = bench.worker.lines().count(" ready.")
    answer = Api(bench.api.url, owner).submit(
        body(pack_type="ocr", inputs={"images": images, "ocr_profile": "P1"}), key=fresh_key()
    )
    assert answer.status == 202, answer.text
    others = bench.submit_many(neighbour, 6)
    began = time.monotonic()
    healed = bench.healed(owner, since=began, within=90)
    bench.healed(neighbour, since=began)
    run = Run.objects.get(pk=answer.json["run_id"])
    assert run.status == "COMPLETED", run.last_error_detail
    envelope = json.loads(store.read(run.result_key or "", sha256=run.result_sha256 or ""))
    told = [(file["status"], file.get("reason_code")) for file in envelope["data"]["files"]]
    assert told == [("READ", None), ("FAILED", "READER_CRASHED"), ("READ", None)], told
    for other in others:
        bench.ended_as(other.run_id, "COMPLETED", None, 50_000)
    assert bench.worker.lines().count(" ready.") == starts
    assert "WorkerLostError" not in bench.worker.lines()
    return Figures(2, healed)


def _large_picture() -> bytes:
    """Within the limit of pixels, and yet its decoded copies do not fit into a child's memory."""
    return _picture("RGBA", (6_300, 6_300))


def _picture(mode: str, size: tuple[int, int]) -> bytes:
    buffer = BytesIO()
    Image.new(mode, size, 255 if mode == "L" else (255, 255, 255, 255)).save(buffer, "PNG")
    return buffer.getvalue()


@row(_SECTION, "a prefork child killed before its CAS, three times: redelivered at once, then a dead letter")
def kills_its_children(bench: Bench, size: Size) -> Figures:
    """Without the jobs, so that nobody sends it again: the message itself comes back, and is counted."""
    owner = bench.customer()
    slowest = 0.0
    tries = max(size.kills // 4, 1)
    for _ in range(tries):
        bench.jobs.stop()
        bench.crash_points.arm("run.received")
        sent = bench.submit(owner)
        victims = set()
        for _ in range(PROFILE.sqs_max_receive_count):
            victims.add(bench.crashed())
            # The next one is ready before the message is back.
            bench.crash_points.arm("run.received")
        died = time.monotonic()
        assert len(victims) == PROFILE.sqs_max_receive_count
        bench.until(lambda: queue.depth(DEAD_LETTER_QUEUE) == 1, why="a dead letter")
        bench.crash_points.disarm()
        bench.jobs.start()
        slowest = max(slowest, bench.healed(owner, since=died))
        bench.ended_as(sent.run_id, "FAILED", "WORKER_CRASHED", 10_000)
    return Figures(tries, slowest)
