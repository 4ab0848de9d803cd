"""Old events leave the streams, also where nothing new pushes them out."""

from typing import cast
from uuid import UUID, uuid4

from dpp_project.profile import EVENTS
from dpp_project.redis import client
from runs.events.event import RUNS
from runs.events.forget import forget_old_events
from runs.jobs.expire import expire
from tests.services import SessionServices


def told(shard: int, age_sec: float) -> UUID:
    """An entry as it was written so long ago."""
    seconds, _ = client().time()
    run_id = uuid4()
    values = {"run": str(run_id), "seq": "2901", "stage": "answer", "data": "{}"}
    client().xadd(RUNS.stream_key(shard), values, id=f"{int((seconds - age_sec) * 1_000)}-*")  # type: ignore[arg-type]
    return run_id


def kept(shard: int) -> list[UUID]:
    entries = cast(list[tuple[str, dict[str, str]]], client().xrange(RUNS.stream_key(shard)))
    return [UUID(values["run"]) for _, values in entries]


def test_what_is_older_than_the_states_goes_and_the_rest_stays(platform: SessionServices) -> None:
    old = [told(1, EVENTS.state_ttl_sec + 5), told(1, EVENTS.state_ttl_sec + 2)]
    young = [told(1, EVENTS.state_ttl_sec - 60), told(1, 0)]
    other = told(5, 10)
    assert kept(1) == [*old, *young]
    assert forget_old_events() == 2
    assert kept(1) == young
    assert kept(5) == [other]
    assert forget_old_events() == 0


def test_the_newest_stays_so_that_no_reader_takes_the_stream_for_another(platform: SessionServices) -> None:
    told(2, 3 * EVENTS.state_ttl_sec)
    newest = told(2, 2 * EVENTS.state_ttl_sec)
    expire()
    assert kept(2) == [newest]


def test_a_stream_that_is_none_is_left_alone(platform: SessionServices) -> None:
    client().set(RUNS.stream_key(3), "not a stream")
    assert forget_old_events() == 0
