"""Reading processes side by side, one a core. Threads wait for them; the thread that runs the pack decides."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from types import TracebackType
from typing import Generic, Self, TypeVar

from packs.ocr.failures import FailureReason, Unreadable
from packs.ocr.process import ReaderAnswer, ReadingProcess

MOST_AT_ONCE = 4

Task = TypeVar("Task")


def cores() -> int:
    """Those this process may run on."""
    return len(os.sched_getaffinity(0))


class Readers(Generic[Task]):
    """Use as a context manager: leaving it kills what still reads. A process starts when there is work for it."""

    def __init__(self) -> None:
        self.count = min(cores(), MOST_AT_ONCE)
        self._own = threading.local()
        self._processes: list[ReadingProcess] = []
        self._pool = ThreadPoolExecutor(self.count, thread_name_prefix="ocr-read", initializer=self._equip)
        self._running: dict[Future[ReaderAnswer | Unreadable], Task] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._processes:
            process.close()
        self._pool.shutdown(wait=True, cancel_futures=True)
        for process in self._processes:
            process.end()

    @property
    def is_busy(self) -> bool:
        return len(self._running) >= self.count

    @property
    def running(self) -> list[Task]:
        return list(self._running.values())

    def submit(self, task: Task, work: Callable[[ReadingProcess], ReaderAnswer]) -> None:
        self._running[self._pool.submit(self._do, work)] = task

    def finished(self, timeout_sec: float) -> list[tuple[Task, ReaderAnswer | Unreadable]]:
        """What has ended by now, or within the time."""
        done = wait(self._running, timeout_sec, FIRST_COMPLETED).done
        return [(self._running.pop(future), future.result()) for future in done]

    def _equip(self) -> None:
        self._own.process = ReadingProcess()
        self._processes.append(self._own.process)

    def _do(self, work: Callable[[ReadingProcess], ReaderAnswer]) -> ReaderAnswer | Unreadable:
        try:
            return work(self._own.process)
        except Unreadable as unreadable:
            return unreadable
        except Exception:  # a future's exception would end the run; this file's trouble must not
            return Unreadable(FailureReason.READER_CRASHED, "The file could not be read.")
