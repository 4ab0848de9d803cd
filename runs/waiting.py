"""Wait for a run to change. Holds no database connection meanwhile, and only so many callers of a process may wait."""

import threading
import time
from uuid import UUID

from django.conf import settings

from dpp_project.metrics import LONG_POLLS
from runs.events import wait
from runs.models import Run

_places = threading.BoundedSemaphore(max(settings.LONG_POLL_MAX_WAITERS, 1))


def state_of(run: Run) -> tuple[int, float]:
    """What a waiting caller waits for: the version moves with status and money, progress by itself."""
    return run.version, run.progress


def wait_for_change(run: Run, *, seconds: float) -> bool:
    """True once the run is no longer as given, False when the time is up or no place to wait is free."""
    if not settings.LONG_POLL_MAX_WAITERS or not _places.acquire(blocking=False):
        LONG_POLLS.labels(outcome="no_place").inc()
        return False
    try:
        changed = _poll(run.pk, state_of(run), time.monotonic() + seconds)
    finally:
        _places.release()
    LONG_POLLS.labels(outcome="changed" if changed else "timed_out").inc()
    return changed


def _poll(run_id: UUID, seen: tuple[int, float], ends: float) -> bool:
    while (left := ends - time.monotonic()) > 0:
        wait.wait_for_change(run_id, seen, left)
        if Run.objects.filter(pk=run_id).values_list("version", "progress").first() != seen:
            return True
    return False
