"""Sends that share a call: submits that arrive together go to the queue in one batch, each with its own confirmation.

Nobody waits for company. A send that finds the line free goes at once, alone; those that come while it is on its way
form the next batch, and the first of them takes it. There is no thread of our own, and nothing outlives a request.
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from uuid import UUID

# SQS takes ten at a time.
MOST_IN_A_BATCH = 10


class Letter:
    """One run's message on its way."""

    def __init__(self, run_id: UUID, body: str) -> None:
        self.run_id = run_id
        self.body = body
        self.error: Exception | None = None
        self.done = False
        self._turn = threading.Event()

    def wait_for_turn(self) -> None:
        """Until it was sent by another, or has become the one who sends."""
        self._turn.wait()

    def wake(self) -> None:
        self._turn.set()


class Batches:
    """`deliver` sends one batch: it sets the `error` of the letters the queue refused, or raises for all of them."""

    def __init__(self, deliver: Callable[[Sequence[Letter]], None], *, lines: int) -> None:
        self._deliver = deliver
        self._free_lines = lines
        self._waiting: deque[Letter] = deque()
        self._lock = threading.Lock()

    def send(self, letter: Letter) -> None:
        """Returns when the queue has confirmed this letter, raises when it has not."""
        with self._lock:
            if self._free_lines:
                self._free_lines -= 1
                letter.wake()
            else:
                self._waiting.append(letter)
        letter.wait_for_turn()
        if not letter.done:
            self._send_batch_of(letter)
        if letter.error is not None:
            raise letter.error

    def _send_batch_of(self, leader: Letter) -> None:
        with self._lock:
            company = min(len(self._waiting), MOST_IN_A_BATCH - 1)
            batch = [leader, *(self._waiting.popleft() for _ in range(company))]
        try:
            self._deliver(batch)
        except Exception as error:
            for letter in batch:
                letter.error = error
        finally:
            self._hand_over(batch)

    def _hand_over(self, batch: list[Letter]) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().wake()
            else:
                self._free_lines += 1
        for letter in batch:
            letter.done = True
            letter.wake()
