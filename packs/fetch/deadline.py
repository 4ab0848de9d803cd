"""One budget for a whole fetch, from the first name lookup to the last byte.

Every wait asks for what is left, so a thousand short waits cannot add up to more than the budget.
"""

import time
from collections.abc import Callable

from packs.fetch.exceptions import FailedCode, FetchFailed


class FetchDeadline:
    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ends_at = clock() + seconds

    def remaining_sec(self) -> float:
        """What is left, always above zero; raises once there is nothing left."""
        left = self._ends_at - self._clock()
        if left <= 0:
            raise FetchFailed(FailedCode.TIMEOUT, "The site did not deliver in the time allowed.")
        return left
