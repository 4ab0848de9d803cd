"""Events that wait a moment for company: in order, none lost, none late."""

import json
import threading
import time
from collections.abc import Sequence
from uuid import UUID, uuid4

import pytest

from packs.base import TimeboxExceeded
from runs.events.event import LAST_SEQ, Event
from runs.events.outbox import Outbox

RUN = uuid4()


def an_event(seq: int, run_id: UUID = RUN) -> Event:
    return Event(run_id, seq, "execute", "{}")


class Post:
    def __init__(self) -> None:
        self.calls: list[list[int]] = []
        self.threads: set[str] = set()

    def __call__(self, events: Sequence[Event]) -> list[int]:
        self.calls.append([event.seq for event in events])
        self.threads.add(threading.current_thread().name)
        return [event.seq for event in events]

    def wait_for_a_call(self) -> None:
        ends = time.monotonic() + 30
        while not self.calls and time.monotonic() < ends:
            time.sleep(0.01)

    def seqs(self) -> list[int]:
        return [seq for call in self.calls for seq in call]


def test_closed_it_keeps_nothing() -> None:
    post = Post()
    outbox = Outbox(post)
    assert not outbox.keeps(an_event(1))
    assert outbox.flush(an_event(1)) == [1]


def test_the_end_of_a_run_takes_along_what_waits_in_one_call() -> None:
    post = Post()
    outbox = Outbox(post)
    with outbox.opened():
        assert all(outbox.keeps(an_event(seq)) for seq in (1, 2, 3))
        ending = Event(RUN, LAST_SEQ, "done", "{}")
        assert not outbox.keeps(ending)
        outbox.flush(ending)
    assert post.seqs() == [1, 2, 3, LAST_SEQ]
    assert len(post.calls) <= 2


def test_what_waits_is_told_although_nothing_follows() -> None:
    post = Post()
    outbox = Outbox(post)
    with outbox.opened():
        outbox.keeps(an_event(1))
        post.wait_for_a_call()
        assert post.calls == [[1]]
        assert post.threads == {"events"}


def test_closing_tells_the_rest() -> None:
    post = Post()
    outbox = Outbox(post)
    with outbox.opened():
        outbox.keeps(an_event(1))
    assert post.seqs() == [1]


def test_thousands_of_events_keep_their_order_between_two_threads() -> None:
    post = Post()
    outbox = Outbox(post)
    with outbox.opened():
        for seq in range(1, 3_001):
            assert outbox.keeps(an_event(seq))
            if seq % 100 == 0:
                time.sleep(0.005)
            if seq == 1_500:
                post.wait_for_a_call()
    assert post.seqs() == list(range(1, 3_001))
    assert len(post.calls) > 1


class RefusingPost(Post):
    """Takes nothing until it is told to."""

    refuses = True

    def __call__(self, events: Sequence[Event]) -> list[int]:
        seqs = super().__call__(events)
        return [-1] * len(seqs) if self.refuses else seqs


def test_what_was_not_taken_is_sent_again_before_what_is_newer() -> None:
    post = RefusingPost()
    outbox = Outbox(post, unsent=(-1,))
    outbox.flush(an_event(1))
    outbox.flush(an_event(2))
    post.refuses, post.calls = False, []
    outbox.flush(an_event(3))
    assert post.seqs()[:3] == [1, 2, 3]
    assert outbox.flush() == []


def test_what_was_not_taken_is_sent_again_although_nothing_follows() -> None:
    post = RefusingPost()
    outbox = Outbox(post, unsent=(-1,))
    outbox.flush(an_event(1))
    post.refuses, post.calls = False, []
    post.wait_for_a_call()
    assert post.seqs() == [1]
    assert post.threads >= {"events"}


def test_more_than_can_be_kept_becomes_a_gap_that_names_what_is_missing() -> None:
    told: list[Event] = []
    refuses = True

    def send(events: Sequence[Event]) -> list[bool]:
        if not refuses:
            told.extend(events)
        return [not refuses] * len(events)

    outbox = Outbox(send, unsent=(False,), most=3)
    other = uuid4()
    outbox.flush(an_event(1, other))
    for seq in range(1, 7):
        outbox.flush(an_event(seq))
    refuses = False
    outbox.flush(an_event(7))
    outbox.flush(an_event(2, other))

    assert [(event.run_id == RUN, event.seq, event.stage) for event in told] == [
        *((True, 3, "gap"), (True, 4, "execute"), (True, 5, "execute"), (True, 6, "execute"), (True, 7, "execute")),
        *((False, 1, "gap"), (False, 2, "execute")),
    ]
    assert json.loads(told[0].data) == {"stage": "gap", "lost": {"first": 1, "last": 3, "events": 3}}


def test_the_end_of_a_run_is_given_up_last() -> None:
    post = RefusingPost()
    outbox = Outbox(post, unsent=(-1,), most=2)
    ending = Event(RUN, LAST_SEQ, "done", "{}")
    outbox.flush(ending)
    outbox.flush(an_event(1, uuid4()))
    outbox.flush(an_event(2, uuid4()))
    post.refuses, post.calls = False, []
    outbox.flush()
    assert post.seqs() == [LAST_SEQ, 2]


def test_what_an_alarm_interrupts_is_sent_again() -> None:
    rings = True

    def send(events: Sequence[Event]) -> list[int]:
        if rings:
            raise TimeboxExceeded
        return [event.seq for event in events]

    outbox = Outbox(send)
    with pytest.raises(TimeboxExceeded):
        outbox.flush(an_event(1))
    rings = False
    assert outbox.flush(an_event(2)) == [1, 2]
