"""What happened in each slice of a time window, counted from the audit trail of the runs.

The trail only grows: what is some minutes old never changes and is counted once per process, in small steps that add up
to slices. A look reads the newest steps, found by their block range index, however many runs there are, and as many
older ones as its time allows; the looks that follow count the others.
"""

import math
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from django.core.cache import cache
from django.db import OperationalError, connection, transaction

# What is counted at once at least; a slice is made of whole ones.
STEP = timedelta(minutes=1)
# A transaction that began in a step may commit this much after its end.
_LATE = timedelta(minutes=2)
# All that a look may spend on counting. Somebody waits for the page.
_PATIENCE_SEC = 0.8
_LEAST_SEC = 0.2
_FRESH_SEC = 3
# The newest steps, which still grow, are not counted anew within this: a look with others to count gets on with those.
_GROWN = timedelta(seconds=15)


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


class Durations(Counter[int]):
    """How often each duration was seen, within five per cent: unlike percentiles, these add up over slices."""

    PER_FACTOR_E = 20
    SHORTEST_SEC = 0.001

    def percentile(self, share: float) -> float | None:
        """In seconds; None: nothing was seen."""
        rank = share * self.total()
        for place in sorted(self):
            rank -= self[place]
            if rank <= 0:
                return math.exp((place + 0.5) / self.PER_FACTOR_E)
        return None


@dataclass
class Tally:
    """A slice, or a step of one."""

    moves: Counter[tuple[str | None, str]] = field(default_factory=Counter)
    """(from, to) status -> runs"""
    reasons: Counter[str] = field(default_factory=Counter)
    spent: Counter[str] = field(default_factory=Counter)
    """Tenant -> micros charged to runs that ended here."""
    waits: Durations = field(default_factory=Durations)
    """From submit to start."""
    latencies: Durations = field(default_factory=Durations)
    """From submit to end."""

    def entered(self, status: str) -> int:
        return sum(number for (_, to), number in self.moves.items() if to == status)

    def left(self, status: str) -> int:
        return sum(number for (since, _), number in self.moves.items() if since == status)

    @classmethod
    def sum(cls, parts: Iterable["Tally"]) -> "Tally":
        total = cls()
        for part in parts:
            total.moves.update(part.moves)
            total.reasons.update(part.reasons)
            total.spent.update(part.spent)
            total.waits.update(part.waits)
            total.latencies.update(part.latencies)
        return total


Slices = list[tuple[datetime, Tally | None]]


@dataclass
class _Known:
    """What a process remembers of a window."""

    slices: dict[datetime, Tally] = field(default_factory=dict)
    """Whole ones that are over."""
    steps: dict[datetime, Tally] = field(default_factory=dict)
    """Of the slices that are not whole yet."""
    newest_at: datetime = datetime.min.replace(tzinfo=UTC)
    """When the steps that may still change were counted."""

    def forget_growing(self, now: datetime) -> None:
        if self.newest_at <= now < self.newest_at + _GROWN:
            return
        done = {start: tally for start, tally in self.steps.items() if start + STEP + _LATE <= self.newest_at}
        self.steps, self.newest_at = done, now


def tallies(window: Window, *, now: datetime) -> Slices:
    """Every slice of the window, oldest first; the last one is still growing. None: not counted yet."""
    starts = list(_starts(window, now))
    known: _Known = cache.get(_key(window)) or _Known()
    known.forget_growing(now)
    _count_missing(known, starts, window, now)
    shown = [(start, _slice(known, start, window, now)) for start in starts]
    for start, tally in shown:
        if tally is not None and start + window.width <= known.newest_at - _LATE:
            known.slices[start] = tally
    known.slices = {start: tally for start, tally in known.slices.items() if start >= starts[0]}
    known.steps = {
        start: tally
        for start, tally in known.steps.items()
        if starts[0] <= start and _begin(start, window.width) not in known.slices
    }
    cache.set(_key(window), known, window.length.total_seconds())
    return shown


def recent_tallies(window: Window, *, now: datetime) -> Slices:
    """As `tallies`, at most some seconds old: many people may look at once."""
    key = f"{_key(window)}:shown"
    shown: Slices | None = cache.get(key)
    if shown is None:
        shown = tallies(window, now=now)
        cache.set(key, shown, _FRESH_SEC)
    return shown


def _count_missing(known: _Known, starts: list[datetime], window: Window, now: datetime) -> None:
    """What may still change first, at every look. Then, newest first, what no look has counted yet: at least a step,
    and twice as many each time, so that an idle platform is counted at once and a busy one bit by bit."""
    missing = [
        step
        for start in reversed(starts)
        if start not in known.slices
        for step in reversed(_steps(start, window, now))
        if step not in known.steps
    ]
    ends = time.monotonic() + _PATIENCE_SEC
    number = sum(step > now - _LATE - STEP for step in missing) or 1
    while missing:
        batch = _together(missing[:number])
        began = time.monotonic()
        try:
            seconds = max(ends - began, _LEAST_SEC)
            counted = _count(batch[-1], min(batch[0] + STEP, now), seconds=seconds)
        except OperationalError:
            return
        known.steps |= {start: counted.get(start) or Tally() for start in batch}
        is_old = batch[-1] <= now - _LATE - STEP
        missing = missing[len(batch) :]
        left, a_step_takes = ends - time.monotonic(), (time.monotonic() - began) / len(batch)
        if is_old and left < a_step_takes:
            return
        number = max(1, min(2 * number, int(left / a_step_takes))) if is_old else 1


def _together(steps: list[datetime]) -> list[datetime]:
    """As many of them, newest first, as follow each other without a gap."""
    number = 1
    while number < len(steps) and steps[number - 1] - steps[number] == STEP:
        number += 1
    return steps[:number]


def _slice(known: _Known, start: datetime, window: Window, now: datetime) -> Tally | None:
    if start in known.slices:
        return known.slices[start]
    parts = [known.steps.get(step) for step in _steps(start, window, now)]
    return None if None in parts else Tally.sum(part for part in parts if part)


def _steps(start: datetime, window: Window, now: datetime) -> list[datetime]:
    """Of a slice, as far as they have begun."""
    every = (start + STEP * number for number in range(window.width // STEP))
    return [step for step in every if step <= now]


def _starts(window: Window, now: datetime) -> Iterator[datetime]:
    current = _begin(now, window.width)
    for back in range(window.slices - 1, -1, -1):
        yield current - window.width * back


def _begin(moment: datetime, width: timedelta) -> datetime:
    seconds = int(width.total_seconds())
    return datetime.fromtimestamp(int(moment.timestamp()) // seconds * seconds, moment.tzinfo)


_STEP = "date_bin(%(step)s, t.at, timestamptz 'epoch')"
# Claims keep the status; only changes of it are counted.
_CHANGED = "t.at >= %(since)s AND t.at < %(until)s AND t.from_status IS DISTINCT FROM t.to_status"
_MOVES = f"""
    SELECT {_STEP}, t.from_status, t.to_status, t.reason_code, count(*)
    FROM run_transitions t WHERE {_CHANGED} GROUP BY 1, 2, 3, 4
"""  # noqa: S608 (our own text)
# One pass over the runs concerned, for both: how long they took, and what each tenant spent.
_RUNS = f"""
    SELECT step, is_start, duration, tenant_id, count(*), sum(cost) FROM (
        SELECT {_STEP} AS step, t.to_status = 'PROCESSING' AS is_start, r.tenant_id,
               floor(ln(greatest(extract(epoch FROM t.at - r.created_at)::float, {Durations.SHORTEST_SEC}))
                     * {Durations.PER_FACTOR_E})::int AS duration,
               CASE WHEN t.to_status <> 'PROCESSING' THEN r.actual_cost_usd_micros END AS cost
        FROM run_transitions t JOIN runs r USING (run_id)
        WHERE {_CHANGED} AND t.to_status IN ('PROCESSING', 'COMPLETED', 'FAILED')
    ) AS changes
    GROUP BY GROUPING SETS ((step, is_start, duration), (step, tenant_id))
"""  # noqa: S608
# The runs of a few minutes are found one by one: what the planner takes for cheaper reads the whole table. Compiling
# a statement would take longer than running it, and sorting on disk longer than adding up in memory.
_PLAN = "; ".join(
    f"SET LOCAL {setting}"
    for setting in ("enable_hashjoin = off", "enable_mergejoin = off", "jit = off", "work_mem = '32MB'")
)


def _count(since: datetime, until: datetime, *, seconds: float) -> dict[datetime, Tally]:
    found: dict[datetime, Tally] = {}
    values: dict[str, Any] = {"since": since, "until": until, "step": STEP}
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"{_PLAN}; SET LOCAL statement_timeout = {max(int(seconds * 1000), 1)}")
        cursor.execute(_MOVES, values)
        for start, before, after, reason, number in cursor.fetchall():
            tally = found.setdefault(start, Tally())
            tally.moves[before, after] += number
            if after == "FAILED":
                tally.reasons[reason or "?"] += number
        cursor.execute(_RUNS, values)
        for start, is_start, duration, tenant_id, number, spent in cursor.fetchall():
            tally = found.setdefault(start, Tally())
            if tenant_id is None:
                (tally.waits if is_start else tally.latencies)[duration] += number
            elif spent:
                tally.spent[tenant_id] += int(spent)
    return found


def _key(window: Window) -> str:
    return f"operate:tallies:{window.name}"
