"""Telling an event: once, forwards only, and never at the cost of the run."""

import os
import signal
import time
from uuid import UUID, uuid4

import pytest
from django.db import transaction

from dpp_project.cool_down import CoolDown
from dpp_project.profile import EVENTS
from dpp_project.redis import client
from packs.base import TimeboxExceeded
from runs.events import event as events
from runs.events import latest, publish
from runs.events.event import LAST_SEQ, RUNS, Domain, Event, NotOnTheBus, Stage, of_row, shard_of
from runs.events.progress import Steps
from runs.events.publish import Publication
from runs.lifecycle import transitions
from runs.lifecycle.cancel import cancel
from runs.models import Run
from tests.builders import Customer, submitted
from tests.events.shards import published, published_seqs
from tests.runs.worker.deliveries import deliver, ended, probe
from tests.services import SessionServices


def an_event(number: int = 1, *, run_id: UUID | None = None, stage: Stage = Stage.EXECUTE) -> Event:
    return Event(run_id or uuid4(), stage.seq(number), stage, '{"progress":0.5,"version":1}')


def test_an_event_is_told_once_however_often_it_is_published(platform: SessionServices) -> None:
    event = an_event()
    assert [publish.publish_event(event) for _ in range(3)] == [
        Publication.PUBLISHED,
        Publication.ALREADY,
        Publication.ALREADY,
    ]
    assert published(event.run_id) == [event]
    assert latest.newest(event.run_id) == event


def test_an_event_behind_the_state_is_not_told(platform: SessionServices) -> None:
    late = an_event(1)
    newer = an_event(2, run_id=late.run_id)
    assert publish.publish_event(newer) == Publication.PUBLISHED
    assert publish.publish_event(late) == Publication.PASSED
    assert published(late.run_id) == [newer]
    assert latest.newest(late.run_id) == newer


def test_what_is_kept_in_redis_is_bounded_in_size_and_time(platform: SessionServices) -> None:
    event = an_event()
    publish.publish_event(event)
    assert 0 < client().ttl(RUNS.state_key(event.run_id)) <= EVENTS.state_ttl_sec == 7_200
    assert sorted(client().keys()) == sorted([RUNS.state_key(event.run_id), RUNS.stream_key(shard_of(event.run_id))])
    shard = RUNS.stream_key(shard_of(event.run_id))
    with client().pipeline(transaction=False) as pipe:
        for _ in range(EVENTS.stream_max_entries + 500):
            pipe.xadd(shard, {"run": "filler"})
        pipe.execute()
    publish.publish_event(an_event(2, run_id=event.run_id))
    assert client().xlen(shard) < EVENTS.stream_max_entries + 200


def test_a_run_tells_its_life_in_strictly_rising_numbers_of_its_stages(acme: Customer) -> None:
    run = probe(acme, "checkpoint:0.3", "checkpoint:0.6")
    deliver(run)
    told = published(run.pk)
    assert [(event.stage, event.seq) for event in told] == [
        *(("queued", 1), ("preflight", 1001), ("preflight", 1002), ("execute", 2001), ("execute", 2002)),
        *(("store", 3001), ("settle", 4003), ("done", 5001)),
    ]
    progress = [event.version_and_progress[1] for event in told]
    assert progress == sorted(progress)
    assert progress[-1] == 1.0


def test_a_duplicated_message_tells_nothing_twice(acme: Customer) -> None:
    run = probe(acme, "checkpoint:0.5")
    deliver(run)
    before = published_seqs(run.pk)
    deliver(run)
    assert published_seqs(run.pk) == before


def test_the_row_tells_the_end_under_the_number_the_worker_told_it(acme: Customer) -> None:
    run = probe(acme, "fail:no")
    deliver(run)
    told = latest.newest(run.pk)
    assert told is not None
    assert told.seq == LAST_SEQ
    client().flushall()
    row = ended(run)
    again = of_row(row, at=row.updated_at)
    assert again is not None
    assert (again.seq, again.stage, again.version_and_progress) == (told.seq, told.stage, told.version_and_progress)


def test_a_rolled_back_transition_tells_nothing(queued_run: Run) -> None:
    class Undone(Exception):
        pass

    before = published_seqs(queued_run.pk)
    with pytest.raises(Undone), transaction.atomic():
        transitions.start(queued_run, lease_token=uuid4())
        raise Undone
    assert published_seqs(queued_run.pk) == before


def test_a_pack_that_checks_in_all_the_time_stays_in_its_band(queued_run: Run) -> None:
    steps = Steps(queued_run)
    room = len(Stage.EXECUTE.numbers)
    for number in range(room + 50):
        steps.publish("page", 0.5, {"page": number})
    steps.publish("page", 0.5, {"page": number})
    steps.publish("store", 0.95, {})
    seqs = published_seqs(queued_run.pk)
    assert seqs[-2:] == [Stage.ANSWER.band - 1, Stage.STORE.seq(1)]
    assert len(seqs) == len(set(seqs)) == 1 + room + 1


def test_a_step_named_like_an_earlier_stage_does_not_go_back(queued_run: Run) -> None:
    steps = Steps(queued_run)
    for step in ("preflight", "read", "preflight", "read", "store"):
        steps.publish(step, 0.5, {})
    assert [event.seq for event in published(queued_run.pk)[1:]] == [1002, 2001, 2002, 2003, 3001]


def test_a_long_detail_is_left_out(queued_run: Run) -> None:
    Steps(queued_run).publish("read", 0.5, {"text": "x" * 5_000})
    newest = latest.newest(queued_run.pk)
    assert newest is not None
    assert "xxx" not in newest.data
    assert newest.seq == Stage.EXECUTE.seq(1)


def test_a_run_ends_well_while_redis_refuses_its_events(acme: Customer, platform: SessionServices) -> None:
    """The streams' keys hold something else: every publish fails, and the run does not notice."""
    for shard in range(EVENTS.shards):
        client().delete(RUNS.stream_key(shard))
        client().set(RUNS.stream_key(shard), "not a stream")
    run = probe(acme, "checkpoint:0.5")
    deliver(run)
    assert ended(run).status == "COMPLETED"
    assert publish.publish_event(an_event(run_id=run.pk)) == Publication.FAILED


def test_a_redis_that_hangs_slows_a_run_once(queued_run: Run, platform: SessionServices) -> None:
    steps = Steps(queued_run)
    server = int(client().info("server")["process_id"])
    os.kill(server, signal.SIGSTOP)
    try:
        began = time.monotonic()
        for number in range(20):
            steps.publish("read", 0.5, {"n": number})
        waited = time.monotonic() - began
    finally:
        os.kill(server, signal.SIGCONT)
        publish._cool_down = CoolDown(5.0)
    # One call that times out, tries again and times out; the other nineteen are not made.
    assert waited < 20
    assert publish.publish_event(an_event()) == Publication.PUBLISHED


def test_the_alarm_of_a_timebox_is_not_swallowed(queued_run: Run) -> None:
    def ring(*_: object) -> None:
        raise TimeboxExceeded

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(TimeboxExceeded):
            for number in range(1, 100_000):
                publish.publish_event(an_event(number % 900 + 1))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_all_ways_of_a_run_are_told_by_whoever_ends_it(acme: Customer) -> None:
    run = submitted(acme)
    cancel(run)
    assert published_seqs(run.pk) == [1, 4002, LAST_SEQ]


def test_what_redis_does_not_take_now_is_told_when_it_does(queued_run: Run) -> None:
    steps = Steps(queued_run)
    client().config_set("maxmemory", "1")
    try:
        for number in range(5):
            steps.publish("read", 0.5, {"n": number})
        assert published_seqs(queued_run.pk) == [1]
    finally:
        client().config_set("maxmemory", "0")
    ends = time.monotonic() + 60
    while len(published_seqs(queued_run.pk)) < 6 and time.monotonic() < ends:
        time.sleep(0.1)
    assert published_seqs(queued_run.pk) == [1, *(Stage.EXECUTE.seq(number) for number in range(1, 6))]


def test_an_event_that_redis_refuses_for_good_hinders_no_other(platform: SessionServices) -> None:
    bad, good = an_event(), an_event()
    client().set(RUNS.state_key(bad.run_id), "not a state")

    assert publish._publish_all([bad, good]) == [Publication.FAILED, Publication.PUBLISHED]

    assert published(good.run_id) == [good]


@pytest.mark.parametrize(
    ("stage", "seq", "data"),
    [
        ("invented", 2_001, "{}"),
        ("execute", 1_001, "{}"),
        ("execute", 3_001, "{}"),
        ("execute", 2_000, "{}"),
        ("execute", 2_001, '"' + "x" * 4_095 + '"'),
    ],
)
def test_what_is_not_registered_is_not_on_the_bus(platform: SessionServices, stage: str, seq: int, data: str) -> None:
    with pytest.raises(NotOnTheBus):
        publish.publish(RUNS, uuid4(), stage, seq, data)


def test_a_domain_that_is_not_registered_is_not_on_the_bus() -> None:
    with pytest.raises(NotOnTheBus):
        publish.publish(Domain("stranger", ("begun",), max_data_chars=100), uuid4(), "begun", 1, "{}")


def test_another_domain_has_streams_and_numbers_of_its_own(
    platform: SessionServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "DOMAINS", dict(events.DOMAINS))
    uploads = events.register(Domain("upload", ("announced", "stored"), max_data_chars=100))
    thing = uuid4()

    told = [publish.publish(uploads, thing, *news) for news in (("announced", 1, "{}"), ("stored", 1_001, "{}")) * 2]

    assert told == [Publication.PUBLISHED, Publication.PUBLISHED, Publication.PASSED, Publication.ALREADY]
    assert client().xlen(f"upload:events:{shard_of(thing)}") == 2
    assert client().hget(f"upload:state:{thing}", "stage") == "stored"
    assert published(thing) == []
