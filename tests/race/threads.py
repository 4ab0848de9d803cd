"""Many threads at once, each with its own database connection, which it has before it starts."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection


def at_once(number: int, call: Callable[[int], object], *, threads: int = 16) -> list[object]:
    """Call `number` times from threads that start together; what each call returned or raised."""
    outcomes: list[object] = [None] * number
    positions = iter(range(number))
    lock = threading.Lock()
    barrier = threading.Barrier(threads)

    def work() -> None:
        _connect()
        barrier.wait()
        try:
            while True:
                with lock:
                    position = next(positions, None)
                if position is None:
                    return
                try:
                    outcomes[position] = call(position)
                except Exception as error:
                    outcomes[position] = error
        finally:
            connection.close()

    _join([threading.Thread(target=work) for _ in range(threads)])
    return outcomes


@contextmanager
def busy(*moves: Callable[[], object]) -> Iterator[None]:
    """Each move is repeated by a thread of its own while the block runs. An exception of one fails the block."""
    stop = threading.Event()
    trouble: list[BaseException] = []
    begin = threading.Barrier(len(moves) + 1)

    def repeat(move: Callable[[], object]) -> None:
        _connect()
        begin.wait()
        try:
            while not stop.is_set():
                move()
        except Exception as error:
            trouble.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=repeat, args=(move,)) for move in moves]
    for thread in threads:
        thread.start()
    begin.wait()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    if trouble:
        raise trouble[0]


def _connect() -> None:
    """The pool grows by one connection after the other; on a busy machine sixteen take longer than its timeout."""
    ends = time.monotonic() + 30
    while True:
        try:
            return connection.ensure_connection()
        except OperationalError:
            if time.monotonic() > ends:
                raise


def _join(threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
