"""After thirty days a run's objects and inputs are deleted and the run is EXPIRED."""

from dataclasses import dataclass
from datetime import datetime

from runs.models import Run
from runs.retention import expire_run
from runs.states import Actor, Status

_BATCH = 1_000


@dataclass(frozen=True)
class Retained:
    found: int = 0
    expired: int = 0
    left: int = 0


def retain(*, now: datetime) -> Retained:
    """One bounded pass."""
    due = list(
        Run.objects.filter(status__in=[Status.COMPLETED, Status.FAILED], retention_until__lte=now).order_by(
            "retention_until"
        )[:_BATCH]
    )
    expired = sum(expire_run(run, actor=Actor.RETENTION) for run in due)
    return Retained(found=len(due), expired=expired, left=len(due) - expired)
