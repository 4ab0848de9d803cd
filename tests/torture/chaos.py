"""The platform under combined faults: servers behind proxies, processes that are killed, agents that call."""

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from typing import Self

from devstack.service import Service
from dpp_project.redis import client
from runs.reports.invariants import audit_ledger
from tests.plugin import SERVICES
from tests.processes import _Process, children_of
from tests.services import SessionServices
from tests.torture.bench import Bench, drift_micros, trouble_of
from tests.torture.client_history import Agent, History, poll_to_the_end
from tests.torture.combined import Fault
from tests.torture.pairs import PostgresPair, ValkeyPair
from tests.torture.processes import JobsLoop
from tests.torture.proxy import Proxy
from tests.torture.stopped import stopped

_TENANTS = 3
_PAID_IN = 1_000_000_000
_PAUSE_SEC = 0.4


class Chaos(Bench):
    """A bench whose processes reach every server through a proxy."""

    def __init__(self, services: SessionServices, *, postgres: Proxy, redis: Proxy, aws: Proxy) -> None:
        self.proxies = {"postgres": postgres, "redis": redis, "aws": aws}
        self.pairs: tuple[PostgresPair, ValkeyPair] | None = None
        self.histories: list[History] = []
        self.agents: list[Agent] = []
        super().__init__(services)

    @property
    def environment(self) -> dict[str, str]:
        there = self.services
        return {
            **super().environment,
            "DATABASE_URL": there.postgres.url.replace(
                f":{there.postgres.port}/", f":{self.proxies['postgres'].port}/"
            ),
            "REDIS_URL": there.valkey.url.replace(f":{there.valkey.port}/", f":{self.proxies['redis'].port}/"),
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.proxies['aws'].port}",
        }

    @classmethod
    @contextlib.contextmanager
    def on_pairs(cls, postgres: PostgresPair, valkey: ValkeyPair, aws: Proxy) -> Iterator[Self]:
        """With a second PostgreSQL and a second Redis behind each address."""
        chaos = cls(SERVICES, postgres=postgres.proxy, redis=valkey.proxy, aws=aws)
        chaos.pairs = (postgres, valkey)
        with chaos.running():
            yield chaos

    @classmethod
    @contextlib.contextmanager
    def on(cls, services: SessionServices) -> Iterator[Self]:
        """With the servers of a test session: all faults but failovers."""
        servers = (services.postgres, services.valkey, services.ministack)
        proxies = [Proxy(server.port) for server in servers]
        chaos = cls(services, postgres=proxies[0], redis=proxies[1], aws=proxies[2])
        try:
            with chaos.running():
                yield chaos
        finally:
            for proxy in proxies:
                proxy.close()

    @property
    def postgres(self) -> Service:
        return self.pairs[0].leader if self.pairs else self.services.postgres

    @property
    def redis(self) -> Service:
        return self.pairs[1].leader if self.pairs else self.services.valkey

    # --- load and verdict ---------------------------------------------------------------------------------------------

    def begin_load(self, seed: int, agents: int) -> None:
        self.histories = [History(self.customer(budget=f"{_PAID_IN // 1_000_000}.0000")) for _ in range(_TENANTS)]
        self.agents = [
            Agent(number, seed, self.api.url, self.histories[number % _TENANTS], pause_sec=_PAUSE_SEC)
            for number in range(agents)
        ]
        for agent in self.agents:
            agent.start()

    def wrong_so_far(self) -> list[str]:
        return [wrong for history in self.histories for wrong in history.wrong]

    def end_load(self) -> tuple[float, list[str]]:
        """Seconds until all has healed, and everything that is wrong."""
        for agent in self.agents:
            agent.stop()
        for agent in self.agents:
            agent.join(60)
        since = time.monotonic()
        for history in self.histories:
            self.healed(history.owner, since=since, within=300)
        healed_sec = time.monotonic() - since
        wrong = []
        for history in self.histories:
            poll_to_the_end(history, self.api.url, seconds=60)
            wrong += history.verdict(paid_in=_PAID_IN)
            if trouble := trouble_of(history.owner):
                wrong.append(trouble)
        report = audit_ledger()
        wrong += [str(finding) for finding in report.findings if finding.violations]
        if lost := drift_micros():
            wrong.append(f"{lost} micros lost or invented")
        return healed_sec, wrong

    def figures(self) -> dict[str, int]:
        refused = [history.refusals for history in self.histories]
        return {
            "calls": sum(agent.calls for agent in self.agents),
            "accepted": sum(len(history.run_of_key) for history in self.histories),
            "refused": sum(sum(number for status, number in each.items() if status) for each in refused),
            "broken": sum(each[0] for each in refused),
        }

    # --- faults -------------------------------------------------------------------------------------------------------

    def restart_everything(self) -> None:
        """After all of it was stopped."""
        self.api.start()
        self.restart_worker()
        self.jobs.start()
        self.api.wait_ready()

    def revive(self, process: _Process) -> _Process:
        process.kill()
        return self.start(type(process)(process.environment))


@contextlib.contextmanager
def _at_once(act: object) -> Iterator[None]:
    assert callable(act)
    act()
    yield


def _stopped(name: str) -> Fault:
    def during(chaos: Chaos) -> contextlib.AbstractContextManager[None]:
        return stopped(chaos.services.ministack if name == "aws" else getattr(chaos, name))

    return Fault(name, f"{name} stopped (SIGSTOP)", during)


def _cut_off(name: str) -> Fault:
    return Fault(name, f"{name} refuses connections", lambda chaos: chaos.proxies[name].refusing())


def _brownout(name: str) -> Fault:
    return Fault(name, f"{name} obeys and its answers are lost", lambda chaos: chaos.proxies[name].swallowing_answers())


def _restart(service: Service) -> None:
    service.kill()
    service.start()
    service.wait_ready()


def _kill_postgres(chaos: Chaos) -> contextlib.AbstractContextManager[None]:
    return _at_once(lambda: _restart(chaos.postgres))


def _kill_redis(chaos: Chaos) -> contextlib.AbstractContextManager[None]:
    return _at_once(lambda: _restart(chaos.redis))


def _forget(chaos: Chaos) -> contextlib.AbstractContextManager[None]:
    return _at_once(lambda: client().flushall())


def _kill_worker(chaos: Chaos) -> contextlib.AbstractContextManager[None]:
    return _at_once(lambda: chaos.restart_worker())


def _kill_api(chaos: Chaos) -> contextlib.AbstractContextManager[None]:
    """The process that serves: its parent starts another one."""

    def kill() -> None:
        family = [chaos.api.pid]
        for pid in family:
            family += children_of(pid)
        serving = [pid for pid in family if not children_of(pid)]
        assert serving
        for pid in serving:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    return _at_once(kill)


def _kill_jobs(chaos: Chaos) -> contextlib.AbstractContextManager[None]:
    def kill() -> None:
        revived = chaos.revive(chaos.jobs)
        assert isinstance(revived, JobsLoop)
        chaos.jobs = revived

    return _at_once(kill)


@contextlib.contextmanager
def _pause_worker(chaos: Chaos) -> Iterator[None]:
    """Past its lease, with what it was doing."""
    sleeping = chaos.worker
    sleeping.signal_group(signal.SIGSTOP)
    try:
        yield
        time.sleep(4)
    finally:
        sleeping.signal_group(signal.SIGCONT)


@contextlib.contextmanager
def _postgres_fails_over(chaos: Chaos) -> Iterator[None]:
    assert chaos.pairs
    pair, _ = chaos.pairs
    if pair.standby is not None:
        pair.fail_over()
    yield
    pair.add_standby()


@contextlib.contextmanager
def _redis_fails_over(chaos: Chaos) -> Iterator[None]:
    assert chaos.pairs
    chaos.pairs[1].fail_over()
    yield


FAULTS = [
    *(_stopped(name) for name in ("postgres", "redis", "aws")),
    *(_cut_off(name) for name in ("postgres", "redis", "aws")),
    *(_brownout(name) for name in ("redis", "aws")),
    Fault("postgres", "postgres killed (-9) and started", _kill_postgres),
    Fault("redis", "redis killed (-9) and started", _kill_redis),
    Fault("redis", "redis forgets everything", _forget),
    Fault("worker", "worker killed (-9)", _kill_worker),
    Fault("worker", "worker asleep past its lease", _pause_worker),
    Fault("processes", "API's serving process killed (-9)", _kill_api),
    Fault("processes", "jobs killed (-9)", _kill_jobs),
]

PAIR_FAULTS = [
    *FAULTS,
    Fault("postgres", "postgres fails over to its streaming standby", _postgres_fails_over),
    Fault("redis", "redis fails over, old connections stay open", _redis_fails_over),
]
