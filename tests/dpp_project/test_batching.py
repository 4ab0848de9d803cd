"""Calls that share a round trip: nobody waits for company, everybody gets an answer of their own."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from dpp_project.batching import BatchedCalls, NoAnswer

_MOST = 10


class Office:
    """Answers with the question's negative. It can be held up, and remembers what came in one call."""

    def __init__(self) -> None:
        self.calls: list[list[int]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.arrived = threading.Semaphore(0)
        self.fails_with: BaseException | None = None

    def __call__(self, questions: Sequence[int]) -> list[int]:
        self.calls.append(list(questions))
        self.arrived.release()
        assert self.gate.wait(10)
        if self.fails_with is not None:
            raise self.fails_with
        return [-question for question in questions]


def calls_of(office: Office, *, lines: int = 1, patience_sec: float = -1) -> BatchedCalls[int, int]:
    return BatchedCalls(office, lines=lines, most=_MOST, patience_sec=patience_sec)


def wait_until_waiting(calls: BatchedCalls[int, int], number: int) -> None:
    while len(calls._waiting) < number:
        pass


def test_a_lone_question_goes_at_once_and_alone() -> None:
    office = Office()
    assert calls_of(office).ask(7) == -7
    assert office.calls == [[7]]


def test_those_who_come_while_a_call_is_on_its_way_share_the_next_ones() -> None:
    office = Office()
    calls = calls_of(office)
    office.gate.clear()
    with ThreadPoolExecutor(26) as pool:
        first = pool.submit(calls.ask, 100)
        assert office.arrived.acquire(timeout=10)
        others = [pool.submit(calls.ask, number) for number in range(25)]
        wait_until_waiting(calls, 25)
        office.gate.set()
        assert first.result(timeout=10) == -100
        assert [future.result(timeout=10) for future in others] == [-number for number in range(25)]
    assert [len(call) for call in office.calls] == [1, _MOST, _MOST, 5]


def test_a_broken_call_fails_for_all_in_it_and_the_line_is_free_again() -> None:
    office = Office()
    calls = calls_of(office)
    office.fails_with = OSError("nobody answers")
    with pytest.raises(OSError, match="nobody answers"):
        calls.ask(1)
    office.fails_with = None
    assert calls.ask(2) == -2


def test_company_of_one_who_was_interrupted_is_not_told_that_all_is_well() -> None:
    office = Office()
    calls = calls_of(office)
    office.gate.clear()
    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(calls.ask, 1)
        assert office.arrived.acquire(timeout=10)
        second, third = pool.submit(calls.ask, 2), pool.submit(calls.ask, 3)
        wait_until_waiting(calls, 2)
        office.fails_with = KeyboardInterrupt()
        office.gate.set()
        ends = [type(future.exception(timeout=10)) for future in (first, second, third)]
    assert sorted(end.__name__ for end in ends) == ["KeyboardInterrupt", "KeyboardInterrupt", "NoAnswer"]
    office.fails_with = None
    assert calls.ask(4) == -4


def test_who_has_waited_long_enough_goes_away_and_holds_nobody_up() -> None:
    office = Office()
    calls = calls_of(office, patience_sec=0.05)
    office.gate.clear()
    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(calls.ask, 1)
        assert office.arrived.acquire(timeout=10)
        with pytest.raises(NoAnswer):
            calls.ask(2)
        office.gate.set()
        assert first.result(timeout=10) == -1
    assert calls.ask(3) == -3
    assert office.calls == [[1], [3]]


@pytest.mark.parametrize("patience_sec", [-1, 0.001])
def test_a_thousand_questions_of_many_threads_are_answered_or_given_up(patience_sec: float) -> None:
    office = Office()
    calls = calls_of(office, lines=2, patience_sec=patience_sec)

    def asked(number: int) -> int | None:
        try:
            return calls.ask(number)
        except NoAnswer:
            return None

    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(asked, range(1, 1_001)))
    assert all(answer in (-number, None) for number, answer in enumerate(answers, start=1))
    assert patience_sec > 0 or None not in answers
    sent = [number for call in office.calls for number in call]
    assert len(sent) == len(set(sent))
    assert (calls._free_lines, len(calls._waiting)) == (2, 0)
