"""The primary is demoted and a real replica promoted, under load; connections to the old server stay open."""

import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import pytest
import redis
from django.test import override_settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from budget.ledger import top_up
from devstack.valkey import Valkey
from dpp_project.money import Micros
from dpp_project.redis import LuaScript, client
from runs.lifecycle import queue
from runs.models import JobPass, Run
from runs.reports.invariants import audit_ledger
from runs.states import LIVE, Status
from tests import redis_clients
from tests.builders import Customer, fresh_key, json_body, on_plan
from tests.ports import free_port
from tests.processes import ApiProcess, WorkerProcess
from tests.services import SessionServices
from tests.torture.processes import MaintenanceWorker
from tests.torture.proxy import Proxy

HEALED_WITHIN_SEC = 5.0


@dataclass
class Pair:
    """Two servers behind one address."""

    primary: Valkey
    replica: Valkey
    proxy: Proxy

    @property
    def url(self) -> str:
        return f"redis://:{self.primary.password}@127.0.0.1:{self.proxy.port}/0"

    def fail_over(self) -> None:
        """Promote the replica, lead new connections to it, demote the old primary. Nobody is disconnected."""
        _direct(self.replica).replicaof("NO", "ONE")
        self.proxy.lead_new_connections_to(self.replica.port)
        _direct(self.primary).replicaof("127.0.0.1", self.replica.port)


def _direct(server: Valkey) -> "redis.Redis":
    return redis.Redis.from_url(server.url, decode_responses=True)


@pytest.fixture
def pair(platform: SessionServices) -> Iterator[Pair]:
    settings = {"masterauth": "test"}
    servers = [Valkey(platform.home / name, free_port(), password="test", settings=settings) for name in ("old", "new")]
    for server in servers:
        server.start()
    for server in servers:
        server.wait_ready()
    primary, replica = servers
    _direct(replica).replicaof("127.0.0.1", primary.port)
    _until(lambda: _direct(replica).info("replication")["master_link_status"] == "up")
    proxy = Proxy(primary.port)
    try:
        yield Pair(primary, replica, proxy)
    finally:
        proxy.close()
        for server in servers:
            server.kill()


def _until(holds: Callable[[], object], seconds: float = 120) -> None:
    ends = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < ends, "it did not come about in time"
        time.sleep(0.1)


@pytest.fixture
def through_the_proxy(pair: Pair) -> Iterator[None]:
    """This process's own client leads to the pair."""
    with override_settings(REDIS_URL=pair.url):
        redis_clients.forget()
        try:
            yield
        finally:
            client().close()
            redis_clients.forget()


@pytest.mark.usefixtures("through_the_proxy")
def test_commands_and_scripts_leave_a_demoted_server_at_once(pair: Pair, tmp_path: Path) -> None:
    path = tmp_path / "write.lua"
    path.write_text("return redis.call('INCR', KEYS[1])")
    script = LuaScript(path)
    client().set("plain", "1")
    script(keys=["counted"], args=[])

    pair.fail_over()

    assert client().set("plain", "2")
    assert script(keys=["counted"], args=[]) == 2
    assert _direct(pair.replica).get("plain") == "2"


def _replica_without_its_primary(server: Valkey) -> None:
    """MASTERDOWN to every read."""
    admin = _direct(server)
    admin.config_set("replica-serve-stale-data", "no")
    admin.replicaof("127.0.0.1", free_port())


def _cluster_without_slots(server: Valkey) -> None:
    """CLUSTERDOWN to every command with a key."""
    server.kill()
    server.settings = {**server.settings, "cluster-enabled": "yes", "cluster-config-file": "nodes.conf"}
    server.start()
    server.wait_ready()


def _loading_its_data(server: Valkey) -> None:
    """LOADING to every command, for two minutes: it waits a second for each key of its snapshot."""
    admin = _direct(server)
    for number in range(120):
        admin.set(f"loaded-{number}", "x" * 2_048)
    admin.config_set("rdbcompression", "no")
    admin.save()
    server.kill()
    # It looks up and answers after every kilobyte.
    slowly = {"key-load-delay": "1000000", "loading-process-events-interval-bytes": "1024"}
    server.settings = {**server.settings, "appendonly": "no", **slowly}
    server.start()
    _until(lambda: "LOADING" in _refusal(server))


def _refusal(server: Valkey) -> str:
    once = redis.Redis.from_url(server.url, socket_timeout=2, retry=Retry(NoBackoff(), 0))
    try:
        once.get("plain")
    except redis.exceptions.BusyLoadingError:
        return "LOADING"
    except redis.RedisError as error:
        return str(error)
    return ""


@pytest.mark.usefixtures("through_the_proxy")
@pytest.mark.parametrize("unfit", [_replica_without_its_primary, _cluster_without_slots, _loading_its_data])
def test_commands_and_scripts_leave_a_server_that_cannot_serve(
    pair: Pair, tmp_path: Path, unfit: Callable[[Valkey], None]
) -> None:
    """Given open connections to a server that answers everything with a refusal, and an address that leads to another
    one by now, Expect the next command and the next script to be served there."""
    path = tmp_path / "read.lua"
    path.write_text("return redis.call('GET', KEYS[1])")
    script = LuaScript(path)
    _direct(pair.replica).replicaof("NO", "ONE")
    _direct(pair.replica).set("plain", "1")
    unfit(pair.primary)
    for call in (lambda: client().get("plain"), lambda: script(keys=["plain"], args=[])):
        with pytest.raises(redis.RedisError):
            call()
    pair.proxy.lead_new_connections_to(pair.replica.port)

    assert client().get("plain") == "1"
    assert script(keys=["plain"], args=[]) == "1"


@pytest.mark.usefixtures("through_the_proxy")
def test_api_worker_and_maintenance_heal_within_five_seconds(pair: Pair, acme: Customer) -> None:
    on_plan(acme, submit_rate_per_min=60_000, max_concurrent_runs=10_000)
    # On a slow machine the load goes on for minutes.
    top_up(acme.id, Micros(1_000_000_000), reference="for every submit")
    environment = {"REDIS_URL": pair.url}
    with ExitStack() as running:
        api = running.enter_context(ApiProcess(environment))
        worker, maintenance = WorkerProcess(environment), MaintenanceWorker(environment)
        for process in (worker, maintenance):
            process.start()
            running.callback(process.stop)
        load = running.enter_context(Load(api.url, acme))
        _until(lambda: Run.objects.filter(status=Status.COMPLETED).count() >= 3)
        _audited()
        # What this machine needs for a run and for a job without any fault.
        usual_job = _audited()
        usual_run = max(_sec_between_endings(), 0.5)

        pair.fail_over()
        failed_over = time.monotonic()
        job = _audited()
        healed = failed_over + HEALED_WITHIN_SEC
        time.sleep(max(healed - time.monotonic(), 0))
        ended = Run.objects.filter(status=Status.COMPLETED).count()
        _until(lambda: Run.objects.filter(status=Status.COMPLETED).count() > ended, seconds=4 * usual_run)

        _until(lambda: load.accepted(after=healed) >= 5)
        assert load.refused(after=healed) == []
        assert job < HEALED_WITHIN_SEC + usual_job, (job, usual_job)
        assert _ready(api.url) == 200
        load.stop()
        _until(lambda: not Run.objects.filter(status__in=LIVE).exists(), seconds=600)
    assert set(Run.objects.values_list("status", flat=True)) == {Status.COMPLETED}
    assert Run.objects.count() == load.accepted()
    assert audit_ledger().is_clean


def _audited() -> float:
    """Seconds until the maintenance worker has done a job, which reads and writes Redis."""
    JobPass.objects.filter(name="audit").delete()
    began = time.monotonic()
    queue.send_job("audit")
    _until(lambda: JobPass.objects.filter(name="audit").exists())
    return time.monotonic() - began


def _sec_between_endings() -> float:
    """Between two looks at which another run had ended."""
    began, ended = time.monotonic(), Run.objects.filter(status=Status.COMPLETED).count()
    _until(lambda: Run.objects.filter(status=Status.COMPLETED).count() >= ended + 3)
    return time.monotonic() - began


def test_readiness_tells_of_a_server_that_refuses_writes(pair: Pair, platform: SessionServices) -> None:
    with ApiProcess({"REDIS_URL": pair.url}) as api:
        assert _ready(api.url) == 200
        _direct(pair.primary).replicaof("127.0.0.1", pair.replica.port)
        _until(lambda: _ready(api.url) == 503, seconds=10)


def _ready(url: str) -> int:
    try:
        with urllib.request.urlopen(f"{url}/readyz", timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


class Load:
    """One caller who submits ten times a second until stopped."""

    def __init__(self, url: str, owner: Customer) -> None:
        self._url, self._owner = url, owner
        self._answers: list[tuple[float, int, str]] = []
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._submit_all_the_time, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()

    def _submit_all_the_time(self) -> None:
        while not self._stopped.wait(0.1):
            began = time.monotonic()
            self._answers.append((began, *self._submit()))

    def _submit(self) -> tuple[int, str]:
        headers = self._owner.headers(**{"Idempotency-Key": fresh_key(), "Content-Type": "application/json"})
        body = json_body(reservation={"max_cost_usd": "0.0500"}).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(f"{self._url}/v1/runs", body, headers)) as answer:
                return int(answer.status), ""
        except urllib.error.HTTPError as error:
            return error.code, str(json.loads(error.read()).get("reason_code"))

    def accepted(self, *, after: float = 0) -> int:
        return sum(status == 202 and began > after for began, status, _ in self._answers)

    def refused(self, *, after: float) -> list[str]:
        return [reason for began, status, reason in self._answers if status != 202 and began > after]
