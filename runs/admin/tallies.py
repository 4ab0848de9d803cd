"""What happened in each slice of a time window, counted from the audit trail of the runs.

The trail only grows: a slice that is over never changes and is counted once a process. A look then reads the newest
transitions alone, found by their block range index, however many runs there are. What cannot be counted while somebody
waits is left open, and counted by the looks that follow.
"""

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.core.cache import cache
from django.db import OperationalError, connection, transaction

# A transaction that began in a slice may commit this much after its end.
_LATE = timedelta(minutes=2)
# How long a look goes on counting, and how long one statement of it may take at most.
_PATIENCE_SEC = 1.5
_STATEMENT_TIMEOUT = "5s"
_FRESH_SEC = 3


@dataclass(frozen=True)
class Window:
    name: str
    title: str
    slices: int
    width: timedelta
    label: str
    """strftime of a slice's beginning."""

    @property
    def length(self) -> timedelta:
        return self.width * self.slices


WINDOWS = {
    "1h": Window("1h", "last hour", 60, timedelta(minutes=1), "%H:%M"),
    "24h": Window("24h", "last 24 hours", 48, timedelta(minutes=30), "%H:%M"),
    "7d": Window("7d", "last 7 days", 56, timedelta(hours=3), "%a %Hh"),
}


@dataclass
class Tally:
    """One slice."""

    moves: Counter[tuple[str | None, str]] = field(default_factory=Counter)
    """(from, to) status -> runs"""
    reasons: Counter[str] = field(default_factory=Counter)
    spent: Counter[str] = field(default_factory=Counter)
    """Tenant -> micros charged to runs that ended here."""
    wait: tuple[float, float] | None = None
    """Median and 95th percentile, in seconds, from submit to start; None: nothing started."""
    latency: tuple[float, float] | None = None
    """The same from submit to end."""

    def entered(self, status: str) -> int:
        return sum(number for (_, to), number in self.moves.items() if to == status)

    def left(self, status: str) -> int:
        return sum(number for (since, _), number in self.moves.items() if since == status)


Slices = list[tuple[datetime, Tally | None]]


def tallies(window: Window, *, now: datetime) -> Slices:
    """Every slice of the window, oldest first; the last one is still growing. None: not counted yet."""
    starts = list(_starts(window, now))
    known: dict[datetime, Tally] = cache.get(_key(window), {})
    missing = [start for start in reversed(starts) if start not in known]
    over = now - _LATE - window.width
    ends, number = time.monotonic() + _PATIENCE_SEC, 1
    while missing:
        # Newest first, twice as many each time: an idle platform is counted at once, a busy one bit by bit.
        batch, missing, number = missing[:number], missing[number:], number * 2
        began = time.monotonic()
        try:
            counted = _count(batch[-1], min(batch[0] + window.width, now), window)
        except OperationalError:
            break
        known |= {start: counted.get(start) or Tally() for start in batch}
        next_takes = 2 * (time.monotonic() - began)
        # Every look gets some further into the past, however long the slices took that still change.
        if time.monotonic() + next_takes > ends and batch[-1] <= over:
            break
    remembered = {start: tally for start, tally in known.items() if starts[0] <= start <= over}
    cache.set(_key(window), remembered, window.length.total_seconds())
    return [(start, known.get(start)) for start in starts]


def recent_tallies(window: Window, *, now: datetime) -> Slices:
    """As `tallies`, at most some seconds old: many people may look at once."""
    key = f"{_key(window)}:shown"
    shown: Slices | None = cache.get(key)
    if shown is None:
        shown = tallies(window, now=now)
        cache.set(key, shown, _FRESH_SEC)
    return shown


def _starts(window: Window, now: datetime) -> Iterator[datetime]:
    seconds = int(window.width.total_seconds())
    current = datetime.fromtimestamp(int(now.timestamp()) // seconds * seconds, now.tzinfo)
    for back in range(window.slices - 1, -1, -1):
        yield current - window.width * back


_BUCKET = "date_bin(%(width)s, t.at, timestamptz 'epoch')"
# Claims keep the status; only changes of it are counted.
_CHANGED = "t.at >= %(since)s AND t.at < %(until)s AND t.from_status IS DISTINCT FROM t.to_status"
_MOVES = f"""
    SELECT {_BUCKET}, t.from_status, t.to_status, t.reason_code, count(*)
    FROM run_transitions t WHERE {_CHANGED} GROUP BY 1, 2, 3, 4
"""  # noqa: S608 (our own text)
_TIMES = f"""
    SELECT {_BUCKET}, t.to_status = 'PROCESSING',
           percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY extract(epoch FROM t.at - r.created_at))
    FROM run_transitions t JOIN runs r USING (run_id)
    WHERE {_CHANGED} AND t.to_status IN ('PROCESSING', 'COMPLETED', 'FAILED') GROUP BY 1, 2
"""  # noqa: S608
_SPENT = f"""
    SELECT {_BUCKET}, r.tenant_id, sum(r.actual_cost_usd_micros)
    FROM run_transitions t JOIN runs r USING (run_id)
    WHERE {_CHANGED} AND t.to_status IN ('COMPLETED', 'FAILED') AND r.actual_cost_usd_micros > 0 GROUP BY 1, 2
"""  # noqa: S608


def _count(since: datetime, until: datetime, window: Window) -> dict[datetime, Tally]:
    found: dict[datetime, Tally] = {}
    values: dict[str, Any] = {"since": since, "until": until, "width": window.width}
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL statement_timeout = '{_STATEMENT_TIMEOUT}'")
        cursor.execute(_MOVES, values)
        for start, before, after, reason, number in cursor.fetchall():
            tally = found.setdefault(start, Tally())
            tally.moves[before, after] += number
            if after == "FAILED":
                tally.reasons[reason or "?"] += number
        cursor.execute(_TIMES, values)
        for start, is_start, (median, p95) in cursor.fetchall():
            tally, pair = found.setdefault(start, Tally()), (float(median), float(p95))
            if is_start:
                tally.wait = pair
            else:
                tally.latency = pair
        cursor.execute(_SPENT, values)
        for start, tenant_id, spent in cursor.fetchall():
            found.setdefault(start, Tally()).spent[tenant_id] += int(spent)
    return found


def _key(window: Window) -> str:
    return f"operate:tallies:{window.name}"
