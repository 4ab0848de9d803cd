"""Events on their way to Redis: those that wait a moment for company, and those that it did not take.

While a worker executes a run an event that is not the last one waits at most `_MOMENT_SEC`, since a quick run passes
its stages faster than anybody could look: a thread of the process sends what has waited so long, and the last event
takes along all that came before it. What was not taken stays in its place before all newer ones and is tried again. So
many events are kept and no more: the oldest are given up, and what follows of the same thing begins with a `gap`.
"""

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar
from uuid import UUID

from dpp_project.logging import fields
from dpp_project.metrics import EVENTS_LOST
from dpp_project.profile import EVENTS
from runs.events.event import GAP, Event, gap

T = TypeVar("T")

log = logging.getLogger("dpp.events")

_MOMENT_SEC = 0.05
_TRY_AGAIN_SEC = 1.0


class Outbox(Generic[T]):
    """`send` tells events in their order, with an outcome each; only one thread at a time is in it. Events whose
    outcome is one of `unsent` are kept."""

    def __init__(
        self,
        send: Callable[[Sequence[Event]], list[T]],
        *,
        unsent: Collection[T] = (),
        most: int = EVENTS.max_unsent_events,
    ) -> None:
        self._send = send
        self._unsent = unsent
        self._most = most
        self._waiting: list[Event] = []
        self._gaps: dict[UUID, _Gap] = {}
        self._is_open = False
        self._is_refused = False
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._something_waits = threading.Event()
        self._thread: threading.Thread | None = None

    @contextmanager
    def opened(self) -> Iterator[None]:
        self._is_open = True
        try:
            yield
        finally:
            self._is_open = False
            self.flush()

    def keeps(self, event: Event) -> bool:
        """Whether the event waits here. If not, it goes with `flush`, after those that wait."""
        if not self._is_open or event.is_last:
            return False
        with self._lock:
            self._waiting.append(event)
        self._send_later()
        return True

    def flush(self, *last: Event) -> list[T]:
        """The outcomes of all that was sent, that of the last event at the end."""
        with self._sending:
            with self._lock:
                events, self._waiting = self._with_gaps([*self._waiting, *last]), []
            if not events:
                return []
            kept = events
            try:
                outcomes = self._send(events)
                kept = [event for event, outcome in zip(events, outcomes, strict=True) if outcome in self._unsent]
            finally:
                # All of them, if the alarm of a run's timebox rang meanwhile: telling twice does no harm.
                for event in events:
                    if event.stage == GAP and event not in kept:
                        del self._gaps[event.run_id]
                # A gap that was not told is made anew, and may have grown.
                kept = [event for event in kept if event.stage != GAP]
                with self._lock:
                    self._waiting = self._bounded([*kept, *self._waiting])
                if kept:
                    self._send_later()
                self._is_refused = bool(kept)
            return outcomes

    def _with_gaps(self, events: list[Event]) -> list[Event]:
        """What was lost of a thing is told before whatever comes next of it."""
        told: list[Event] = []
        begun: set[UUID] = set()
        for event in events:
            lost = self._gaps.get(event.run_id)
            if lost and event.run_id not in begun:
                told.append(gap(lost.first, lost.last, lost.events))
            begun.add(event.run_id)
            told.append(event)
        return told

    def _bounded(self, events: list[Event]) -> list[Event]:
        """The oldest are given up; the last event of a thing only after all others, since its row tells it, too."""
        surplus = len(events) - self._most
        if surplus <= 0:
            return events
        ordinary = [number for number, event in enumerate(events) if not event.is_last]
        given_up = set([*ordinary, *range(len(events))][:surplus])
        for number in sorted(given_up):
            self._note_lost(events[number])
        EVENTS_LOST.inc(len(given_up))
        log.warning("events_lost", extra=fields(events=len(given_up)))
        return [event for number, event in enumerate(events) if number not in given_up]

    def _note_lost(self, event: Event) -> None:
        known = self._gaps.get(event.run_id)
        if known:
            self._gaps[event.run_id] = _Gap(known.first, event, known.events + 1)
        elif len(self._gaps) < self._most and not event.is_last:
            self._gaps[event.run_id] = _Gap(event, event, 1)

    def _send_later(self) -> None:
        if self._thread is None:
            # Made at the first event, in the process that uses it: threads do not survive a fork.
            self._thread = threading.Thread(target=self._flush_again_and_again, name="events", daemon=True)
            self._thread.start()
        self._something_waits.set()

    def _flush_again_and_again(self) -> None:
        while self._something_waits.wait():
            time.sleep(_MOMENT_SEC)
            self._something_waits.clear()
            self.flush()
            if self._is_refused:
                time.sleep(_TRY_AGAIN_SEC)


@dataclass(frozen=True)
class _Gap:
    first: Event
    last: Event
    events: int
