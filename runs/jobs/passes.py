"""One pass of a job: batch after batch, while they come full, help, and the pass has time left.

The maintenance worker does one pass at a time: none may take as long as the reaper's interval.
"""

import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

from django.db import connection

from dpp_project.logging import fields

T = TypeVar("T")

# Columns of a run that a search leaves out: JSON that cannot be read must fail with its own run, not with the batch.
UNREAD = ("intended_objects",)

log = logging.getLogger("dpp.jobs")


class TimeLimit:
    """The time a pass may take. Looked at after each thing done, so that every pass does something."""

    def __init__(self, seconds: float) -> None:
        self._ends = time.monotonic() + seconds

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self._ends


def isolated(handle: Callable[[T], str], thing: T, *, left: str = "left") -> str:
    """What `handle` says, or `left` if it fails in any way: one thing that is locked, unreadable or of a strange kind
    never stops those behind it. The next pass tries it again."""
    try:
        return handle(thing)
    except Exception:
        log.warning("job_item_left", extra=fields(item=str(thing)[:100]), exc_info=True)
        drop_broken_connection()
        return left


def drop_broken_connection() -> None:
    """The next thing gets a new one. A connection that only failed in a statement is kept."""
    if not connection.in_atomic_block and connection.connection is not None and connection.connection.closed:
        connection.close()


def drain(
    find: Callable[[], Sequence[T]],
    handle: Callable[[T], str],
    *,
    batch: int,
    gone: Collection[str],
    time_limit: TimeLimit,
    left: str = "left",
) -> Counter[str]:
    """What `handle` said of everything found, counted; `left` for what it failed on.

    `gone` names the outcomes that are progress. A full batch without any is the last: what hinders all of it hinders
    the next one too, and may be the same things again.
    """
    counts: Counter[str] = Counter()
    while True:
        found = find()
        outcomes: Counter[str] = Counter()
        for thing in found:
            outcomes[isolated(handle, thing, left=left)] += 1
            if time_limit.is_over:
                return counts + outcomes
        counts += outcomes
        if len(found) < batch or not any(outcomes[outcome] for outcome in gone):
            return counts
