"""A process dies right after each step of submit, run and finalize; or sleeps there past its lease and wakes up."""

import os
import signal
import time
from functools import partial

from runs.models import Run
from tests.books import everything_about
from tests.builders import Customer, fresh_key
from tests.torture.bench import Bench, Sent
from tests.torture.processes import is_gone, is_stopped, resume
from tests.torture.table import Figures, Inflict, Size, row

SUBMIT = {
    "submit.reserved": "submit 1 and 2: idempotency lock and reserve in Redis (one call)",
    "submit.committed": "submit 3: run + RESERVE entry committed",
    "submit.mapped": "submit 4: mapping set",
    "submit.sent": "submit 5: message sent, response lost",
}
# What becomes of the run when its worker dies there: status, reason, charge.
RUN: dict[str, tuple[str, tuple[str, str | None, int]]] = {
    "run.received": ("run 1: message received, before the CAS", ("COMPLETED", None, 50_000)),
    "run.started": ("run 2: QUEUED -> PROCESSING", ("FAILED", "WORKER_TIMEOUT", 10_000)),
    "run.executed": ("run 3: pack executed, nothing stored", ("FAILED", "WORKER_TIMEOUT", 10_000)),
    "run.uploaded": ("run 4: envelope uploaded", ("FAILED", "WORKER_TIMEOUT", 10_000)),
    "finalize.claimed": ("finalize 1: claim committed", ("COMPLETED", None, 50_000)),
    "finalize.settled": ("finalize 2: settled in Redis", ("COMPLETED", None, 50_000)),
    "finalize.committed": ("finalize 3: committed", ("COMPLETED", None, 50_000)),
}


def _api_dies(point: str) -> Inflict:
    def inflict(bench: Bench, size: Size) -> Figures:
        """Every other client never comes back; the others repeat their key and get their one run."""
        owner = bench.customer()
        slowest = 0.0
        for number in range(size.kills):
            bench.crash_points.arm(point)
            key = fresh_key()
            assert bench.try_submit(owner, key) is None, "the answer of a dead process"
            died = time.monotonic()
            assert is_gone(bench.crashed())
            bench.crash_points.disarm()
            sent: Sent | None = None
            if number % 2 == 0:
                sent = bench.submit(owner, key=key)
            slowest = max(slowest, bench.healed(owner, since=died))
            runs = Run.objects.filter(tenant=owner.tenant, idempotency_key=key)
            assert runs.count() == (1 if sent or point != "submit.reserved" else 0)
            if sent:
                assert runs.get().pk == sent.run_id
            assert all(run.status == "COMPLETED" for run in runs)
            bench.api.wait_ready()
        return Figures(size.kills, slowest)

    return inflict


def _worker_dies(point: str) -> Inflict:
    def inflict(bench: Bench, size: Size) -> Figures:
        """In turn the whole machine (with every process on it) and one child alone (out of memory)."""
        owner = bench.customer()
        slowest = 0.0
        expected = RUN[point][1]
        for number in range(size.kills):
            whole_machine = number % 2 == 0
            bench.crash_points.arm(f"{point}=stop" if whole_machine else point)
            sent = bench.submit(owner)
            victim = bench.crashed()
            if whole_machine:
                bench.until(partial(is_stopped, victim))
                bench.restart_worker()
            died = time.monotonic()
            bench.crash_points.disarm()
            slowest = max(slowest, bench.healed(owner, since=died))
            bench.ended_as(sent.run_id, *expected)
        return Figures(size.kills, slowest)

    return inflict


def _worker_sleeps(point: str) -> Inflict:
    def inflict(bench: Bench, size: Size) -> Figures:
        """SIGSTOP past the lease: somebody else ends the run. Then it wakes up, and must change nothing."""
        owner = bench.customer()
        slowest = 0.0
        for _ in range(size.kills):
            sent, victim = _asleep(bench, owner, point)
            slept = time.monotonic()
            slowest = max(slowest, bench.healed(owner, since=slept))
            bench.ended_as(sent.run_id, *RUN[point][1])
            run = Run.objects.get(pk=sent.run_id)
            before = everything_about(run)
            handled = bench.worker.lines().count("message_done")
            resume(victim)
            bench.until(partial(_done_more_than, bench, handled), why="it woke up")
            assert everything_about(run) == before
            assert bench.healed(owner, since=slept) is not None
        return Figures(size.kills, slowest)

    return inflict


def _done_more_than(bench: Bench, number: int) -> bool:
    return bench.worker.lines().count("message_done") > number


def _asleep(bench: Bench, owner: Customer, point: str) -> tuple[Sent, int]:
    bench.crash_points.arm(f"{point}=stop")
    sent = bench.submit(owner)
    victim = bench.crashed()
    bench.until(lambda: is_stopped(victim))
    bench.crash_points.disarm()
    return sent, victim


for _point, _title in SUBMIT.items():
    row("Crash points", f"API killed after {_title}", fast=_point == "submit.reserved")(_api_dies(_point))
for _point, (_title, _) in RUN.items():
    row("Crash points", f"worker killed after {_title}", fast=_point == "finalize.settled")(_worker_dies(_point))
for _point in RUN:
    row(
        "Crash points",
        f"worker asleep past its lease after {RUN[_point][0]}",
        fast=_point == "run.uploaded",
    )(_worker_sleeps(_point))


@row("Crash points", "worker asleep, woken after its machine's other child worked on")
def neighbours_go_on(bench: Bench, size: Size) -> Figures:
    """One of two children sleeps; the other one serves."""
    owner = bench.customer()
    sent, victim = _asleep(bench, owner, "run.executed")
    began = time.monotonic()
    others = bench.submit_many(owner, 6)
    healed = bench.healed(owner, since=began)
    os.kill(victim, signal.SIGCONT)
    bench.ended_as(sent.run_id, "FAILED", "WORKER_TIMEOUT", 10_000)
    for other in others:
        bench.ended_as(other.run_id, "COMPLETED", None, 50_000)
    return Figures(1, healed)
