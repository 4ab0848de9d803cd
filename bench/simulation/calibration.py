"""What the simulation is given, and what it is compared with: measured on the real platform, in one run.

Given: processor time per operation and server, the time of one flush, how many other programs wanted the cores.
Compared: answers a second and latencies.
"""

import os
import statistics
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.processor_time import others_running, sec_by_server

_FLUSHES = 100
_SAMPLE_SEC = 0.1


def measured(home: Path, seconds: float, runs: int) -> dict[str, Any]:
    from bench.speed import customers, measure, servers
    from bench.speed.http_load import drive

    measure.make_plain_world()
    buyers = customers.new_customers(measure.CONNECTIONS, prefix="simulated")
    points: dict[str, Any] = {}
    with servers.platform("api", home) as api:
        for connections in (1, 8, 32):
            points[f"submit, {connections} connections"] = _asked(
                home,
                lambda connections=connections: drive(
                    api.port,
                    lambda number: buyers[number].submit(),
                    connections=connections,
                    seconds=seconds,
                    expect=202,
                ),
            )
            measure.empty_queues()
        run_id, _, _ = measure.one_run(api, buyers[0])
        points["poll, 32 connections"] = _asked(home, lambda: measure.poll(api, buyers[0].poll(run_id), seconds))
    measure.empty_queues()
    points["finish, 4 children"] = _worked_off(home, buyers[0], runs)
    return points


class _Watch:
    """Processor time per server while inside, and how many others wanted the cores."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def __enter__(self) -> "_Watch":
        self._flushes = [_flush_ms(self._home)]
        self._before, self._own, self._began = sec_by_server(), time.process_time(), time.perf_counter()
        self._samples: list[float] = []
        self._stop = threading.Event()
        self._sampler = threading.Thread(target=self._sample)
        self._sampler.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.took = time.perf_counter() - self._began
        self.used = sec_by_server()
        self.used.subtract(self._before)
        self._stop.set()
        self._sampler.join()
        self._flushes.append(_flush_ms(self._home))
        self.used["client"] = time.process_time() - self._own  # type: ignore[assignment]

    def _sample(self) -> None:
        while not self._stop.wait(_SAMPLE_SEC):
            self._samples.append(others_running())

    def figures(self, number: float) -> dict[str, Any]:
        return {
            "processor_ms": {name: round(sec * 1000 / number, 3) for name, sec in self.used.items() if sec > 0},
            "others": round(statistics.fmean(self._samples), 2),
            "flush_ms": round(statistics.fmean(self._flushes), 2),
        }


def _asked(home: Path, ask: Callable[[], Any]) -> dict[str, Any]:
    """The client warms up for a second, which is counted in both: answers and processor time."""
    with _Watch(home) as watch:
        load = ask()
    number = load.answered * watch.took / load.seconds
    return {"per_sec": round(load.rate(), 1), "p50_ms": round(load.percentile(50), 2), **watch.figures(number)}


def _worked_off(home: Path, buyer: Any, runs: int) -> dict[str, Any]:
    from bench.speed import measure, servers

    run_ids = [measure._submit_directly(buyer) for _ in range(runs)]
    with servers.platform("worker", home):
        measure._wait_for(lambda: measure._completed_at(run_ids), runs // 10)
        done = len(measure._completed_at(run_ids))
        with _Watch(home) as watch:
            rate = measure._rate(lambda: measure._completed_at(run_ids), runs)
    return {"per_sec": round(rate, 1), **watch.figures(runs - done)}


def _flush_ms(home: Path) -> float:
    """One page to the end of a file, and to the disk, as PostgreSQL's log does it: the mean, moods included."""
    taken = []
    with (home / "flushed").open("wb", buffering=0) as file:
        for _ in range(_FLUSHES):
            file.write(b"x" * 8_192)
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            taken.append((time.perf_counter() - began) * 1000)
    return statistics.fmean(taken)
