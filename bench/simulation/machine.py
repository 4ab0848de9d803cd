"""The measured machine in the simulation: its cores, its disk, and what else wanted them while it was measured."""

import random
from typing import Any

from bench.simulation.engine import Activity, Cores, Simulation, sleep
from bench.simulation.platform import Demands, Site

MACHINE_CORES = 2
API_PROCESSES, WORKER_SLOTS = 2, 4
SAMPLE_SEC = 0.1
"""How often the calibration looked who wants a core."""
_QUIET = 0.5

Wanting = dict[object, tuple[int, float]]
"""For each group of other programs: how many of them want a core, and what each weighs."""


def machine(demands: Demands, point: dict[str, Any]) -> Site:
    """Everything on the same cores, beside the other programs that were there, as they came and went."""
    cores, simulation = Cores(MACHINE_CORES), Simulation()
    # Not for the world's sake: the same moods at every run of this program.
    chance = random.Random(1)
    site = Site(
        simulation=simulation,
        demands=demands,
        api_processes=API_PROCESSES,
        worker_slots=WORKER_SLOTS,
        flush_sec=lambda: float(chance.choice(point["flush_ms"])) / 1000,
        api_cores=cores,
        worker_cores=cores,
        database_cores=cores,
        redis_cores=cores,
        objects_cores=cores,
        client_cores=cores,
        shares="by session" if point["sessions"] else "by process",
    )
    simulation.start(_others(simulation, cores, [_wanting(moment) for moment in point["others"].split("|")]))
    simulation.start(_watch(site, cores, point["watch_ms"] / 1000))
    return site


def others_of(point: dict[str, Any]) -> float:
    """How many groups of other programs wanted a core, on average."""
    moments = point["others"].split("|")
    return sum(len(_wanting(moment)) for moment in moments) / len(moments)


def is_quiet(points: dict[str, Any]) -> bool:
    """Beside others a program takes more processor time for the same work."""
    return all(others_of(point) < _QUIET for point in points.values())


def _wanting(moment: str) -> Wanting:
    """Written by `others_wanting`."""
    apart, _, beside = moment.partition("+")
    wanting: Wanting = {}
    for place, each in enumerate(apart.split()):
        number, _, weight = each.partition("*")
        wanting["other", place] = int(number), float(weight or 1)
    if beside:
        wanting["client"] = int(beside), 1.0
    return wanting


def _others(simulation: Simulation, cores: Cores, moments: list[Wanting]) -> Activity:
    while True:
        for wanting in moments:
            cores.set_others(simulation, wanting)
            yield sleep(SAMPLE_SEC)


def _watch(site: Site, cores: Cores, seconds: float) -> Activity:
    """Looking on costs processor time, too."""
    while True:
        yield cores.work(seconds, site.group("client", 1))
        yield sleep(SAMPLE_SEC)
