"""Everybody who may end a run, as a function of the run; and ways to stop one of them in the middle."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import uuid4

from dpp_project import faults
from dpp_project.celery import RUNS_QUEUE, queue_url
from runs.exceptions import EnqueueFailed, RunNotCancellable
from runs.jobs.dead_letters import dead_letters
from runs.jobs.reap import reap
from runs.jobs.reconcile import reconcile
from runs.jobs.sweep import sweep
from runs.lifecycle.cancel import cancel
from runs.lifecycle.queue import bootstrap_queues, sqs
from runs.models import Run
from runs.worker.run_one import Delivery, MessageOutcome, run_one
from tests.builders import Customer, message, submitted
from tests.race import passing_time
from tests.race.queue_messages import send_to_dead_letters

# The steps of every ending, in order.
BOUNDARIES = ("finalize.claimed", "finalize.settled", "finalize.committed")


class Crash(BaseException):
    """The process dies here. Not an Exception: nobody can handle it."""


def die() -> None:
    raise Crash


def fresh(run: Run) -> Run:
    return Run.objects.get(pk=run.pk)


def work(run: Run) -> MessageOutcome:
    """A worker gets the run's message."""
    return run_one(Delivery(message_id=str(uuid4()), body=dict(message(run)), extend=lambda: None))


def reaper(run: Run) -> None:
    reap()


def sweeper(run: Run) -> None:
    passing_time.waits_in_queue(run)
    sweep()


def another_sweeper(run: Run) -> None:
    sweep()


def owner_cancels(run: Run) -> None:
    cancel(fresh(run))


def message_dies(run: Run) -> None:
    """The run's message is received three times in vain; then the job looks at the dead letters."""
    send_to_dead_letters(run)
    dead_letters()


def reconciler(run: Run) -> None:
    reconcile()


def cancels_in_vain(run: Run) -> None:
    try:
        cancel(fresh(run))
    except RunNotCancellable:
        return
    raise AssertionError("a run that is ending was cancelled")


@contextmanager
def unreachable_queue() -> Iterator[None]:
    """Sends are refused: the queue is gone. It comes back empty."""
    sqs().delete_queue(QueueUrl=queue_url(RUNS_QUEUE))
    try:
        yield
    finally:
        bootstrap_queues()


def submit_without_queue(owner: Customer, *, key: str | None = None) -> None:
    """A submit whose message cannot be sent."""
    with unreachable_queue():
        try:
            submitted(owner, key=key)
        except EnqueueFailed:
            return
    raise AssertionError("the send was not refused")


def at(point: str, action: Callable[[], object]) -> None:
    faults.arm(point, action)
