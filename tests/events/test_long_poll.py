"""The long poll's half: asleep until the run changes, for as many threads as like with one reader."""

import threading
import time
from uuid import UUID, uuid4

import pytest
from django.db import connection

from dpp_project.redis import client
from runs.events import long_poll
from runs.events.long_poll import sleep_until_change
from runs.events.progress import Steps
from runs.lifecycle import transitions
from runs.models import Run
from tests.builders import Customer, processing, submitted

_LONG_SEC = 20.0
_SOONER_SEC = 12.0  # than by the end of its time, on a machine that is busy


@pytest.fixture(autouse=True)
def only_a_change_wakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody looks again by itself, which would be taken for waking up."""
    monkeypatch.setattr(long_poll, "_LOOK_AGAIN_SEC", 60.0)
    monkeypatch.setattr(long_poll, "_LOOK_AGAIN_BLIND_SEC", 60.0)


class Waiting:
    def __init__(self, run: Run, seconds: float = _LONG_SEC) -> None:
        self.took = 0.0
        self.connected = True
        self.began = threading.Event()
        self._thread = threading.Thread(target=self._wait, args=(run.pk, (run.version, run.progress), seconds))
        self._thread.start()

    def _wait(self, run_id: UUID, seen: tuple[int, float], seconds: float) -> None:
        Run.objects.filter(pk=run_id).exists()
        began = time.monotonic()
        self.began.set()
        sleep_until_change(run_id, seen, seconds)
        self.took = time.monotonic() - began
        self.connected = connection.connection is not None
        connection.close()

    def join(self) -> "Waiting":
        self._thread.join(2 * _LONG_SEC)
        assert not self._thread.is_alive()
        return self


def test_a_waiting_thread_wakes_with_the_change_and_holds_no_connection(acme: Customer) -> None:
    run = submitted(acme)
    waiting = Waiting(run)
    assert waiting.began.wait(30)
    time.sleep(0.5)
    transitions.start(run, lease_token=uuid4())
    waiting.join()
    assert 0.4 < waiting.took < _SOONER_SEC
    assert not waiting.connected


def test_what_changed_before_the_wait_is_not_waited_for(acme: Customer) -> None:
    run = submitted(acme)
    before = Run.objects.get(pk=run.pk)
    transitions.start(run, lease_token=uuid4())
    assert Waiting(before).join().took < _SOONER_SEC


def test_progress_wakes_too_and_other_runs_do_not(acme: Customer) -> None:
    run, other = processing(acme), processing(acme)
    _what_was_told_is_over()
    waiting, undisturbed = Waiting(run), Waiting(other, seconds=3.0)
    assert waiting.began.wait(30)
    assert undisturbed.began.wait(30)
    time.sleep(0.5)
    Steps(run).publish("read", 0.5, {})
    assert waiting.join().took < _SOONER_SEC
    assert undisturbed.join().took >= 2.9


def test_all_waiting_threads_share_one_reader(acme: Customer) -> None:
    runs = [submitted(acme) for _ in range(8)]
    first = Waiting(runs[0])
    assert first.began.wait(30)
    with_one_waiting = _most_readers()
    waiting = [first] + [Waiting(run) for run in runs[1:]]
    assert all(each.began.wait(30) for each in waiting)
    with_all_waiting = _most_readers()
    for run in runs:
        transitions.start(run, lease_token=uuid4())
    assert max(each.join().took for each in waiting) < _LONG_SEC - 1
    assert 1 <= with_all_waiting <= with_one_waiting


def _most_readers() -> int:
    """Of several looks: a single one may fall between two reads."""
    most = 0
    for _ in range(20):
        time.sleep(0.1)
        most = max(most, sum(line["cmd"] == "xread" for line in client().client_list()))
    return most


def _what_was_told_is_over() -> None:
    """The reader, if there is one yet, has read it and woken whom it concerns."""
    reader = long_poll._sleepers._reader
    for _ in range(2):  # with the second reading the first one's waking is done
        told = time.monotonic()
        while reader and reader._read_until < told:
            assert time.monotonic() < told + 30
            time.sleep(0.05)


def test_when_redis_has_forgotten_the_caller_looks_for_itself_soon(
    acme: Customer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_poll, "_LOOK_AGAIN_BLIND_SEC", 1.0)
    run = submitted(acme)
    client().flushall()
    assert Waiting(run).join().took < _SOONER_SEC
