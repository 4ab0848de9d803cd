"""After thirty days a run's objects and inputs are deleted and the run is EXPIRED."""

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import redis
from django.db import DatabaseError, InterfaceError
from django.db.models import Q
from django.db.models.functions import Now

from dpp_project.logging import fields
from dpp_project.redis import client
from dpp_project.walk_cursor import WalkCursor
from runs.events.forget import forget_old_events
from runs.jobs.passes import UNREAD, TimeLimit, drain
from runs.lifecycle.queue import SendFailed, send_job
from runs.lifecycle.retention import expire_run
from runs.models import Run
from runs.states import Actor, Status

log = logging.getLogger("dpp.jobs")

_BATCH = 1_000
_TIME_LIMIT_SEC = 20.0
# Between two passes of a long walk the maintenance worker is there for the other jobs.
_PAUSE_SEC = 10
_CURSOR = WalkCursor("retain:cursor", kept_sec=86_400)
_GOES_ON = "retain:goes_on"


@dataclass(frozen=True)
class ExpiredRuns:
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
    def kept(cls) -> "_Place | None":
        """Where the last pass stopped. What is no place begins the walk anew."""
        try:
            moment, run_id = _CURSOR.read().split()
            return cls(datetime.fromisoformat(moment), UUID(run_id))
        except ValueError:
            return None


def expire() -> ExpiredRuns:
    """One bounded pass of a walk over all that is due; an hour's runs may take many. What cannot be deleted is passed
    by, and tried again in the next walk: it never blocks what is behind it."""
    forget_old_events()
    place = _Place.kept()

    def expire_one(run: Run) -> str:
        nonlocal place
        place = _Place(run.retention_until, run.pk)
        try:
            return "expired" if expire_run(run, actor=Actor.RETENTION) else "left"
        except (DatabaseError, InterfaceError):
            log.warning("run_not_expired", extra=fields(run_id=run.pk, tenant_id=run.tenant_id), exc_info=True)
            return "left"

    time_limit = TimeLimit(_TIME_LIMIT_SEC)
    counts = drain(lambda: _due(after=place), expire_one, batch=_BATCH, gone=("expired", "left"), time_limit=time_limit)
    if place and time_limit.is_over:
        _CURSOR.keep(str(place))
        if counts["expired"]:
            _go_on_soon()
    else:
        _CURSOR.forget()
    return ExpiredRuns(counts.total(), **counts)


def _due(*, after: _Place | None) -> list[Run]:
    due = Run.objects.filter(status__in=[Status.COMPLETED, Status.FAILED], retention_until__lte=Now())
    if after is not None:
        # The condition on the moment alone is the one that the index knows.
        behind = Q(retention_until__gt=after.retention_until) | Q(pk__gt=after.run_id)
        due = due.filter(behind, retention_until__gte=after.retention_until)
    return list(due.defer(*UNREAD).order_by("retention_until", "pk")[:_BATCH])


def _go_on_soon() -> None:
    """Ask for the next pass of the walk. Beat begins one every hour, whether or not another is under way: the marker
    outlives any pass that would follow at once and no pass after a pause, so that one of them goes on."""
    try:
        if client().set(_GOES_ON, "", nx=True, ex=int(_TIME_LIMIT_SEC) + _PAUSE_SEC // 2):
            send_job("retain", delay_sec=_PAUSE_SEC)
    except (redis.RedisError, SendFailed):
        log.warning("retention_waits_for_beat", exc_info=True)
