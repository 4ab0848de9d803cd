"""The long poll: wait until a run changes, or until it has ended. Only so many callers of a process may wait, not all
of one tenant, and none of them holds a database connection meanwhile. One reader of events wakes all of a process's
threads.

A sleep may end too early (the caller looks at the row anyway) and, when Redis is silent, too late by `_LOOK_AGAIN_SEC`.
"""

import threading
import time
from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from django.conf import settings
from django.db import connection

from dpp_project.metrics import LONG_POLLS
from runs.events import latest
from runs.events.event import Event
from runs.events.reader import ShardReader
from runs.models import Run
from runs.states import LIVE

# An event that was never published is found by looking at the row this often. Without Redis there are no events.
_LOOK_AGAIN_SEC = 5.0
_LOOK_AGAIN_BLIND_SEC = 1.0
_A_MOMENT_SEC = 0.05

_places = threading.BoundedSemaphore(max(settings.LONG_POLL_MAX_WAITERS, 1))
_PLACES_OF_ONE_TENANT = max(settings.LONG_POLL_MAX_WAITERS * 3 // 4, 1)
_waiting: Counter[str] = Counter()
_waiting_lock = threading.Lock()


def state_of(run: Run) -> tuple[int, float]:
    """What a waiting caller waits for: the version moves with status and money, progress by itself."""
    return run.version, run.progress


def wait_for_change(run: Run, *, seconds: float, until_end: bool = False) -> bool:
    """Whether the run is no longer as given. Returns once it has changed (`until_end`: once it has ended), when the
    time is up, or at once if no place to wait is free."""
    if not settings.LONG_POLL_MAX_WAITERS or not _took_place(run.tenant_id):
        LONG_POLLS.labels(outcome="no_place").inc()
        return False
    try:
        outcome, changed = _poll(run.pk, state_of(run), time.monotonic() + seconds, until_end=until_end)
    finally:
        _give_place_back(run.tenant_id)
    LONG_POLLS.labels(outcome=outcome).inc()
    return changed


def _took_place(tenant_id: str) -> bool:
    with _waiting_lock:
        if _waiting[tenant_id] >= _PLACES_OF_ONE_TENANT or not _places.acquire(blocking=False):
            return False
        _waiting[tenant_id] += 1
        return True


def _give_place_back(tenant_id: str) -> None:
    with _waiting_lock:
        _places.release()
        _waiting[tenant_id] -= 1
        if not _waiting[tenant_id]:
            del _waiting[tenant_id]


def _poll(run_id: UUID, before: tuple[int, float], ends: float, *, until_end: bool) -> tuple[str, bool]:
    seen = before
    while (left := ends - time.monotonic()) > 0:
        sleep_until_change(run_id, seen, left)
        row = Run.objects.filter(pk=run_id).values_list("version", "progress", "status").first()
        if row is None:
            return "changed", True
        seen = row[:2]
        if row[2] not in LIVE:
            return "ended", True
        if seen != before and not until_end:
            return "changed", True
    return "timed_out", seen != before


def sleep_until_change(run_id: UUID, seen: tuple[int, float], seconds: float) -> None:
    """Return when the run may differ from `seen` (version, progress), or after the time. Holds no connection."""
    connection.close()
    _sleepers.sleep(run_id, seen, seconds)


class _Sleepers:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_run: dict[UUID, set[threading.Event]] = {}
        self._reader: ShardReader | None = None

    def sleep(self, run_id: UUID, seen: tuple[int, float], seconds: float) -> None:
        woken = threading.Event()
        reader = self._enter(run_id, woken)
        try:
            # Only now that we are woken by what comes: what came before stands in the state.
            known = latest.newest(run_id)
            if known is None or not reader.caught_up.is_set():
                patience = _LOOK_AGAIN_BLIND_SEC
            elif known.version_and_progress > seen:
                # Not nothing: whoever calls in a loop must not spin, should the row never agree with the state.
                patience = _A_MOMENT_SEC
            else:
                patience = _LOOK_AGAIN_SEC
            woken.wait(min(seconds, patience))
        finally:
            self._leave(run_id, woken)

    def _enter(self, run_id: UUID, woken: threading.Event) -> ShardReader:
        with self._lock:
            self._by_run.setdefault(run_id, set()).add(woken)
            if self._reader is None:
                self._reader = ShardReader(self._wake, from_beginning=False)
                self._reader.start()
            reader = self._reader
        # The reader's first look fixes where it begins; before that it might miss what is published now.
        reader.caught_up.wait(_LOOK_AGAIN_BLIND_SEC)
        return reader

    def _leave(self, run_id: UUID, woken: threading.Event) -> None:
        with self._lock:
            sleeping = self._by_run[run_id]
            sleeping.remove(woken)
            if not sleeping:
                del self._by_run[run_id]

    def _wake(self, events: Sequence[Event], read_until: float | None) -> None:
        with self._lock:
            for event in events:
                for woken in self._by_run.get(event.run_id, ()):
                    woken.set()


_sleepers = _Sleepers()
