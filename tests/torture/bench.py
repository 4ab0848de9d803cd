"""The whole product on a bench: API, worker and jobs as real processes with shortened times, and one strict verdict."""

import contextlib
import http.client
import itertools
import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from uuid import UUID

import redis
from django.db import DatabaseError, InterfaceError, connection
from django.utils import timezone

from budget import journal, scripts
from budget.drift import examine
from dpp_project.celery import DEAD_LETTER_QUEUES, MAINTENANCE_QUEUE, RUNS_QUEUES, queue_url
from dpp_project.money import parse_usd
from dpp_project.redis import client
from runs.access import api_keys, sub_keys
from runs.access.key_budgets import Limits
from runs.access.sub_keys import WantedKey
from runs.lifecycle.queue import bootstrap_queues, sqs
from runs.models import Run, RunTransition
from runs.reports.invariants import audit_ledger
from tests.builders import Customer, body, customer, fresh_key
from tests.http import Answer, Api
from tests.processes import _Process
from tests.services import SessionServices
from tests.torture.processes import CrashPoints, JobsLoop, RespawningApi, SupervisedWorker

T = TypeVar("T")
P = TypeVar("P", bound=_Process)

# Time bounds shortened by configuration; the code under test is the same. Heartbeats leave room for a busy machine.
SHORT = {
    "lease_ttl_sec": 4,
    "lease_heartbeat_sec": 1,
    "sqs_visibility_timeout_sec": 4,
    "reaper_interval_sec": 1,
    "sweeper_interval_sec": 1,
    "reconcile_interval_sec": 1,
    "reconcile_claim_age_sec": 3,
    "dead_letters_interval_sec": 1,
    "audit_interval_sec": 1,
    "resend_interval_sec": 1,
    "resend_unsent_age_sec": 2,
    "resend_queued_age_sec": 8,
    "orphan_hold_age_sec": 3,
    "reservation_ttl_sec": 90,
    "poll_rate_per_min": 1_000_000,
    "replay_rate_per_min": 10_000_000,
    "submit_rate_per_min": 1_000_000,
    "max_concurrent_runs": 1_000_000,
    "webhook_timeout_sec": 2,
    "webhook_lease_sec": 4,
}

_numbers = itertools.count(1)


class NotHealed(AssertionError):
    """The time was up and something was still wrong."""


@dataclass(frozen=True)
class Sent:
    """What a client knows of one submit that it repeated until it was answered."""

    run_id: UUID
    statuses: tuple[int, ...]
    """Every status on the way; 0 is a broken connection."""


class Bench:
    def __init__(self, services: SessionServices) -> None:
        self.services = services
        self.crash_points = CrashPoints(Path(services.home) / "crash")
        self._running: list[_Process] = []
        self.api = RespawningApi(self.environment)
        self.worker = SupervisedWorker(self.environment)
        self.jobs = JobsLoop(self.environment)

    @property
    def environment(self) -> dict[str, str]:
        return {"DPP_PROFILE_OVERRIDES": json.dumps(SHORT), **self.crash_points.environment}

    @contextlib.contextmanager
    def running(self) -> Iterator["Bench"]:
        try:
            self.prepare_queues()
            self.start(self.api)
            self.start(self.worker)
            self.start(self.jobs)
            self.api.wait_ready()
            yield self
        finally:
            for process in self._running:
                process.stop()
            bootstrap_queues()

    def prepare_queues(self) -> None:
        """The queues with the shortened visibility timeout; empty."""
        bootstrap_queues()
        for name in (*RUNS_QUEUES, *DEAD_LETTER_QUEUES, MAINTENANCE_QUEUE):
            sqs().set_queue_attributes(
                QueueUrl=queue_url(name), Attributes={"VisibilityTimeout": str(SHORT["sqs_visibility_timeout_sec"])}
            )
            sqs().purge_queue(QueueUrl=queue_url(name))

    def start(self, process: P) -> P:
        process.start()
        self._running.append(process)
        return process

    @contextlib.contextmanager
    def with_process(self, process: P) -> Iterator[P]:
        """One more process for the length of a row."""
        self.start(process)
        try:
            if isinstance(process, RespawningApi):
                process.wait_ready()
            yield process
        finally:
            process.stop()

    def restart_worker(self, **environment: str) -> None:
        """kill -9 of the worker with all its children, and a new one. A child that sleeps must not wake up for it."""
        self.worker.kill()
        self.worker = self.start(SupervisedWorker({**self.environment, **environment}))

    @contextlib.contextmanager
    def without_worker(self) -> Iterator[None]:
        self.worker.stop()
        try:
            yield
        finally:
            self.restart_worker()

    def customer(self, budget: str = "100.0000") -> Customer:
        """With a key below another, both with a limit, so that every row is also a row of I8. None comes near it."""
        owner = customer(f"tenant-{next(_numbers)}", budget=budget)
        limits = Limits(parse_usd("1000000.0000"))
        maker, _ = api_keys.issue(owner.tenant, limits=limits, may_create_keys=True)
        _, text = sub_keys.make(maker, WantedKey(limits=limits), now=timezone.now())
        return Customer(owner.tenant, text)

    # --- what a client does ------------------------------------------------------------------------------------

    def try_submit(
        self, owner: Customer, key: str, *, cost: str = "0.5000", api: RespawningApi | None = None
    ) -> Answer | None:
        """One request; None if the connection broke and nobody knows."""
        try:
            return Api((api or self.api).url, owner).submit(body(reservation={"max_cost_usd": cost}), key=key)
        except (OSError, http.client.HTTPException):
            return None

    def submit(
        self,
        owner: Customer,
        *,
        key: str | None = None,
        cost: str = "0.5000",
        within: float = 60,
        api: RespawningApi | None = None,
    ) -> Sent:
        """As an agent does it: the same key again until there is a receipt."""
        key = key or fresh_key()
        statuses: list[int] = []
        ends = time.monotonic() + within
        while time.monotonic() < ends:
            answer = self.try_submit(owner, key, cost=cost, api=api)
            statuses.append(answer.status if answer else 0)
            if answer and answer.status == 202:
                return Sent(UUID(answer.json["run_id"]), tuple(statuses))
            assert answer is None or answer.status in (409, 503), answer.text
            time.sleep(0.1)
        raise NotHealed(f"no receipt within {within} s: {statuses[-5:]}\n{self.api.lines()[-2000:]}")

    def submit_many(self, owner: Customer, number: int, *, cost: str = "0.1000", threads: int = 6) -> list[Sent]:
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(lambda _: self.submit(owner, cost=cost), range(number)))

    # --- waiting and judging -----------------------------------------------------------------------------------

    def until(self, what: Callable[[], T | None], *, within: float = 30, why: str = "") -> T:
        ends = time.monotonic() + within
        while True:
            found = _tolerant(what)
            if found:
                return found
            if time.monotonic() > ends:
                raise NotHealed(f"not within {within} s: {why or what}\nworker: {self.worker.lines()[-1500:]}")
            time.sleep(0.03)

    def crashed(self, *, within: float = 30) -> int:
        """The process that met the armed point."""
        return self.until(lambda: self.crash_points.victim, within=within, why="nobody met the crash point")

    def healed(self, owner: Customer, *, since: float, within: float = 60) -> float:
        """Seconds until every run of the tenant has ended and Redis says exactly what PostgreSQL says."""
        try:
            self.until(lambda: trouble_of(owner) is None, within=within)
        except NotHealed as error:
            raise NotHealed(
                f"{_tolerant(lambda: trouble_of(owner))}\n{error}\njobs: {self.jobs.lines()[-1500:]}"
            ) from error
        return time.monotonic() - since

    def status_of(self, run_id: UUID) -> tuple[str, str | None, int | None]:
        run = Run.objects.get(pk=run_id)
        return run.status, run.last_error_reason_code, run.actual_cost_usd_micros

    def ended_as(self, run_id: UUID, status: str, reason: str | None, charge: int) -> None:
        seen = self.status_of(run_id)
        assert seen == (status, reason, charge), f"{run_id} ended as {seen}\n{self.story_of(run_id)}"

    def story_of(self, run_id: UUID) -> str:
        steps = RunTransition.objects.filter(run_id=run_id).order_by("id").values_list("at", "actor", "to_status")
        return "\n".join([*(f"{at:%T.%f} {actor} {to}" for at, actor, to in steps), self.worker.lines()[-3000:]])

    def audit(self) -> None:
        """Every row ends with it."""
        report = audit_ledger()
        assert report.is_clean, report


def trouble_of(owner: Customer) -> str | None:
    """What is not yet as it must be when nothing is going on any more; None when all is."""
    live = Run.objects.filter(tenant=owner.tenant, status__in=["QUEUED", "PROCESSING"])
    if live:
        return f"{len(live)} runs are live, such as {live[0]} {live[0].finalize_stage}"
    snapshot = scripts.snapshot(owner.id, [])
    available = journal.available(owner.id)
    if snapshot.holds or snapshot.balance != available or journal.journal_sum(owner.id) != available:
        return f"Redis {snapshot.balance} + {len(snapshot.holds)} holds, PostgreSQL {available}"
    return None


def drift_micros() -> int:
    """Micros lost or invented, over all tenants, on both sides."""
    from budget.models import TenantBalance

    total = 0
    for tenant_id in TenantBalance.objects.values_list("tenant_id", flat=True):
        total += abs(examine(tenant_id).delta or 0)
        total += abs(journal.journal_sum(tenant_id) - journal.available(tenant_id))
    return total


def _tolerant(call: Callable[[], T | None]) -> T | None:
    """The bench itself must survive the servers it kills."""
    try:
        return call()
    except (DatabaseError, InterfaceError):
        connection.close()
    except redis.RedisError:
        client().connection_pool.disconnect()
    return None
