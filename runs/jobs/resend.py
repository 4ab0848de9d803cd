"""Runs whose message never arrived: send it again. Harmless if it did, since starting is a compare-and-set."""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q
from django.db.models.functions import Now

from budget.holds import take_unsent, unsent
from dpp_project.clock import db_now_plus
from dpp_project.logging import fields
from dpp_project.profile import PROFILE
from runs import queue
from runs.models import Run
from runs.states import Status

log = logging.getLogger("dpp.jobs")

_BATCH = 500


@dataclass(frozen=True)
class Resent:
    found: int = 0
    sent: int = 0
    failed: int = 0


def resend(*, now: datetime) -> Resent:
    """One bounded pass: unconfirmed sends first, then whatever has waited a quarter of an hour."""
    runs = _unsent() + _waiting()
    sent = sum(_send(run, now) for run in runs)
    return Resent(found=len(runs), sent=sent, failed=len(runs) - sent)


def _unsent() -> list[Run]:
    """Runs whose submit died between row and send. Whoever removes the marker sends: two resenders never both do."""
    run_ids = unsent(older_than_sec=PROFILE.resend_unsent_age_sec, batch=_BATCH)
    # Those without a row are holds without a run: the sweeper's case.
    return [run for run in Run.objects.filter(pk__in=run_ids) if take_unsent(run.pk) and _is_waiting(run)]


def _waiting() -> list[Run]:
    """QUEUED for long, however that came (a purged queue, a lost message, a forgotten marker)."""
    old = db_now_plus(timedelta(seconds=-PROFILE.resend_queued_age_sec))
    due = Q(status=Status.QUEUED, finalize_stage__isnull=True, created_at__lt=old) & (
        Q(last_resent_at__isnull=True) | Q(last_resent_at__lt=old)
    )
    candidates = Run.objects.filter(due).order_by("created_at")[:_BATCH]
    return [run for run in candidates if Run.objects.filter(due, pk=run.pk).update(last_resent_at=Now())]


def _is_waiting(run: Run) -> bool:
    return run.status == Status.QUEUED and run.finalize_stage is None


def _send(run: Run, now: datetime) -> bool:
    try:
        queue.send(run, now=now)
    except queue.SendFailed as error:
        log.warning("resend_failed", extra=fields(run_id=run.pk, error=str(error)))
        return False
    return True
