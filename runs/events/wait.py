"""The long poll's half of run events: a thread sleeps until its run changes. One reader for all threads of a process.

May return too early (the caller looks at the row anyway) and, when Redis is silent, too late by `_LOOK_AGAIN_SEC`.
"""

import threading
from collections.abc import Sequence
from uuid import UUID

from django.db import connection

from runs.events import state
from runs.events.event import Event
from runs.events.reader import ShardReader

# An event that was never published is found by looking at the row this often. Without Redis there are no events.
_LOOK_AGAIN_SEC = 5.0
_LOOK_AGAIN_BLIND_SEC = 1.0
_A_MOMENT_SEC = 0.05


def wait_for_change(run_id: UUID, seen: tuple[int, float], seconds: float) -> None:
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
            known = state.newest(run_id)
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
