"""Events that wait a moment for company: a quick run passes its stages faster than anybody could look.

Open only while a worker executes a run. An event that does not end its run then waits at most `_MOMENT_SEC`; a thread
of the process sends what has waited so long, and the event that ends the run takes along all that came before it.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Generic, TypeVar

from runs.events.event import Event

T = TypeVar("T")

_MOMENT_SEC = 0.05


class Outbox(Generic[T]):
    """`send` tells events in their order, with an outcome each; only one thread at a time is in it."""

    def __init__(self, send: Callable[[Sequence[Event]], list[T]]) -> None:
        self._send = send
        self._waiting: list[Event] = []
        self._is_open = False
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._something_waits = threading.Event()
        self._thread: threading.Thread | None = None

    @contextmanager
    def opened(self) -> Iterator[None]:
        self._is_open = True
        try:
            yield
        finally:
            self._is_open = False
            self.flush()

    def keeps(self, event: Event) -> bool:
        """Whether the event waits here. If not, it goes with `flush`, after those that wait."""
        if not self._is_open or event.ends_the_run:
            return False
        with self._lock:
            self._waiting.append(event)
        if self._thread is None:
            # Made at the first event, in the process that uses it: threads do not survive a fork.
            self._thread = threading.Thread(target=self._flush_again_and_again, name="events", daemon=True)
            self._thread.start()
        self._something_waits.set()
        return True

    def flush(self, *last: Event) -> list[T]:
        with self._sending:
            with self._lock:
                events, self._waiting = [*self._waiting, *last], []
            return self._send(events) if events else []

    def _flush_again_and_again(self) -> None:
        while self._something_waits.wait():
            time.sleep(_MOMENT_SEC)
            self._something_waits.clear()
            self.flush()
