"""A server that failed is left alone for a while, so that many small calls do not each wait for it."""

import time
from collections.abc import Callable


class CoolDown:
    """Shared by threads without a lock: the worst that can happen is one call more."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._until = float("-inf")

    def __bool__(self) -> bool:
        return self._clock() < self._until

    def begin(self) -> None:
        self._until = self._clock() + self._seconds
