"""The run's timebox: a cooperative deadline for the pack, and an alarm for a pack that does not look at it."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from packs.base import TimeboxExceeded


class Timebox:
    def __init__(self, seconds: float) -> None:
        self._ends = time.monotonic() + seconds

    def remaining_sec(self) -> float:
        return max(0.0, self._ends - time.monotonic())

    def check(self) -> None:
        if self.remaining_sec() <= 0:
            raise TimeboxExceeded

    @contextmanager
    def enforced(self) -> Iterator[None]:
        """Interrupt the pack when the time is up. Only a main thread can be; a Celery child works on it."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def ring(signum: int, frame: FrameType | None) -> None:
            raise TimeboxExceeded

        before = signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, max(self.remaining_sec(), 0.001))
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
