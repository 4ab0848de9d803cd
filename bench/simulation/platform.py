"""The platform as the simulation sees it: what a submit, a poll and a run in the worker ask for, and in which order.

The order of calls is that of docs/capacity.md; a test watches the wires for it (`tests/operate/test_round_trips.py`).
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from bench.simulation.engine import Activity, Cores, GroupCommit, Shared, Simulation, Station, sleep

_SUBMIT_STEPS = 4  # before, between and after: admit, accept, confirm with send
# What a child of the worker asks for, in this order; it computes before each and after the last.
_WORK = ("load", "start", "lease", "progress", "put", "claim", "money", "commit", "events", "money", "lease")
_OF_POSTGRESQL = ("load", "start", "progress", "claim", "commit")
# Progress does not wait for the disk.
_FLUSHED = ("start", "claim", "commit")
_CHILDREN = 4


@dataclass(frozen=True)
class Demands:
    """Seconds of processor time. Of shared calls: one part per call, one per run in it."""

    api: float
    api_call: float
    client: float
    redis_submit: float
    accept_call: float
    accept_run: float
    send_call: float
    send_run: float
    poll: float
    poll_servers: float
    """PostgreSQL and Redis together: polls share their calls."""
    poll_client: float
    worker: float
    """In the child that executes the run."""
    worker_main: float
    """In the one process that receives and deletes messages for all children."""
    worker_sql: float
    worker_redis: float
    worker_objects: float
    """Receive, PUT and delete, in the server that plays SQS and S3 here."""


@dataclass
class Site:
    """Where it runs. On one machine all share `cores`; in a data centre each server has its own."""

    simulation: Simulation
    demands: Demands
    api_processes: int
    worker_slots: int
    flush_sec: Callable[[], float]
    api_cores: Cores
    worker_cores: Cores
    database_cores: Cores
    redis_cores: Cores
    objects_cores: Cores
    client_cores: Cores
    round_trip_sec: float = 0.0
    objects_latency_sec: float = 0.0
    """Of an S3 or SQS that is a service of somebody else: it computes on nobody's cores."""
    objects_threads: int = 1
    shares: Literal["none", "by process", "by session"] = "none"
    """By what the kernel divides cores that not all of them can have. "none": there are enough."""
    finished: int = 0

    def __post_init__(self) -> None:
        # One thread of a Python process computes at a time.
        self.api_locks = [Station(1) for _ in range(self.api_processes)]
        self.redis_thread = Station(1)
        self.objects_thread = Station(self.objects_threads)
        self.log = GroupCommit(self.flush_sec)
        self.client_thread = Station(self.client_cores.number if self.client_cores is not self.api_cores else 1)
        self._accepts = [Shared(partial(self._accept, lock), lines=1, most=16) for lock in self.api_locks]
        self._sends = [Shared(self._send, lines=2, most=10) for _ in range(self.api_processes)]
        self.main_threads = [Station(1) for _ in range(max(1, self.worker_slots // _CHILDREN))]
        self._turn = itertools.count()

    def submit(self) -> Activity:
        place = next(self._turn) % self.api_processes
        yield from self._compute("client", self.client_cores, self.client_thread, self.demands.client)
        for step in range(_SUBMIT_STEPS):
            seconds = self.demands.api / _SUBMIT_STEPS
            yield from self._compute("granian", self.api_cores, self.api_locks[place], seconds, place)
            if step in (0, 2):
                yield from self._redis(self.demands.redis_submit / 2)
            if step == 1:
                yield from self._accepts[place].ask(self.simulation)
            if step == 2:
                yield from self._sends[place].ask(self.simulation)

    def poll(self) -> Activity:
        place = next(self._turn) % self.api_processes
        yield from self._compute("client", self.client_cores, self.client_thread, self.demands.poll_client)
        yield from self._compute("granian", self.api_cores, self.api_locks[place], self.demands.poll, place)
        yield from self._sql(self.demands.poll_servers, f"api {place}")

    def work_one(self, slot: int | None = None) -> Activity:
        """One run in a slot of a worker; any slot, if none is named."""
        demands = self.demands
        slot = next(self._turn) % self.worker_slots if slot is None else slot
        main = self.main_threads[slot // _CHILDREN % len(self.main_threads)]
        yield from self._main(main, slot, demands.worker_main / 3)
        yield from self._objects(demands.worker_objects / 3)
        yield from self._main(main, slot, demands.worker_main / 3)
        for call in _WORK:
            yield from self._child(slot)
            if call == "put":
                yield from self._objects(demands.worker_objects / 3)
            elif call in _OF_POSTGRESQL:
                yield from self._sql(demands.worker_sql / len(_OF_POSTGRESQL), f"worker {slot}")
                if call in _FLUSHED:
                    yield self.log.commit
            else:
                yield from self._redis(demands.worker_redis / (len(_WORK) - len(_OF_POSTGRESQL) - 1))
        yield from self._child(slot)
        # Until the message is deleted this process does nothing else: neither for this child nor for the others.
        yield main.enter
        yield self.worker_cores.work(demands.worker_main / 3, self.group("celery", -1 - slot // _CHILDREN))
        yield from self._objects(demands.worker_objects / 3)
        main.leave(self.simulation)
        self.finished += 1

    def _main(self, main: Station, slot: int, seconds: float) -> Activity:
        """It waits for no answer to a receive: what comes meanwhile is done meanwhile."""
        yield from self._compute("celery", self.worker_cores, main, seconds, -1 - slot // _CHILDREN)

    def _child(self, slot: int) -> Activity:
        seconds = self.demands.worker / (len(_WORK) + 1)
        yield from self._compute("celery", self.worker_cores, None, seconds, slot)

    @property
    def accepted_together(self) -> float:
        """How many submits shared a call to the database."""
        return sum(shared.asked for shared in self._accepts) / max(1, sum(shared.calls for shared in self._accepts))

    def _accept(self, lock: Station, number: int) -> Activity:
        place = self.api_locks.index(lock)
        yield from self._compute("granian", self.api_cores, lock, self.demands.api_call, place)
        yield from self._sql(self.demands.accept_call + number * self.demands.accept_run, f"api {place}")
        yield self.log.commit

    def _send(self, number: int) -> Activity:
        yield from self._objects(self.demands.send_call + number * self.demands.send_run)

    def _redis(self, seconds: float) -> Activity:
        yield sleep(self.round_trip_sec)
        yield from self._compute("valkey", self.redis_cores, self.redis_thread, seconds)

    def _objects(self, seconds: float) -> Activity:
        if self.objects_latency_sec:
            yield sleep(self.objects_latency_sec)
        else:
            yield from self._compute("ministack", self.objects_cores, self.objects_thread, seconds)

    def _sql(self, seconds: float, connection: str) -> Activity:
        yield sleep(self.round_trip_sec)
        # A process for each connection, which makes itself a session of its own.
        yield self.database_cores.work(seconds, ("postgres", connection) if self.shares != "none" else None)

    def group(self, server: str, process: int = 0) -> object:
        """With whom it shares cores. Each server is started as a session."""
        if self.shares == "none":
            return None
        return server if self.shares == "by session" else (server, process)

    def _compute(self, server: str, cores: Cores, thread: Station | None, seconds: float, process: int = 0) -> Activity:
        if thread:
            yield thread.enter
        yield cores.work(seconds, self.group(server, process))
        if thread:
            thread.busy_sec += seconds
            thread.leave(self.simulation)
