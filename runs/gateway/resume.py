"""Where a listener begins: from the number it gives, or with the run's present state."""

import re
from dataclasses import dataclass
from uuid import UUID

from django.http import HttpRequest

from runs.events import event as events
from runs.events import latest
from runs.events.event import LAST_SEQ, Event
from runs.models import Run

# The longest number there is has this many digits; anything else is nobody's.
_SEQ = re.compile(rf"[0-9]{{1,{len(str(LAST_SEQ))}}}", re.ASCII)


@dataclass(frozen=True)
class Start:
    run_id: UUID
    seq: int | None
    """The newest event the listener has; None for one that has none and is told the present state first."""
    state: Event | None
    row: Event
    """What Redis and what the row say now."""

    @property
    def newest(self) -> Event:
        return max((found for found in (self.state, self.row) if found), key=lambda event: event.seq)

    @property
    def has_moved_on(self) -> bool:
        """The run has changed since its row was read. (Steps are told before the row notes them: they do not count.)"""
        return self.state is not None and self.state.version_and_progress[0] > self.row.version_and_progress[0]

    @property
    def has_all(self) -> bool:
        """It has heard the end of a run that has ended."""
        return self.seq == LAST_SEQ


def start_of(request: HttpRequest, run: Run) -> Start:
    row = events.of_row(run, at=run.updated_at)
    assert row is not None, "an expired run has no events"
    known = latest.newest(run.pk)
    seq = _asked(request)
    if seq is not None and seq > _newest_possible(run, known, row):
        # Another run's number, or an invented one: held against it, this run would have nothing to tell.
        seq = None
    return Start(run.pk, seq, known, row)


def _asked(request: HttpRequest) -> int | None:
    """`Last-Event-ID` wins: a browser repeats the address it was given, and counts on in the header."""
    for text in (request.headers.get("Last-Event-ID"), request.GET.get("last_seq")):
        if text is not None and _SEQ.fullmatch(text.strip()):
            return int(text.strip())
    return None


def _newest_possible(run: Run, known: Event | None, row: Event) -> int:
    # The state moves with the stream, in one call: nobody can have been told more. Without it only the row bounds.
    return max(known.seq, row.seq) if known else events.newest_possible(run)
