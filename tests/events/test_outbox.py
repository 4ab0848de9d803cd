"""Events that wait a moment for company: in order, none lost, none late."""

import threading
import time
from collections.abc import Sequence
from uuid import UUID, uuid4

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
        assert not outbox.keeps(an_event(LAST_SEQ))
        outbox.flush(an_event(LAST_SEQ))
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
