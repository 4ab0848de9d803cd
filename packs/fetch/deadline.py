"""One budget for a whole fetch, from the first name lookup to the last byte.

Every wait asks for what is left, so a thousand short waits cannot add up to more than the budget.
"""

import time
from collections.abc import Callable

from packs.fetch.exceptions import FailedCode, FetchFailed

# Said whatever the time went on: the site, a place at it, another run's download. Which of them it was could tell
# what other customers do.
NOT_IN_TIME = "The site did not deliver in the time allowed."


class FetchDeadline:
    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ends_at = clock() + seconds

    def remaining_sec(self) -> float:
        """What is left, always above zero; raises once there is nothing left."""
        left = self._ends_at - self._clock()
        if left <= 0:
            raise FetchFailed(FailedCode.TIMEOUT, NOT_IN_TIME)
        return left
