"""The database's clock, by which everything is aged and judged, and how a moment is written in every document.

Statements compare with the database's time themselves (`Now()`, `statement_timestamp()`). For what is decided outside a
statement, `now` tells that time without asking: measured now and then, carried on by the monotonic clock, which nobody
sets. The process's own clock decides nothing.
"""

from __future__ import annotations

import logging
import threading
import time
from datetime import UTC, datetime, timedelta

from django.db import DatabaseError, InterfaceError, connection
from django.db.models import DateTimeField, ExpressionWrapper, Value
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now
from django.utils import timezone

from dpp_project.logging import fields
from dpp_project.metrics import CLOCK_SKEW

log = logging.getLogger("dpp.clock")

MOST_SKEW_SEC = 5.0
_REFRESH_SEC = 60.0
_RETRY_SEC = 5.0


def db_now_plus(delta: timedelta) -> ExpressionWrapper[CombinedExpression]:
    """The clocks of workers differ: no lease is judged by theirs."""
    return ExpressionWrapper(Now() + Value(delta), output_field=DateTimeField())


def instant(moment: datetime) -> str:
    """UTC, ISO 8601 with Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class _DatabaseClock:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._measured: tuple[datetime, float] | None = None
        self._due = 0.0

    def now(self) -> datetime:
        """Nobody waits for the database here, but for the first caller of a process."""
        uptime = _uptime()
        if uptime >= self._due:
            with self._lock:
                mine, self._due = uptime >= self._due, max(self._due, uptime + _RETRY_SEC)
            if mine and self._measured is None:
                self._try_to_measure()
            elif mine:
                threading.Thread(target=self._measure_beside, name="database-clock", daemon=True).start()
        if self._measured is None:
            return timezone.now()
        moment, at = self._measured
        return moment + timedelta(seconds=_uptime() - at)

    def skew(self) -> float:
        """Seconds by which this process's clock is ahead of the database's. Asks the database."""
        self.measure()
        assert self._measured is not None
        moment, at = self._measured
        seconds = (timezone.now() - moment).total_seconds() - (_uptime() - at)
        CLOCK_SKEW.set(seconds)
        return seconds

    def measure(self) -> None:
        began = _uptime()
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            moment: datetime = cursor.fetchone()[0]
        ended = _uptime()
        self._measured = (moment, (began + ended) / 2)
        self._due = ended + _REFRESH_SEC

    def _try_to_measure(self) -> None:
        try:
            self.measure()
        except (DatabaseError, InterfaceError) as error:
            log.warning("database_clock_not_read", extra=fields(error=type(error).__name__))

    def _measure_beside(self) -> None:
        try:
            self._try_to_measure()
        finally:
            connection.close()


def _uptime() -> float:
    return time.clock_gettime(time.CLOCK_MONOTONIC)


_clock = _DatabaseClock()
now = _clock.now
skew = _clock.skew


def is_set_right(seconds: float) -> bool:
    """Whether a skew is small enough to work with."""
    return abs(seconds) <= MOST_SKEW_SEC
