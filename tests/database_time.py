"""The database's time as a test wants it, for what is decided outside a statement.

What a statement decides, a test makes happen by making rows older (`tests/race/passing_time.py`).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from dpp_project import clock


class DatabaseTime:
    def __init__(self, moment: datetime) -> None:
        self.moment = moment

    def tick(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)

    def move_to(self, moment: datetime) -> None:
        self.moment = moment


@contextmanager
def database_says(moment: datetime) -> Iterator[DatabaseTime]:
    told, kept = DatabaseTime(moment), clock.now
    clock.now = lambda: told.moment
    try:
        yield told
    finally:
        clock.now = kept
