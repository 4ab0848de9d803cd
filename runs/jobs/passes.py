"""One pass of a job: batch after batch, while they come full, help, and the pass has time left.

The maintenance worker does one pass at a time: none may take as long as the reaper's interval.
"""

import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

T = TypeVar("T")


class Budget:
    """The time a pass may take. Looked at after each thing done, so that every pass does something."""

    def __init__(self, seconds: float) -> None:
        self._ends = time.monotonic() + seconds

    @property
    def is_spent(self) -> bool:
        return time.monotonic() >= self._ends


def drain(
    find: Callable[[], Sequence[T]],
    handle: Callable[[T], str],
    *,
    batch: int,
    gone: Collection[str],
    budget: Budget,
) -> Counter[str]:
    """What `handle` said of everything found, counted.

    `gone` names the outcomes that are progress. A full batch without any is the last: what hinders all of it hinders
    the next one too, and may be the same things again.
    """
    counts: Counter[str] = Counter()
    while True:
        found = find()
        outcomes: Counter[str] = Counter()
        for thing in found:
            outcomes[handle(thing)] += 1
            if budget.is_spent:
                return counts + outcomes
        counts += outcomes
        if len(found) < batch or not any(outcomes[outcome] for outcome in gone):
            return counts
