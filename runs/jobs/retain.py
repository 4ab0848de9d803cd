"""After thirty days a run's objects and inputs are deleted and the run is EXPIRED."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from runs.jobs.passes import Budget, drain
from runs.models import Run
from runs.retention import expire_run
from runs.states import Actor, Status

_BATCH = 1_000
_BUDGET_SEC = 20.0


@dataclass(frozen=True)
class Retained:
    found: int = 0
    expired: int = 0
    left: int = 0


def retain(*, now: datetime) -> Retained:
    """One bounded pass. What cannot be deleted is passed by: it never blocks what is behind it."""
    last: Run | None = None

    def next_due() -> list[Run]:
        nonlocal last
        due = _due(now, after=last)
        last = due[-1] if due else last
        return due

    counts = drain(next_due, _expire, batch=_BATCH, gone=("expired", "left"), budget=Budget(_BUDGET_SEC))
    return Retained(counts.total(), **counts)


def _due(now: datetime, *, after: Run | None) -> list[Run]:
    due = Run.objects.filter(status__in=[Status.COMPLETED, Status.FAILED], retention_until__lte=now)
    if after is not None:
        # The first condition is the one an index of the moment alone can use.
        behind = Q(retention_until__gt=after.retention_until) | Q(pk__gt=after.pk)
        due = due.filter(behind, retention_until__gte=after.retention_until)
    return list(due.order_by("retention_until", "pk")[:_BATCH])


def _expire(run: Run) -> str:
    return "expired" if expire_run(run, actor=Actor.RETENTION) else "left"
