"""After thirty days a run's objects and inputs are deleted and the run is EXPIRED."""

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db import DatabaseError, InterfaceError
from django.db.models import Q

from dpp_project.logging import fields
from dpp_project.redis import client
from runs.jobs.passes import Budget, drain
from runs.models import Run
from runs.queue import SendFailed, send_job
from runs.retention import expire_run
from runs.states import Actor, Status

log = logging.getLogger("dpp.jobs")

_BATCH = 1_000
_BUDGET_SEC = 20.0
# Between two passes of a long walk the maintenance worker is there for the other jobs.
_PAUSE_SEC = 10
# Where the last pass stopped; in Redis, so that the next pass may be another machine's.
_CURSOR = "retain:cursor"
_GOES_ON = "retain:goes_on"


@dataclass(frozen=True)
class Retained:
    found: int = 0
    expired: int = 0
    left: int = 0


class _Place(NamedTuple):
    """In the order of the walk."""

    retention_until: datetime
    run_id: UUID

    def __str__(self) -> str:
        return f"{self.retention_until.isoformat()} {self.run_id}"

    @classmethod
    def parse(cls, text: str) -> "_Place":
        moment, run_id = text.split()
        return cls(datetime.fromisoformat(moment), UUID(run_id))


def retain(*, now: datetime) -> Retained:
    """One bounded pass of a walk over all that is due; an hour's runs may take many. What cannot be deleted is passed
    by, and tried again in the next walk: it never blocks what is behind it."""
    kept = client().get(_CURSOR)
    place = _Place.parse(str(kept)) if kept else None

    def expire(run: Run) -> str:
        nonlocal place
        place = _Place(run.retention_until, run.pk)
        try:
            return "expired" if expire_run(run, actor=Actor.RETENTION) else "left"
        except (DatabaseError, InterfaceError):
            log.warning("run_not_expired", extra=fields(run_id=run.pk, tenant_id=run.tenant_id), exc_info=True)
            return "left"

    budget = Budget(_BUDGET_SEC)
    counts = drain(lambda: _due(now, after=place), expire, batch=_BATCH, gone=("expired", "left"), budget=budget)
    if place and budget.is_spent:
        client().set(_CURSOR, str(place), ex=86_400)
        if counts["expired"]:
            _go_on_soon()
    else:
        client().delete(_CURSOR)
    return Retained(counts.total(), **counts)


def _due(now: datetime, *, after: _Place | None) -> list[Run]:
    due = Run.objects.filter(status__in=[Status.COMPLETED, Status.FAILED], retention_until__lte=now)
    if after is not None:
        # The condition on the moment alone is the one that the index knows.
        behind = Q(retention_until__gt=after.retention_until) | Q(pk__gt=after.run_id)
        due = due.filter(behind, retention_until__gte=after.retention_until)
    return list(due.order_by("retention_until", "pk")[:_BATCH])


def _go_on_soon() -> None:
    """Ask for the next pass of the walk. Beat begins one every hour, whether or not another is under way: the marker
    outlives any pass that would follow at once and no pass after a pause, so that one of them goes on."""
    if client().set(_GOES_ON, "", nx=True, ex=int(_BUDGET_SEC) + _PAUSE_SEC // 2):
        try:
            send_job("retain", delay_sec=_PAUSE_SEC)
        except SendFailed:
            log.warning("retention_waits_for_beat", exc_info=True)
