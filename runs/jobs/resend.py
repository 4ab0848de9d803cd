"""Runs whose message never arrived: send it again. Harmless if it did, since starting is a compare-and-set."""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from dpp_project.clock import db_now_plus
from dpp_project.logging import fields
from dpp_project.profile import PROFILE
from runs.jobs.passes import UNREAD, TimeLimit, drain
from runs.lifecycle import queue
from runs.lifecycle.queue import take_unsent, unsent
from runs.models import Run
from runs.states import Status

log = logging.getLogger("dpp.jobs")

_BATCH = 500
_TIME_LIMIT_SEC = 10.0


@dataclass(frozen=True)
class Resent:
    found: int = 0
    sent: int = 0
    failed: int = 0


def resend(*, now: datetime) -> Resent:
    """One bounded pass: unconfirmed sends first, then whatever has waited a quarter of an hour."""
    time_limit = TimeLimit(_TIME_LIMIT_SEC)

    def send_unsent(run: Run | None) -> str:
        # Whoever removes the marker sends: two resenders never both do.
        if run is None or not take_unsent(run):
            return "not_ours"
        return _send(run, now) if _is_waiting(run) else "needless"

    def send_waiting(run: Run) -> str:
        return _send(run, now) if _due(pk=run.pk).update(last_resent_at=Now()) else "not_ours"

    counts = drain(_unsent, send_unsent, batch=_BATCH, gone=("sent", "needless"), time_limit=time_limit, left="failed")
    counts += drain(_waiting, send_waiting, batch=_BATCH, gone=("sent",), time_limit=time_limit, left="failed")
    return Resent(found=counts["sent"] + counts["failed"], sent=counts["sent"], failed=counts["failed"])


def _unsent() -> list[Run | None]:
    """Runs whose submit died between row and send; None for a hold without a run, the sweeper's case."""
    run_ids = unsent(older_than_sec=PROFILE.resend_unsent_age_sec, batch=_BATCH)
    runs = Run.objects.defer(*UNREAD).in_bulk(run_ids)
    return [runs.get(run_id) for run_id in run_ids]


def _waiting() -> list[Run]:
    """QUEUED for long, however that came (a purged queue, a lost message, a forgotten marker)."""
    return list(_due().defer(*UNREAD).order_by("created_at")[:_BATCH])


def _due(**which: UUID) -> QuerySet[Run]:
    old = db_now_plus(timedelta(seconds=-PROFILE.resend_queued_age_sec))
    waiting = Run.objects.filter(status=Status.QUEUED, finalize_stage__isnull=True, created_at__lt=old, **which)
    return waiting.filter(Q(last_resent_at__isnull=True) | Q(last_resent_at__lt=old))


def _is_waiting(run: Run) -> bool:
    return run.status == Status.QUEUED and run.finalize_stage is None


def _send(run: Run, now: datetime) -> str:
    try:
        queue.send(run, now=now)
    except queue.SendFailed as error:
        log.warning("resend_failed", extra=fields(run_id=run.pk, error=str(error)))
        return "failed"
    return "sent"
