"""What the simulation is given, and what it is compared with: measured on the real platform, in one run.

Given: processor time per operation and server, times of flushes, and which other programs wanted the cores, moment by
moment.
Compared: answers a second and latencies.
"""

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.processor_time import others_wanting, sec_by_server, shared_by_session
from bench.simulation.machine import MACHINE_CORES, SAMPLE_SEC

_FLUSHES = 100
_KEPT_FLUSHES = 25
_LOOK_EVERY_SEC = 0.25
_LONGEST_SEC = 300


def measured(home: Path, seconds: float, runs: int) -> dict[str, Any]:
    from bench.speed import customers, measure, servers
    from bench.speed.http_load import drive

    measure.make_plain_world()
    *buyers, backlog = customers.new_customers(measure.CONNECTIONS + 1, prefix="simulated")
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
    points["finish, 4 children"] = _worked_off(home, backlog, runs)
    return points


class _Watch:
    """Processor time per server while inside, and how many others wanted the cores."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def __enter__(self) -> "_Watch":
        self._flushes = _flushes_ms(self._home)
        self._before, self._own, self._began = sec_by_server(), time.process_time(), time.perf_counter()
        self._samples: list[str] = []
        self._watched_sec = 0.0
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
        self.used["client"] = time.process_time() - self._own - self._watched_sec  # type: ignore[assignment]
        self._flushes = sorted(self._flushes + _flushes_ms(self._home))

    def _sample(self) -> None:
        while not self._stop.wait(SAMPLE_SEC):
            self._samples.append(others_wanting())
        self._watched_sec = time.thread_time()

    def figures(self, number: float) -> dict[str, Any]:
        return {
            "processor_ms": {name: round(sec * 1000 / number, 3) for name, sec in self.used.items() if sec > 0},
            "sessions": shared_by_session(),
            "others": "|".join(self._samples),
            "watch_ms": round(self._watched_sec * 1000 / len(self._samples), 3),
            "flush_ms": [
                round(ms, 2)
                for ms in self._flushes[len(self._flushes) // _KEPT_FLUSHES // 2 :: len(self._flushes) // _KEPT_FLUSHES]
            ],
        }


def _asked(home: Path, ask: Callable[[], Any]) -> dict[str, Any]:
    """The client warms up for a second, which is counted in both: answers and processor time."""
    with _Watch(home) as watch:
        load = ask()
    number = load.answered * watch.took / load.seconds
    return _point(load.rate(), p50_ms=round(load.percentile(50), 2), **watch.figures(number))


def _point(per_sec: float, **figures: Any) -> dict[str, Any]:
    used = per_sec * sum(figures["processor_ms"].values()) / 1000
    # More would mean that others' work was counted: messages that an earlier load left, for one.
    assert used <= MACHINE_CORES * 1.1, f"{used:.2f} cores were used, of {MACHINE_CORES}"
    return {"per_sec": round(per_sec, 1), **figures}


def _worked_off(home: Path, buyer: Any, runs: int) -> dict[str, Any]:
    """From the first tenth to the last run of a tenant that has no others, watched from without: whoever looks at every
    run takes time from those who work."""
    from bench.speed import measure, servers
    from runs.models import Run

    def ended() -> int:
        return Run.objects.filter(tenant_id=buyer.tenant.pk, status="COMPLETED").count()

    def wait_for(number: int) -> None:
        gives_up = time.monotonic() + _LONGEST_SEC
        while ended() < number:
            assert time.monotonic() < gives_up, f"{ended()} of {number} ended"
            time.sleep(_LOOK_EVERY_SEC)

    before = ended()
    run_ids = [measure._submit_directly(buyer) for _ in range(runs)]
    with servers.platform("worker", home):
        wait_for(before + runs // 10)
        done = ended()
        with _Watch(home) as watch:
            wait_for(before + runs)
        moments = measure._wait_for(lambda: measure._completed_at(run_ids), runs)
    first = done - before
    rate = (runs - 1 - first) / (moments[-1] - moments[first])
    return _point(rate, **watch.figures(runs - first))


def _flushes_ms(home: Path) -> list[float]:
    """One page to the end of a file, and to the disk, as PostgreSQL's log does it: the moods included."""
    taken = []
    with (home / "flushed").open("wb", buffering=0) as file:
        for _ in range(_FLUSHES):
            file.write(b"x" * 8_192)
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            taken.append((time.perf_counter() - began) * 1000)
    return taken
