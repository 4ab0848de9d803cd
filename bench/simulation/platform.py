"""The platform as the simulation sees it: what a submit, a poll and a run in the worker ask for, and in which order.

The order of calls is that of docs/capacity.md; a test watches the wires for it (`tests/operate/test_round_trips.py`).
"""

import itertools
from dataclasses import dataclass
from functools import partial

from bench.simulation.engine import Activity, Cores, GroupCommit, Shared, Simulation, Station, sleep

_SUBMIT_STEPS = 4  # before, between and after: admit, accept, confirm with send
_WORK_STEPS = 10
_WORK_CALLS = 5
_RECEIVE, _PUT, _DELETE = 0, 5, 9
_CHILDREN = 4
_COMMITS = (1, 7, 9)  # start, claim, commit; progress does not wait for the disk


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
    flush_sec: float
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
        yield from self._compute(self.client_cores, self.client_thread, self.demands.client)
        for step in range(_SUBMIT_STEPS):
            yield from self._compute(self.api_cores, self.api_locks[place], self.demands.api / _SUBMIT_STEPS)
            if step in (0, 2):
                yield from self._redis(self.demands.redis_submit / 2)
            if step == 1:
                yield from self._accepts[place].ask(self.simulation)
            if step == 2:
                yield from self._sends[place].ask(self.simulation)

    def poll(self) -> Activity:
        place = next(self._turn) % self.api_processes
        yield from self._compute(self.client_cores, self.client_thread, self.demands.poll_client)
        yield from self._compute(self.api_cores, self.api_locks[place], self.demands.poll)
        yield sleep(self.round_trip_sec)
        yield self.database_cores.work(self.demands.poll_servers)

    def work_one(self) -> Activity:
        """One run in a slot of a worker."""
        demands = self.demands
        main = self.main_threads[next(self._turn) % len(self.main_threads)]
        for step in range(_WORK_STEPS):
            if step in (_RECEIVE, _DELETE):
                # By the one thread that fetches for all children of a worker.
                yield main.enter
            yield from self._compute(self.worker_cores, None, demands.worker / _WORK_STEPS)
            if step in (_RECEIVE, _PUT, _DELETE):
                yield from self._objects(demands.worker_objects / 3)
            if step in (_RECEIVE, _DELETE):
                main.leave(self.simulation)
            if step % 2 == 0:
                yield from self._redis(demands.worker_redis / _WORK_CALLS)
            else:
                yield sleep(self.round_trip_sec)
                yield self.database_cores.work(demands.worker_sql / _WORK_CALLS)
                if step in _COMMITS:
                    yield self.log.commit
        self.finished += 1

    def _accept(self, lock: Station, number: int) -> Activity:
        yield from self._compute(self.api_cores, lock, self.demands.api_call)
        yield sleep(self.round_trip_sec)
        yield self.database_cores.work(self.demands.accept_call + number * self.demands.accept_run)
        yield self.log.commit

    def _send(self, number: int) -> Activity:
        yield from self._objects(self.demands.send_call + number * self.demands.send_run)

    def _redis(self, seconds: float) -> Activity:
        yield sleep(self.round_trip_sec)
        yield from self._compute(self.redis_cores, self.redis_thread, seconds)

    def _objects(self, seconds: float) -> Activity:
        if self.objects_latency_sec:
            yield sleep(self.objects_latency_sec)
        else:
            yield from self._compute(self.objects_cores, self.objects_thread, seconds)

    def _compute(self, cores: Cores, thread: Station | None, seconds: float) -> Activity:
        if thread:
            yield thread.enter
        yield cores.work(seconds)
        if thread:
            thread.busy_sec += seconds
            thread.leave(self.simulation)
