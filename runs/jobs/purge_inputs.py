"""Inputs that nobody will read again: of runs that were cancelled or never started. Deleted soon, not at retention."""

from dataclasses import dataclass

from django.db import transaction
from django.db.models.functions import Now

from runs.jobs.passes import UNREAD, TimeLimit, drain
from runs.models import Run, RunPayload
from storage import store

_BATCH = 500
_TIME_LIMIT_SEC = 10.0


@dataclass(frozen=True)
class Purged:
    found: int = 0
    purged: int = 0
    left: int = 0


def purge_inputs() -> Purged:
    """One bounded pass."""
    counts = drain(_due, _purge, batch=_BATCH, gone=("purged",), time_limit=TimeLimit(_TIME_LIMIT_SEC))
    return Purged(counts.total(), **counts)


def _due() -> list[Run]:
    return list(Run.objects.filter(Run.INPUTS_NOT_NEEDED).defer(*UNREAD).order_by("created_at")[:_BATCH])


def _purge(run: Run) -> str:
    """The object first: what fails half-way is found again."""
    payload = RunPayload.objects.filter(run=run)
    store.delete([key for key in payload.values_list("object_key", flat=True) if key])
    with transaction.atomic():
        payload.delete()
        Run.objects.filter(Run.INPUTS_NOT_NEEDED, pk=run.pk).update(inputs_deleted_at=Now())
    return "purged"
