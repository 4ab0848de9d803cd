"""The worker is killed in mid-pack, told to stop, raced with cancels and with other reapers; its clock is wrong."""

import os
import signal
import time
from datetime import timedelta
from uuid import UUID, uuid4

from django.utils import timezone
from freezegun import freeze_time

from runs import transitions
from runs.cancel import cancel
from runs.exceptions import RunNotCancellable
from runs.models import Run, RunTransition
from tests.builders import submitted
from tests.processes import WorkerProcess
from tests.race.actors import fresh, work
from tests.race.crowd import at_once
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
    bound = SHORT["lease_ttl_sec"] + SHORT["reaper_interval_sec"] + 5
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
