"""`make bench-peers`: the platform beside Prefect, DBOS and Procrastinate, on the same PostgreSQL, in one run.

Each is asked by the same 32 connections: to accept a run, to read one that waits and 200 that ended in turn; then a
worker works off a full queue. Writes bench/results/peers.json and its part of docs/performance.md.
"""

import argparse
import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from bench.embedded import embedded_stack
from bench.peers.report import write_docs
from bench.processor_time import servers_sec

RESULTS = Path(__file__).resolve().parent.parent / "results"
ENDED = 200

Figures = dict[str, list[dict[str, float]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4.0, help="how long each question is asked")
    parser.add_argument("--runs", type=int, default=400, help="runs that wait for a worker; Prefect gets a quarter")
    parser.add_argument("--only", nargs="*", default=["dpp", "prefect", "dbos", "procrastinate"])
    options = parser.parse_args()
    with embedded_stack(durable=True) as services:
        import boto3

        from bench.peers.peers import Peer, Prefect

        boto3.client("s3", endpoint_url=os.environ["AWS_ENDPOINT_URL"]).create_bucket(Bucket="bench-peers")
        found: dict[str, Any] = {}
        for name in options.only:
            if name == "dpp":
                found[name] = _middle(_platform(services.home, options))
            elif name == "prefect":
                peer = Prefect(name, services.home, services.postgres, accepted_status=201, worker_processes=1)
                found[name] = _middle(_peer(peer, options))
            else:
                found[name] = _middle(_peer(Peer(name, services.home, services.postgres), options))
            print(name, json.dumps(found[name]), flush=True)
    result = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"cores": os.cpu_count(), "python": platform.python_version()},
        "load_average_at_the_end": [round(value, 1) for value in os.getloadavg()],
        "peers": found,
    }
    print(json.dumps(result, indent=2))
    if set(found) == {"dpp", "prefect", "dbos", "procrastinate"}:
        (RESULTS / "peers.json").write_text(json.dumps(result, indent=2) + "\n")
        write_docs(result)


def _peer(peer: Any, options: argparse.Namespace) -> Figures:
    from bench.speed import measure
    from bench.speed.http_load import drive

    figures: Figures = {"accept": [], "read live": [], "read ended": [], "finish": []}
    runs = options.runs // 4 if peer.name == "prefect" else options.runs
    with peer.serving() as server:
        live = peer.read(peer.accept_one(server))
        # A library's worker will also find the run that was read.
        others = 0 if peer.name == "prefect" else 1
        for _ in range(options.rounds):
            figures["read live"].append(_asked(lambda: measure.poll(server, live, options.seconds)))
        for _ in range(options.rounds):
            filled = peer.fill(runs)
            done = peer.home / f"{peer.name}-{time.monotonic_ns()}.done"
            with peer.working(done):
                figures["finish"].append(_finished(partial(measure._noted, done), runs + others))
            others = 0
        ended = [peer.read(run_id) for run_id in peer.ended_ids(server, filled[:ENDED])]
        for _ in range(options.rounds):
            figures["read ended"].append(_asked(lambda: measure.poll_in_turn(server, ended, options.seconds)))
        for _ in range(options.rounds):
            figures["accept"].append(
                _asked(
                    lambda: drive(
                        server.port,
                        lambda _: peer.submit(),
                        connections=measure.CONNECTIONS,
                        seconds=options.seconds,
                        expect=peer.accepted_status,
                    )
                )
            )
    return figures


def _platform(home: Path, options: argparse.Namespace) -> Figures:
    from bench.speed import customers, measure, servers

    figures: Figures = {"accept": [], "read live": [], "read ended": [], "finish": []}
    measure.make_plain_world()
    buyers = customers.new_customers(measure.CONNECTIONS, prefix="peers")
    with ExitStack() as stack:
        api = stack.enter_context(servers.platform("api", home))
        run_id, _, _ = measure.one_run(api, buyers[0])
        ended = [buyers[1].poll(ended_id) for ended_id in measure.ended_runs(buyers[1], ENDED)]
        for _ in range(options.rounds):
            figures["accept"].append(_asked(lambda: measure.submit(api, buyers, options.seconds)))
            figures["read live"].append(_asked(lambda: measure.poll(api, buyers[0].poll(run_id), options.seconds)))
            figures["read ended"].append(_asked(lambda: measure.poll_in_turn(api, ended, options.seconds)))
            measure.empty_queues()
    for _ in range(options.rounds):
        run_ids = [measure._submit_directly(buyers[0]) for _ in range(options.runs)]
        with servers.platform("worker", home):
            figures["finish"].append(_finished(partial(measure._completed_at, run_ids), options.runs))
    return figures


def _asked(ask: Callable[[], Any]) -> dict[str, float]:
    """Answers a second, 95th percentile, and the servers' processor time per answer, warming included."""
    before = servers_sec()
    load = ask()
    took, answered = servers_sec() - before, load.answered * (load.seconds + 1) / load.seconds
    return {"per_sec": load.rate(), "p95_ms": load.percentile(95), "processor_ms": took * 1000 / answered}


def _finished(ends: Callable[[], list[float]], number: int) -> dict[str, float]:
    """Runs a second, and processor time of one, once the first tenth has ended: starting a worker is not counted."""
    from bench.speed import measure

    begun = len(measure._wait_for(ends, number // 10))
    before = servers_sec()
    rate = measure._rate(ends, number)
    return {"per_sec": rate, "processor_ms": (servers_sec() - before) * 1000 / max(1, number - begun)}


def _middle(figures: Figures) -> dict[str, dict[str, float]]:
    return {
        question: {
            **{name: round(statistics.median(turn[name] for turn in turns), 2) for name in turns[0]},
            "turns_per_sec": sorted(round(turn["per_sec"], 1) for turn in turns),  # type: ignore[dict-item]
        }
        for question, turns in figures.items()
    }


if __name__ == "__main__":
    main()
