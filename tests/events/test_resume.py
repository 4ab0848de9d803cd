"""Any interleaving of disconnects, restarts and repeats: every event once, in order."""

import json
import time
from datetime import UTC, datetime
from uuid import uuid4

from django.test import RequestFactory
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dpp_project.profile import EVENTS
from dpp_project.redis import client
from runs.events.event import LAST_SEQ, RUNS, Event, Stage, newest_possible, shard_of
from runs.events.publish import publish_event as publish
from runs.events.reader import ShardReader
from runs.gateway import sse, stream
from runs.gateway.hub import Hub, Listener
from runs.gateway.resume import start_of
from runs.models import Run
from tests.services import SessionServices

_LIFE = [Stage.QUEUED.seq(1), Stage.PREFLIGHT.seq(1)] + [Stage.EXECUTE.seq(n) for n in range(1, 9)]
_LIFE += [Stage.STORE.seq(1), Stage.SETTLE.seq(3), LAST_SEQ]


class World:
    """A run that lives, a gateway that comes and goes, and one client that wants to hear all of it.

    Redis is real. Time is an argument, and the reader reads when it is told to, so that every order can happen.
    """

    def __init__(self) -> None:
        client().flushall()
        self.run = _run()
        self.lived: list[Event] = []
        self.heard: list[int] = []
        self.gaps: list[tuple[int, int]] = []
        self.last_id: str | None = None
        self.listener: Listener | None = None
        self.restart()

    def restart(self) -> None:
        """A gateway that was killed: all it knew and all its connections are gone."""
        self.listener = None
        self.hub = Hub()
        self.reader = self._new_reader()

    def _new_reader(self) -> ShardReader:
        return ShardReader(self.hub.receive, from_beginning=True, needed=self.hub.shards_to_read)

    def idle(self) -> None:
        """Nobody has listened for long."""
        self.hub.drop_idle_shards(now=time.monotonic() + EVENTS.idle_shard_sec + 1)

    def live(self) -> None:
        if len(self.lived) < len(_LIFE):
            seq = _LIFE[len(self.lived)]
            self.run.status, self.run.finalize_stage = _row_at(seq)
            event = Event(self.run.pk, seq, Stage.of(seq), '{"progress":0,"version":0}')
            publish(event)
            self.lived.append(event)

    def repeat(self) -> None:
        """A task that runs again tells again what it told before."""
        for event in self.lived[-3:]:
            publish(event)

    def read(self) -> None:
        self.reader.read_once()

    def read_again(self) -> None:
        """As after Redis has forgotten: the shards from their beginning, into a hub that knows them."""
        self.reader = self._new_reader()
        self.reader.read_once()

    def connect(self) -> None:
        if self.listener is None and self.lived:
            header = {"HTTP_LAST_EVENT_ID": self.last_id} if self.last_id else {}
            start = start_of(RequestFactory().get("/?last_seq=0", **header), self.run)  # type: ignore[arg-type]
            if not start.has_all:
                self.listener = self.hub.join(self.run.pk, start.seq or 0)
                self._hear(stream.begin(self.hub, self.listener, start, now=time.monotonic()))

    def disconnect(self) -> None:
        if self.listener is not None:
            self.hub.leave(self.listener)
            self.listener = None

    def take(self) -> None:
        if self.listener is not None:
            self._hear(stream.due(self.hub, self.listener, now=time.monotonic()))

    def wait(self) -> None:
        """Long enough for everything a listener is owed to be due."""
        if self.listener is not None:
            self.listener.owed_at = time.monotonic()

    def _hear(self, frames: list[bytes]) -> None:
        for message in sse.messages(b"".join(frames).splitlines(keepends=True)):
            assert message.id
            if message.event == "gap":
                lost = json.loads(str(message.data))["lost"]
                assert lost["last"] == int(message.id)
                self.gaps.append((lost["first"], lost["last"]))
            else:
                self.heard.append(int(message.id))
            self.last_id = message.id


_STEPS = st.lists(
    st.sampled_from(
        [
            "live",
            "live",
            "read",
            "read",
            "connect",
            "take",
            "disconnect",
            "restart",
            "repeat",
            "wait",
            "read_again",
            "idle",
        ]
    ),
    min_size=20,
    max_size=60,
)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=_STEPS)
def test_every_event_once_in_order_whatever_breaks(platform: SessionServices, steps: list[str]) -> None:
    world = World()
    for step in steps:
        getattr(world, step)()
    while world.heard[-1:] != [LAST_SEQ]:
        for step in ("live", "connect", "read", "take"):
            getattr(world, step)()
    assert world.heard == _LIFE
    assert world.gaps == []


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=_STEPS, forget_at=st.integers(0, 60))
def test_when_redis_forgets_a_listener_still_hears_forwards_only_and_the_end(
    platform: SessionServices, steps: list[str], forget_at: int
) -> None:
    world = World()
    for number, step in enumerate(steps):
        if number == forget_at:
            client().flushall()
        getattr(world, step)()
    for _ in range(len(_LIFE) + 2):
        for step in ("live", "connect", "wait", "read", "take"):
            getattr(world, step)()
    assert world.heard == sorted(set(world.heard))
    assert world.heard[-1] == LAST_SEQ
    assert set(world.heard) <= set(_LIFE) | {Stage.SETTLE.seq(1)}


def test_the_end_is_told_from_the_row_when_redis_has_forgotten_all_of_the_run(platform: SessionServices) -> None:
    world = World()
    for _ in _LIFE:
        world.live()
    client().flushall()
    world.last_id = str(Stage.EXECUTE.seq(2))
    world.connect()
    world.read()
    world.take()
    assert world.heard == [LAST_SEQ]
    assert world.gaps == [(Stage.EXECUTE.seq(3), LAST_SEQ - 1)]


def test_a_fresh_listener_is_told_the_present_state_and_what_follows(platform: SessionServices) -> None:
    world = World()
    for _ in range(5):
        world.live()
    start = start_of(RequestFactory().get("/"), world.run)
    world.listener = world.hub.join(world.run.pk, 0)
    world._hear(stream.begin(world.hub, world.listener, start, now=time.monotonic()))
    world.read()
    world.live()
    world.read()
    world.take()
    assert world.heard == _LIFE[4:6]


def test_numbers_that_cannot_be_this_runs_are_as_good_as_none(platform: SessionServices) -> None:
    world = World()
    for _ in range(3):
        world.live()

    def begins(header: str | None = None, query: str = "") -> int | None:
        headers = {} if header is None else {"HTTP_LAST_EVENT_ID": header}
        return start_of(RequestFactory().get(f"/{query}", **headers), world.run).seq  # type: ignore[arg-type]

    for garbage in ("", "x", "-1", "1e3", "٣", "9" * 10_000, "2001x", "\x00", "1.5", str(LAST_SEQ + 1)):
        assert begins(garbage) is None, garbage
    # Of another run that is further on.
    assert begins("4003") is begins("2002") is None
    assert (begins("2001"), begins("7"), begins("0")) == (2001, 7, 0)
    assert (begins(query="?last_seq=1001"), begins("1", "?last_seq=1001"), begins("x", "?last_seq=1001")) == (
        *(1001, 1),
        1001,
    )
    client().delete(RUNS.state_key(world.run.pk))
    # Redis has forgotten: what the row allows is believed.
    assert (begins("2002"), begins("4003")) == (2002, None)
    assert newest_possible(world.run) == Stage.SETTLE.band - 1


def test_a_state_that_was_trimmed_from_the_shards_is_told_after_they_were_read(platform: SessionServices) -> None:
    world = World()
    for _ in range(6):
        world.live()
    client().delete(*(RUNS.stream_key(shard) for shard in range(EVENTS.shards)))
    world.last_id = "1"
    world.connect()
    world.take()
    assert world.heard == [], "the shards have not been read yet: it may be in them"
    world.wait()
    world.read()
    world.take()
    assert world.heard == [_LIFE[5]]
    assert world.gaps == [(2, _LIFE[5] - 1)]


def test_who_resumes_before_what_the_shards_still_have_is_told_of_the_gap(platform: SessionServices) -> None:
    world = World()
    for _ in range(4):
        world.live()
    client().delete(*(RUNS.stream_key(shard) for shard in range(EVENTS.shards)))
    for _ in range(2):
        world.live()
    world.last_id = "1"
    world.connect()
    world.read()
    world.take()
    assert world.heard == _LIFE[4:6]
    assert world.gaps == [(2, _LIFE[4] - 1)]


def test_only_shards_with_listeners_are_read(platform: SessionServices) -> None:
    world = World()
    world.live()
    other = next(run for run in iter(uuid4, None) if shard_of(run) != shard_of(world.run.pk))
    publish(Event(other, 1, "queued", "{}"))
    world.read()
    assert (world.reader._positions, world.hub.newest(world.run.pk)) == ({}, None)
    world.connect()
    world.read()
    assert [*world.reader._positions] == [RUNS.stream_key(shard_of(world.run.pk))]
    world.take()
    assert world.heard == [1]
    assert world.hub.newest(other) is None
    world.disconnect()
    world.read()
    assert world.reader._positions, "its listener may come back in a moment"
    world.idle()
    world.read()
    assert world.reader._positions == {}
    world.idle()
    assert world.hub.newest(world.run.pk) is None


def test_who_comes_back_while_its_shard_is_given_up_hears_all_of_it(platform: SessionServices) -> None:
    """The reader did not notice yet, and stands behind what the mirror has."""
    world = World()
    for step in ("live", "live", "connect", "read", "disconnect", "idle", "idle", "connect", "read", "take"):
        getattr(world, step)()
    assert (world.heard, world.gaps) == (_LIFE[:2], [])


def test_a_mirror_forgets_the_oldest_events_and_idle_runs(platform: SessionServices) -> None:
    hub = Hub()
    run_id = uuid4()
    hub.leave(hub.join(run_id, 0))
    others = [other for other in (uuid4() for _ in range(200)) if shard_of(other) == shard_of(run_id)]
    hub.receive([Event(run_id, 1, "queued", "{}")], 0.0)
    for number in range(1, EVENTS.stream_max_entries // len(others) + 2):
        hub.receive([Event(other, number, "queued", "{}") for other in others], 0.0)
    assert hub.newest(run_id) is None
    assert hub.watched() == []
    assert sum(len(hub.after(other, 0)) for other in others) == EVENTS.stream_max_entries


def _run() -> Run:
    now = datetime.now(UTC)
    return Run(run_id=uuid4(), status="QUEUED", money_state="RESERVED", created_at=now, updated_at=now)


def _row_at(seq: int) -> tuple[str, str | None]:
    if seq >= LAST_SEQ:
        return "COMPLETED", "COMMITTED"
    if seq >= Stage.SETTLE.band:
        return "PROCESSING", "CLAIMED"
    return ("PROCESSING", None) if seq >= Stage.PREFLIGHT.band else ("QUEUED", None)
