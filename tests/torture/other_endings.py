"""The reaper, the sweeper, a cancel, the dead letters or a failed enqueue dies in the middle of ending a run."""

import http.client
import time
from collections.abc import Callable
from contextlib import suppress
from uuid import UUID

from dpp_project.celery import RUNS_QUEUE, queue_url
from runs.lifecycle.queue import sqs
from runs.models import Run
from tests.builders import Customer, fresh_key, processing, submitted
from tests.http import Api
from tests.race import passing_time
from tests.race.queue_messages import send_to_dead_letters
from tests.torture.bench import Bench
from tests.torture.processes import is_gone
from tests.torture.table import Figures, Inflict, Size, row

Ender = Callable[[Bench, Customer], UUID]


def _reaper(bench: Bench, owner: Customer) -> UUID:
    run = processing(owner)
    passing_time.lease_expires(run)
    return run.pk


def _sweeper(bench: Bench, owner: Customer) -> UUID:
    run = submitted(owner)
    passing_time.waits_in_queue(run)
    return run.pk


def _dead_letters(bench: Bench, owner: Customer) -> UUID:
    run = submitted(owner)
    send_to_dead_letters(run)
    return run.pk


def _cancel(bench: Bench, owner: Customer) -> UUID:
    run = submitted(owner)
    with suppress(OSError, http.client.HTTPException):
        Api(bench.api.url, owner).cancel(run.pk)
    return run.pk


def _failed_enqueue(bench: Bench, owner: Customer) -> UUID:
    key = fresh_key()
    sqs().delete_queue(QueueUrl=queue_url(RUNS_QUEUE))
    try:
        assert bench.try_submit(owner, key) is None, "the answer of a dead process"
    finally:
        bench.prepare_queues()
    return Run.objects.get(tenant=owner.tenant, idempotency_key=key).pk


# The actor that ends the run, in which process, and what the run has then cost.
_ENDERS: dict[str, tuple[Ender, bool, str, int]] = {
    "the reaper's": (_reaper, True, "WORKER_TIMEOUT", 10_000),
    "the sweeper's": (_sweeper, True, "RESERVATION_EXPIRED", 0),
    "the dead letters'": (_dead_letters, True, "WORKER_CRASHED", 10_000),
    "a cancel's": (_cancel, False, "RUN_CANCELLED", 0),
    "a failed enqueue's": (_failed_enqueue, False, "QUEUE_ENQUEUE_FAILED", 0),
}
_POINTS = {"finalize.claimed": "claim", "finalize.settled": "money"}


def _ender_dies(ender: str, point: str) -> Inflict:
    end, is_job, reason, charge = _ENDERS[ender]

    def inflict(bench: Bench, size: Size) -> Figures:
        """kill -9 of the process that ends the run; another one takes its place, and reconcile its work."""
        owner = bench.customer()
        slowest = 0.0
        # It would end the runs itself, and meet the crash point first.
        with bench.without_worker():
            for _ in range(size.kills):
                bench.crash_points.arm(point)
                run_id = end(bench, owner)
                assert is_gone(bench.crashed())
                died = time.monotonic()
                bench.crash_points.disarm()
                if is_job:
                    bench.jobs.stop()
                    bench.jobs.start()
                else:
                    bench.api.wait_ready()
                slowest = max(slowest, bench.healed(owner, since=died))
                bench.ended_as(run_id, "FAILED", reason, charge)
        return Figures(size.kills, slowest)

    return inflict


for _ender in _ENDERS:
    for _point, _step in _POINTS.items():
        row("Crash points", f"killed after {_ender} {_step}")(_ender_dies(_ender, _point))
