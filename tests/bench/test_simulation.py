"""The parts of the simulation behave as queueing theory says, and the capacity page shows what it found."""

import json
import random
from dataclasses import asdict
from pathlib import Path

import pytest

from bench.simulation.engine import Activity, Cores, GroupCommit, Shared, Simulation, Station, sleep
from bench.simulation.predictions import check
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


def test_cores_are_shared_with_those_who_are_always_there() -> None:
    simulation, cores = Simulation(), Cores(2, others=3)
    ended: list[float] = []

    def job() -> Activity:
        yield cores.work(1.0)
        ended.append(simulation.now)

    simulation.start(job())
    simulation.run(100)

    assert ended == [pytest.approx(2.0)], "four want two cores: each has half of one"


def test_whoever_comes_during_a_flush_waits_for_the_next_one_and_shares_it() -> None:
    simulation, log = Simulation(), GroupCommit(1.0)
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


def test_the_capacity_page_shows_the_last_simulation_and_its_check_can_be_repeated() -> None:
    found = json.loads((CLONE / "bench" / "results" / "simulation.json").read_text())
    assert show(found) in (CLONE / "docs" / "capacity.md").read_text()
    assert [asdict(row) for row in check(found["points"])] == found["checked"]
