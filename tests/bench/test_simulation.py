"""The parts of the simulation behave as queueing theory says, and the capacity page shows what it found."""

import json
import random
from dataclasses import asdict
from pathlib import Path

import pytest

from bench.processor_time import others_wanting
from bench.simulation.engine import Activity, Cores, GroupCommit, Shared, Simulation, Station, sleep
from bench.simulation.machine import _wanting
from bench.simulation.predictions import check, check_idle
from bench.simulation.report import show

CLONE = Path(__file__).resolve().parents[2]


def test_a_queue_of_random_arrivals_waits_as_long_as_the_formula_says() -> None:
    simulation, station, chance = Simulation(), Station(1), random.Random(1)
    times: list[float] = []

    def customer() -> Activity:
        came = simulation.now
        yield from station.use(simulation, chance.expovariate(10))
        times.append(simulation.now - came)

    def arrivals() -> Activity:
        while True:
            yield sleep(chance.expovariate(5))
            simulation.start(customer())

    simulation.start(arrivals())
    simulation.run(20_000)

    assert sum(times) / len(times) == pytest.approx(1 / (10 - 5), rel=0.05)
    assert station.busy_sec / simulation.now == pytest.approx(0.5, rel=0.05)


def ends_of(cores: Cores, wanting: dict[object, tuple[int, float]], jobs: dict[object, int]) -> dict[object, float]:
    """When the last of each group's programs is done that computes for a second."""
    simulation = Simulation()
    ended: dict[object, float] = {}
    cores.set_others(simulation, wanting)

    def job(group: object) -> Activity:
        yield cores.work(1.0, group)
        ended[group] = simulation.now

    for group, number in jobs.items():
        for _ in range(number):
            simulation.start(job(group))
    simulation.run(100)
    return ended


def test_cores_are_shared_with_those_who_are_always_there() -> None:
    others: dict[object, tuple[int, float]] = {"a": (1, 1.0), "b": (1, 1.0), "c": (1, 1.0)}
    assert ends_of(Cores(2), others, {"ours": 1}) == {"ours": pytest.approx(2.0, rel=0.02)}, "four want two cores"


def test_a_session_has_one_share_of_a_core_however_many_programs_it_has() -> None:
    others: dict[object, tuple[int, float]] = {"a": (7, 1.0), "b": (1, 1.0), "c": (1, 1.0)}
    assert ends_of(Cores(2), others, {"ours": 1}) == {"ours": pytest.approx(2.0, rel=0.02)}
    four, eight = (ends_of(Cores(2), others, {"ours": number})["ours"] for number in (4, 8))
    assert four == pytest.approx(5.0, rel=0.05), "a share of both cores: two of five shares"
    assert eight == pytest.approx(2 * four, rel=0.05)


def test_nobody_computes_on_two_cores_at_once_and_what_one_leaves_is_the_others() -> None:
    assert ends_of(Cores(2), {"a": (3, 1.0)}, {"ours": 1}) == {"ours": pytest.approx(1.0, rel=0.01)}
    assert ends_of(Cores(2), {}, {"ours": 4}) == {"ours": pytest.approx(2.0, rel=0.01)}


def test_a_program_of_low_priority_takes_less() -> None:
    ended = ends_of(Cores(1), {"nice": (1, 0.25)}, {"ours": 1})
    assert ended == {"ours": pytest.approx(1.25, rel=0.02)}


def test_others_come_and_go() -> None:
    simulation, cores = Simulation(), Cores(1)
    ended: list[float] = []

    def job() -> Activity:
        yield cores.work(1.0, "ours")
        ended.append(simulation.now)

    def others() -> Activity:
        cores.set_others(simulation, {"a": (1, 1.0)})
        yield sleep(1.0)
        cores.set_others(simulation, {})

    simulation.start(others())
    simulation.start(job())
    simulation.run(10)
    assert ended == [pytest.approx(1.5, abs=0.01)], "half a core for a second, then all of it"


def test_who_wakes_up_waits_for_the_slice_of_another_but_not_for_its_turn() -> None:
    """A program that computes little and often is served when it comes, beside others that compute all the time."""
    simulation, cores = Simulation(), Cores(1)
    late: list[float] = []

    def now_and_then() -> Activity:
        for _ in range(200):
            yield sleep(0.0507)
            began = simulation.now
            yield cores.work(0.0002, "ours")
            late.append(simulation.now - began - 0.0002)

    cores.set_others(simulation, dict.fromkeys("abcdef", (1, 1.0)))
    simulation.start(now_and_then())
    simulation.run(30)
    assert len(late) == 200
    assert max(late) <= Cores.SLICE_SEC
    assert 0 < sum(late) / len(late) < Cores.SLICE_SEC / 2


def test_whoever_comes_during_a_flush_waits_for_the_next_one_and_shares_it() -> None:
    simulation, log = Simulation(), GroupCommit(lambda: 1.0)
    ended: list[float] = []

    def transaction(at: float) -> Activity:
        yield sleep(at)
        yield log.commit
        ended.append(simulation.now)

    for at in (0.0, 0.2, 0.8):
        simulation.start(transaction(at))
    simulation.run(10)

    assert ended == [1.0, 2.0, 2.0]


def test_calls_under_way_together_are_shared_up_to_the_limit() -> None:
    simulation = Simulation()
    batches: list[int] = []

    def call(number: int) -> Activity:
        batches.append(number)
        yield sleep(1.0)

    shared = Shared(call, lines=1, most=3)
    for _ in range(6):
        simulation.start(shared.ask(simulation))
    simulation.run(10)

    assert batches == [1, 3, 2]


def test_the_others_are_read_as_they_were_written() -> None:
    assert _wanting("1 3+2") == {("other", 0): (1, 1.0), ("other", 1): (3, 1.0), "client": (2, 1.0)}
    assert _wanting("1*0.33 1*1.00") == {("other", 0): (1, 0.33), ("other", 1): (1, 1.0)}
    assert _wanting("") == {}
    assert _wanting(others_wanting()) is not None


def test_the_capacity_page_shows_the_last_simulation_and_its_check_can_be_repeated() -> None:
    found = json.loads((CLONE / "bench" / "results" / "simulation.json").read_text())
    assert show(found) in (CLONE / "docs" / "capacity.md").read_text()
    assert [asdict(row) for row in check(found["points"])] == found["checked"]


def test_the_model_says_what_idle_cores_did() -> None:
    given = json.loads((CLONE / "bench" / "results" / "simulation-idle.json").read_text())
    for row in check_idle(given):
        assert row.simulated == pytest.approx(row.measured, rel=0.2), row.what
