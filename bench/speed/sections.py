"""The parts of `make bench`, in the order of the contract's targets."""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from bench.population import end_live_runs, populate_to
from bench.speed import customers, measure, servers
from bench.speed.report import Section

# So many that no answer is that of a moment ago.
_ENDED_RUNS = 200

_world_made = False


def _buyers() -> list[customers.Customer]:
    """Made once; the plain peers' world with them."""
    global _world_made
    if not _world_made:
        measure.make_plain_world()
        _world_made = True
    return customers.new_customers(measure.CONNECTIONS, prefix=f"bench{time.monotonic_ns()}")


def submit(home: Path, options: argparse.Namespace) -> Section:
    section = Section("submit")
    buyers = _buyers()
    ours, plain, floor, lone_floor = [], [], [], []
    with ExitStack() as stack:
        api = stack.enter_context(servers.platform("api", home))
        peer = stack.enter_context(servers.plain_api(home))
        for _ in range(options.rounds):
            ours.append(measure.submit(api, buyers, options.seconds))
            plain.append(measure.plain_submit(peer, options.seconds))
            floor.append(measure.floor(buyers, options.seconds, threads=measure.API_THREADS))
            lone_floor.append(measure.floor(buyers, options.seconds, threads=1))
            measure.empty_queues()
    middle = {
        "ours": measure.median(ours),
        "plain": measure.median(plain),
        "floor": measure.median(floor),
        "floor_one_thread": measure.median(lone_floor),
    }
    section.absolute = dict(middle)
    best_floor = max(middle["floor"]["per_sec"], middle["floor_one_thread"]["per_sec"])
    section.at_least("submit against the floor", middle["ours"]["per_sec"], best_floor, 0.5)
    section.at_least("submit against the plain view", middle["ours"]["per_sec"], middle["plain"]["per_sec"], 0.8)
    for percent in (50, 95, 99):
        name = f"p{percent}_ms"
        section.at_most(f"submit p{percent} against the plain view", middle["ours"][name], middle["plain"][name], None)
    return section


def poll(home: Path, options: argparse.Namespace) -> Section:
    section = Section("poll")
    buyer, former = _buyers()[:2]
    ours, bare, unchanged, ended = [], [], [], []
    with ExitStack() as stack:
        api = stack.enter_context(servers.platform("api", home))
        run_id, body, etag = measure.one_run(api, buyer)
        peer = stack.enter_context(servers.plain_api(home, body=body))
        known = buyer.poll(run_id, f"If-None-Match: {etag}")
        of_ended = [former.poll(ended_id) for ended_id in measure.ended_runs(former, _ENDED_RUNS)]
        for _ in range(options.rounds):
            ours.append(measure.poll(api, buyer.poll(run_id), options.seconds))
            bare.append(measure.poll(peer, customers.bare_get(), options.seconds))
            unchanged.append(measure.poll(api, known, options.seconds, expect=304))
            ended.append(measure.poll_in_turn(api, of_ended, options.seconds))
        waited = _long_poll(api, buyer, run_id)
    middle = {"ours": measure.median(ours), "bare": measure.median(bare), "etag_304": measure.median(unchanged)}
    middle["ended"] = measure.median(ended)
    section.absolute = {**middle, "wait_1_sec_answered_after_sec": waited}
    section.at_least("poll against the bare view", middle["ours"]["per_sec"], middle["bare"]["per_sec"], 0.6)
    section.at_least("poll with ETag (304)", middle["etag_304"]["per_sec"], middle["bare"]["per_sec"], None)
    section.at_least(
        "poll of an ended run against that of a live one", middle["ended"]["per_sec"], middle["ours"]["per_sec"], None
    )
    section.at_most("poll p95 against the bare view", middle["ours"]["p95_ms"], middle["bare"]["p95_ms"], None)
    section.notes.append(f"`?wait=1` on a run that does not change answers after {waited:.2f} s.")
    return section


def _long_poll(api: servers.Server, buyer: customers.Customer, run_id: str) -> float:
    began = time.perf_counter()
    servers.ask(api.port, buyer.poll(run_id, query="?wait=1"))
    return round(time.perf_counter() - began, 3)


def pipeline(home: Path, options: argparse.Namespace) -> Section:
    section = Section("pipeline")
    buyer = _buyers()[0]
    envelope = "x" * 6_000  # as large as the envelope of the measured decision
    ours, plain = [], []
    for _ in range(options.rounds):
        ours.append(measure.pipeline(home, buyer, options.runs))
        plain.append(measure.plain_pipeline(home, options.runs, envelope))
        measure.empty_queues()
    our_idle, plain_idle = measure.idle_latencies(home, buyer, envelope, 40)
    section.absolute = {
        "ours_per_sec": sorted(ours),
        "plain_per_sec": sorted(plain),
        "idle_ms": {"ours": sorted(our_idle), "plain": sorted(plain_idle)},
    }
    section.at_least("pipeline against bare Celery", statistics.median(ours), statistics.median(plain), 0.5)
    section.at_most(
        "idle POST → COMPLETED against bare Celery", statistics.median(our_idle), statistics.median(plain_idle), 2.0
    )
    return section


def crowd(home: Path, options: argparse.Namespace) -> Section:
    """Do those who submit take the workers' time?"""
    section = Section("crowd")
    turns = []
    for _ in range(options.rounds):
        turns.append(measure.finishing(home, _buyers(), options.seconds))
        measure.empty_queues()
    alone, crowded = (statistics.median(turn[number] for turn in turns) for number in (0, 1))
    submits = measure.median([turn[2] for turn in turns])
    section.absolute = {"alone_per_sec": alone, "crowded_per_sec": crowded, "submits": submits}
    section.at_least("runs finished under 32 submitters against nobody", crowded, alone, 0.6)
    section.notes.append(
        f"Meanwhile {submits['per_sec']:.0f} submits a second were accepted, p95 {submits['p95_ms']:.0f} ms."
    )
    return section


def growth(home: Path, options: argparse.Namespace) -> Section:
    """The same with a small and with a large table."""
    section = Section("growth")
    buyers = _buyers()
    populate_to(1_000)
    small = _grown(home, options, buyers)
    populate_to(options.grown)
    large = _grown(home, options, buyers)
    section.absolute = {"small": small, "large": large, "runs": options.grown}
    for name, before in small.items():
        section.at_most(f"{name}: {options.grown:,} runs against 1,000", large[name], before, 1.2)
    return section


def _grown(home: Path, options: argparse.Namespace, buyers: list[customers.Customer]) -> dict[str, float]:
    """The quickest of several turns: small and large are measured minutes apart, and a machine's moods only add."""
    from runs.jobs.runner import run_job
    from runs.jobs.table import JOBS

    end_live_runs()
    jobs = {f"job {name}": _quickest(partial(run_job, name)) for name in JOBS}
    with servers.platform("api", home) as api:
        run_id, _, _ = measure.one_run(api, buyers[0])
        submits = [1000 / measure.submit(api, buyers, options.seconds).rate() for _ in range(options.rounds)]
        polls = [
            1000 / measure.poll(api, buyers[0].poll(run_id), options.seconds).rate() for _ in range(options.rounds)
        ]
    measure.empty_queues()
    pipelines = [1000 / measure.pipeline(home, buyers[0], options.runs // 2) for _ in range(options.rounds)]
    return {
        "submit, ms each": min(submits),
        "poll, ms each": min(polls),
        "pipeline, ms each": min(pipelines),
        **jobs,
    }


def tenants(home: Path, options: argparse.Namespace) -> Section:
    """The same with few and with many tenants, entries and runs; on servers of its own."""
    section = Section("tenants")
    small, large = (_with_tenants(number) for number in (1_000, options.tenants))
    section.absolute = {"small": small, "large": large, "tenants": options.tenants}
    for name, before in small.items():
        what = f"{name}, processor time: {options.tenants:,} tenants against 1,000"
        section.at_most(what, large[name]["processor_ms"], before["processor_ms"], 1.2)
    section.notes.append(
        f"1,000 tenants: 100,000 journal entries, 10,000 runs. {options.tenants:,}: {options.tenants * 100:,} and"
        f" {options.tenants * 10:,}. Processor time is that of the operation and of all servers."
    )
    return section


def _with_tenants(number: int) -> dict[str, dict[str, float]]:
    sizes = ("--tenants", str(number), "--entries", str(number * 100), "--runs", str(number * 10))
    done = subprocess.run(
        [sys.executable, "-m", "bench.tenants", *sizes], cwd=servers.CLONE, stdout=subprocess.PIPE, check=True
    )
    figures: dict[str, dict[str, float]] = json.loads(done.stdout)["figures"]
    return figures


def _quickest(call: Callable[[], object]) -> float:
    """Milliseconds of one call, the least of eleven."""
    taken = []
    for _ in range(11):
        began = time.perf_counter()
        call()
        taken.append((time.perf_counter() - began) * 1000)
    return min(taken)


def footprint(home: Path, options: argparse.Namespace) -> Section:
    section = Section("footprint")
    started = statistics.median(measure.start_up_sec(home) for _ in range(options.rounds))
    memory = measure.memory(home)
    section.absolute = {"api_start_sec": started, "memory_mib": memory}
    section.notes.append(f"The API answers {started:.1f} s after its start.")
    section.notes += [f"{name}: {mib} MiB (all its processes, shared pages once)" for name, mib in memory.items()]
    return section


SECTIONS: dict[str, Callable[[Path, argparse.Namespace], Section]] = {
    "submit": submit,
    "poll": poll,
    "pipeline": pipeline,
    "crowd": crowd,
    "growth": growth,
    "tenants": tenants,
    "footprint": footprint,
}
