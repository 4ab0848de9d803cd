"""Calls that share a round trip: questions that arrive together are asked in one call, each gets its own answer.

Nobody waits for company. A question that finds a line free goes at once, alone; those that come while it is on its
way form the next batch, and the first of them takes it. There is no thread of our own, nothing outlives a request.
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, cast

Q = TypeVar("Q")
A = TypeVar("A")

_FOREVER = -1.0


class NoAnswer(Exception):
    """Not within the asker's patience, or the one who asked for it was interrupted."""

    def __init__(self, *, was_asked: bool = True) -> None:
        super().__init__()
        self.was_asked = was_asked
        """False: nobody has asked it, and nobody will."""


class BatchedCalls(Generic[Q, A]):
    """`call` asks one batch: it returns an answer for each question, or raises for all of them.

    `lines` calls may be on their way at once, with at most `most` questions each. Whoever has waited `patience_sec` for
    others goes away unanswered; nobody is asked to hurry with a call of its own.
    """

    def __init__(
        self, call: Callable[[Sequence[Q]], Sequence[A]], *, lines: int, most: int, patience_sec: float = _FOREVER
    ) -> None:
        self._call = call
        self._free_lines = lines
        self._most = most
        self._patience_sec = patience_sec
        self._waiting: deque[_Asker[Q, A]] = deque()
        self._lock = threading.Lock()

    def ask(self, question: Q, *, patience_sec: float | None = None) -> A:
        asker: _Asker[Q, A] = _Asker(question)
        with self._lock:
            if self._free_lines:
                self._free_lines -= 1
                asker.lead()
            else:
                self._waiting.append(asker)
        if not asker.wait(self._patience_sec if patience_sec is None else patience_sec):
            self._go_away(asker)
        if asker.leads:
            self._ask_batch_of(asker)
        if asker.error is not None:
            raise asker.error
        return cast("A", asker.answer)

    def _go_away(self, asker: "_Asker[Q, A]") -> None:
        """Not if it was given the line in this very moment: others wait behind it."""
        with self._lock:
            if asker in self._waiting:
                self._waiting.remove(asker)
                raise NoAnswer(was_asked=False)
            if not asker.leads:
                raise NoAnswer

    def _ask_batch_of(self, leader: "_Asker[Q, A]") -> None:
        with self._lock:
            company = min(len(self._waiting), self._most - 1)
            batch = [leader, *(self._waiting.popleft() for _ in range(company))]
        for asker in batch:
            asker.error = NoAnswer()  # unless it gets something better
        try:
            answers = self._call([asker.question for asker in batch])
            for asker, answer in zip(batch, answers, strict=True):
                asker.answer, asker.error = answer, None
        except Exception as error:
            for asker in batch:
                asker.error = error
        finally:
            self._hand_over(batch[1:])

    def _hand_over(self, company: "list[_Asker[Q, A]]") -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().lead()
            else:
                self._free_lines += 1
        for asker in company:
            asker.wake()


class _Asker(Generic[Q, A]):
    def __init__(self, question: Q) -> None:
        self.question = question
        self.answer: A | None = None
        self.error: Exception | None = None
        self.leads = False
        # A bare lock, taken: an Event would be another lock and a list around it.
        self._turn = threading.Lock()
        self._turn.acquire()

    def wait(self, patience_sec: float) -> bool:
        """Until it was answered by another, or has become the one who asks. False when the patience is over."""
        return self._turn.acquire(timeout=patience_sec)

    def lead(self) -> None:
        self.leads = True
        self.wake()

    def wake(self) -> None:
        self._turn.release()
