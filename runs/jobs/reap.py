"""Zombies: runs whose worker stopped renewing its lease. Ended with the minimum fee."""

from dataclasses import dataclass

from django.db.models.functions import Now

from runs.jobs.passes import UNREAD, TimeLimit, drain
from runs.lifecycle import finalize, transitions
from runs.lifecycle.finalize import Ending
from runs.lifecycle.outcomes import failed
from runs.models import Run
from runs.states import Actor, Reason, Status

_BATCH = 200
_TIME_LIMIT_SEC = 10.0
_DETAIL = "The worker stopped answering before the run was finished."


@dataclass(frozen=True)
class Reaped:
    found: int = 0
    ended: int = 0
    lost: int = 0
    left: int = 0


def reap() -> Reaped:
    """One bounded pass. Leases are judged by the database's clock, here and again in the claim."""
    gone, time_limit = (Ending.ENDED, Ending.LOST), TimeLimit(_TIME_LIMIT_SEC)
    endings = drain(_zombies, _end, batch=_BATCH, gone=gone, time_limit=time_limit, left=Ending.LEFT)
    return Reaped(endings.total(), *(endings[kind] for kind in (Ending.ENDED, Ending.LOST, Ending.LEFT)))


def _zombies() -> list[Run]:
    silent = Run.objects.filter(status=Status.PROCESSING, finalize_stage__isnull=True, lease_expires_at__lt=Now())
    return list(silent.defer(*UNREAD).order_by("lease_expires_at")[:_BATCH])


def _end(run: Run) -> Ending:
    outcome = failed(run, Reason.WORKER_TIMEOUT, _DETAIL)
    return finalize.end(run, lambda: transitions.claim_zombie(run, outcome), actor=Actor.REAPER)
