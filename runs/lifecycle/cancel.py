"""Cancel a run: a queued one at once and for free, a running one at its next checkpoint for the minimum fee."""

from django.db.models.functions import Now

from runs.exceptions import RunNotCancellable
from runs.lifecycle import finalize, transitions
from runs.lifecycle.finalize import Ending
from runs.lifecycle.outcomes import Outcome, never_started
from runs.models import Run
from runs.states import Actor, Reason, Status

_DETAIL = "The run was cancelled before it started. Nothing was charged."


def cancel(run: Run, *, actor: Actor = Actor.API) -> Run:
    """The run as it is afterwards. Losing a race means looking again: the run has started, or has ended."""
    while run.finalize_stage is None:
        if run.status == Status.QUEUED:
            outcome = never_started(Reason.RUN_CANCELLED, _DETAIL)
            won = _end_queued(run, outcome, actor)
        elif run.status == Status.PROCESSING:
            won = _request(run)
        else:
            break
        if won:
            return run
        run = Run.objects.get(pk=run.pk)
    raise RunNotCancellable(run.pk)


def _end_queued(run: Run, outcome: Outcome, actor: Actor) -> bool:
    ending = finalize.end(run, lambda: transitions.claim_queued(run, outcome, actor=actor), actor=actor)
    if ending == Ending.LEFT:
        finalize.must_be_claimed(run)
    return ending != Ending.LOST


def _request(run: Run) -> bool:
    """A flag in the database, seen at every checkpoint and heartbeat. Repeatable; never moves the version."""
    still_running = Run.objects.filter(pk=run.pk, status=Status.PROCESSING, finalize_stage__isnull=True)
    if still_running.filter(cancel_requested_at__isnull=True).update(cancel_requested_at=Now()):
        return True
    return still_running.exists()
