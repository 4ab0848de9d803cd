"""Sends that share a call: nobody waits for company, everybody gets an answer of their own."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import pytest

from runs.sending import MOST_IN_A_BATCH, Batches, Letter


class Post:
    """A queue that can be held up, and remembers what came in one call."""

    def __init__(self) -> None:
        self.calls: list[list[UUID]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.arrived = threading.Semaphore(0)
        self.refuses: set[UUID] = set()
        self.broken = False

    def __call__(self, letters: Sequence[Letter]) -> None:
        self.calls.append([letter.run_id for letter in letters])
        self.arrived.release()
        assert self.gate.wait(10)
        if self.broken:
            raise OSError("nobody answers")
        for letter in letters:
            if letter.run_id in self.refuses:
                letter.error = ValueError(str(letter.run_id))


def test_a_lone_letter_goes_at_once_and_alone() -> None:
    post, run_id = Post(), uuid4()
    Batches(post, lines=1).send(Letter(run_id, "body"))
    assert post.calls == [[run_id]]


def test_those_who_come_while_a_call_is_on_its_way_share_the_next_ones() -> None:
    post = Post()
    batches = Batches(post, lines=1)
    post.gate.clear()
    with ThreadPoolExecutor(26) as pool:
        first = pool.submit(batches.send, Letter(uuid4(), "first"))
        assert post.arrived.acquire(timeout=10)
        others = [pool.submit(batches.send, Letter(uuid4(), str(number))) for number in range(25)]
        while len(batches._waiting) < 25:
            pass
        post.gate.set()
        for future in (first, *others):
            future.result(timeout=10)
    assert [len(call) for call in post.calls] == [1, MOST_IN_A_BATCH, MOST_IN_A_BATCH, 5]
    assert len({run_id for call in post.calls for run_id in call}) == 26


def test_a_refused_letter_fails_alone() -> None:
    post = Post()
    batches = Batches(post, lines=1)
    letters = [Letter(uuid4(), "body") for _ in range(5)]
    post.refuses = {letters[3].run_id}
    post.gate.clear()
    with ThreadPoolExecutor(5) as pool:
        futures = [pool.submit(batches.send, letter) for letter in letters]
        assert post.arrived.acquire(timeout=10)
        post.gate.set()
        failures = [type(future.exception(timeout=10)) for future in futures]
    assert failures == [type(None), type(None), type(None), ValueError, type(None)]


def test_a_broken_call_fails_for_all_in_it_and_the_line_is_free_again() -> None:
    post = Post()
    batches = Batches(post, lines=1)
    post.broken = True
    with pytest.raises(OSError, match="nobody answers"):
        batches.send(Letter(uuid4(), "body"))
    post.broken = False
    batches.send(Letter(uuid4(), "body"))
    assert len(post.calls) == 2


def test_a_hundred_threads_all_get_through() -> None:
    post = Post()
    batches = Batches(post, lines=2)
    with ThreadPoolExecutor(32) as pool:
        for future in [pool.submit(batches.send, Letter(uuid4(), "body")) for _ in range(1_000)]:
            future.result(timeout=30)
    sent = [run_id for call in post.calls for run_id in call]
    assert len(sent) == len(set(sent)) == 1_000
    assert batches._free_lines == 2
