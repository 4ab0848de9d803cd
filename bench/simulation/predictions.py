"""The simulation on the measured machine, beside what was measured; then on larger ones that nobody has."""

import random
from dataclasses import dataclass
from statistics import median
from typing import Any

from bench.simulation.engine import Activity, Cores, Simulation, Station, sleep
from bench.simulation.machine import WORKER_SLOTS, machine
from bench.simulation.platform import Demands, Site
from dpp_project.work_queues import backlog_slots

_WARM_SEC, _MEASURED_SEC = 1.0, 12.0
_CLIENTS_CORES = 1_000


@dataclass(frozen=True)
class Checked:
    what: str
    measured: float
    simulated: float
    unit: str


def demands_of(points: dict[str, Any]) -> Demands:
    """From processor times alone. What one submit costs alone and in company tells the part that is shared; how many
    are in company, the simulation tells itself, from what it makes of the last guess."""
    together = 8.0
    for _ in range(_GUESSES):
        demands = _with_company(points, together)
        site = machine(demands, points["submit, 32 connections"])
        _asked(site, site.submit, 32)
        together = site.accepted_together
    return demands


_GUESSES = 3


def _with_company(points: dict[str, Any], runs: float) -> Demands:
    alone, together = (points[f"submit, {number} connections"]["processor_ms"] for number in (1, 32))
    finish, poll = points["finish, 4 children"]["processor_ms"], points["poll, 32 connections"]["processor_ms"]

    def shared(name: str) -> tuple[float, float]:
        call = max(0.0, alone[name] - together[name]) / (1 - 1 / max(runs, 1.1))
        call = min(call, alone[name])
        return call / 1000, (alone[name] - call) / 1000

    api_call, api = shared("granian")
    accept_call, accept_run = shared("postgres")
    send_call, send_run = shared("ministack")
    return Demands(
        api=api,
        api_call=api_call,
        client=together["client"] / 1000,
        redis_submit=together["valkey"] / 1000,
        accept_call=accept_call,
        accept_run=accept_run,
        send_call=send_call,
        send_run=send_run,
        poll=poll["granian"] / 1000,
        poll_servers=(poll["postgres"] + poll["valkey"]) / 1000,
        poll_client=poll["client"] / 1000,
        worker=finish["celery"] / 1000,
        worker_main=finish["celery main"] / 1000,
        worker_sql=finish["postgres"] / 1000,
        worker_redis=finish["valkey"] / 1000,
        worker_objects=finish["ministack"] / 1000,
    )


def check(points: dict[str, Any]) -> list[Checked]:
    demands = demands_of(points)
    found = []
    for connections in (1, 8, 32):
        point = points[f"submit, {connections} connections"]
        site = machine(demands, point)
        rate, latency_ms = _asked(site, site.submit, connections)
        found.append(Checked(f"submits, {connections} connections", point["per_sec"], rate, "/s"))
        found.append(Checked(f"submit p50, {connections} connections", point["p50_ms"], latency_ms, " ms"))
    point = points["poll, 32 connections"]
    site = machine(demands, point)
    found.append(Checked("polls, 32 connections", point["per_sec"], _asked(site, site.poll, 32)[0], "/s"))
    point = points["finish, 4 children"]
    site = machine(demands, point)
    # They are one tenant's, so they wait in the backlog.
    for slot in range(backlog_slots(WORKER_SLOTS)):
        site.simulation.start(_again(site, slot))
    found.append(Checked("runs finished, 4 children", point["per_sec"], _finished_per_sec(site), "/s"))
    return found


# What a backlog took of four slots on the day that idle cores were seen; that may change, the figure does not.
_SLOTS_WHEN_SEEN = 2


def check_idle(given: dict[str, Any]) -> list[Checked]:
    """The same machine with nobody else on it, beside what was seen when nobody was."""
    points, seen = given["points"], given["seen"]
    demands = demands_of(points)

    def finished(slots: int) -> float:
        site = machine(demands, points["finish, 4 children"])
        for slot in range(slots):
            site.simulation.start(_again(site, slot))
        return _finished_per_sec(site)

    def asked(point: str) -> float:
        site = machine(demands, points[point])
        return _asked(site, site.submit if point.startswith("submit") else site.poll, 32)[0]

    simulated = [
        asked("submit, 32 connections"),
        asked("poll, 32 connections"),
        finished(_SLOTS_WHEN_SEEN),
        finished(WORKER_SLOTS),
    ]
    return [Checked(what, rate, found, "/s") for (what, rate), found in zip(seen.items(), simulated, strict=True)]


def _again(site: Site, slot: int) -> Activity:
    while True:
        yield from site.work_one(slot)


def _asked(site: Site, activity: Any, connections: int) -> tuple[float, float]:
    """Answers a second, and the middle latency in milliseconds: each connection asks again when it is answered."""
    latencies = []

    def connection() -> Activity:
        while True:
            began = site.simulation.now
            yield from activity()
            if began >= _WARM_SEC:
                latencies.append(site.simulation.now - began)

    for _ in range(connections):
        site.simulation.start(connection())
    site.simulation.run(_WARM_SEC + _MEASURED_SEC)
    return len(latencies) / _MEASURED_SEC, median(latencies) * 1000


def _finished_per_sec(site: Site) -> float:
    site.simulation.run(_WARM_SEC)
    before = site.finished
    site.simulation.run(_WARM_SEC + 4 * _MEASURED_SEC)
    return (site.finished - before) / (4 * _MEASURED_SEC)


LOG = "PostgreSQL's log"

# Assumed for a data centre; change them and run again.
ROUND_TRIP_SEC = 0.0005
FLUSH_SEC = 0.001
SERVICE_SEC = 0.020
"""One request to SQS or S3."""
HEAD_ROOM = 2.0
"""Cores and slots per what is needed on average."""
DATABASE_CORES = 32
RUN_SEC = 0.25
"""From a worker's receive to its delete without waiting for a core: what its slots are reckoned by."""


@dataclass(frozen=True)
class Size:
    """One cell (a PostgreSQL, a Redis, a queue) at so many runs a second, each polled twice."""

    runs_per_sec: int
    accepted_per_sec: float
    finished_per_sec: float
    submit_p95_ms: float
    end_p95_ms: float
    busy: dict[str, float]
    api_cores: int
    worker_cores: int
    worker_slots: int


def predict(
    points: dict[str, Any], rates: tuple[int, ...] = (10, 100, 300, 500, 700, 1_000, 1_500, 2_000)
) -> list[Size]:
    demands = demands_of(points)
    return [_cell(demands, rate) for rate in rates]


def _cell(demands: Demands, rate: int, *, seconds: float = 4.0) -> Size:
    # Not for the world's sake: the same arrivals at every run of this program.
    chance = random.Random(rate)
    api_sec = demands.api + demands.api_call + 2 * demands.poll
    api_cores = max(2, round(rate * api_sec * HEAD_ROOM + 0.5))
    worker_cores = max(2, round(rate * (demands.worker + demands.worker_main) * HEAD_ROOM + 0.5))
    slots = max(4, round(rate * RUN_SEC * HEAD_ROOM))
    simulation = Simulation()
    site = Site(
        simulation=simulation,
        demands=demands,
        api_processes=api_cores,
        worker_slots=slots,
        flush_sec=lambda: FLUSH_SEC,
        api_cores=Cores(api_cores),
        worker_cores=Cores(worker_cores),
        database_cores=Cores(DATABASE_CORES),
        redis_cores=Cores(1),
        objects_cores=Cores(1),
        client_cores=Cores(_CLIENTS_CORES),
        round_trip_sec=ROUND_TRIP_SEC,
        objects_latency_sec=SERVICE_SEC,
    )
    slot = Station(slots)
    answered: list[float] = []
    ended: list[float] = []

    def agent() -> Activity:
        began = simulation.now
        yield from site.submit()
        if began > _WARM_SEC:
            answered.append(simulation.now - began)
        simulation.start(site.poll())
        yield slot.enter
        yield from site.work_one()
        slot.leave(simulation)
        if simulation.now > _WARM_SEC:
            ended.append(simulation.now - began)
        yield from site.poll()

    def arrivals() -> Activity:
        while True:
            yield sleep(chance.expovariate(rate))
            simulation.start(agent())

    simulation.start(arrivals())
    simulation.run(_WARM_SEC + seconds)
    whole = _WARM_SEC + seconds
    busy = {
        "API": site.api_cores.busy_sec / api_cores,
        "workers": site.worker_cores.busy_sec / worker_cores,
        "PostgreSQL's cores": site.database_cores.busy_sec / DATABASE_CORES,
        LOG: site.log.busy_sec,
        "Redis's thread": site.redis_thread.busy_sec,
    }
    return Size(
        runs_per_sec=rate,
        accepted_per_sec=len(answered) / seconds,
        finished_per_sec=len(ended) / seconds,
        submit_p95_ms=_p95(answered) * 1000,
        end_p95_ms=_p95(ended) * 1000,
        busy={name: sec / whole for name, sec in busy.items()},
        api_cores=api_cores,
        worker_cores=worker_cores,
        worker_slots=slots,
    )


def _p95(values: list[float]) -> float:
    return sorted(values)[len(values) * 95 // 100] if values else float("inf")
