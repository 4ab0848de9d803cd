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

from devstack.valkey import Valkey
from dpp_project import redis as ours
from dpp_project.redis import LuaScript, client
from runs.lifecycle import queue
from runs.models import JobPass, Run
from runs.reports.invariants import audit_ledger
from runs.states import LIVE, Status
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
        client.cache_clear()
        ours._SHARED._resting.clear()
        try:
            yield
        finally:
            client().close()
            client.cache_clear()
            ours._SHARED._resting.clear()


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


@pytest.mark.usefixtures("through_the_proxy")
def test_api_worker_and_maintenance_heal_within_five_seconds(pair: Pair, acme: Customer) -> None:
    on_plan(acme, submit_rate_per_min=60_000, max_concurrent_runs=1_000)
    environment = {"REDIS_URL": pair.url}
    with ExitStack() as running:
        api = running.enter_context(ApiProcess(environment))
        for process in (WorkerProcess(environment), MaintenanceWorker(environment)):
            process.start()
            running.callback(process.stop)
        load = running.enter_context(Load(api.url, acme))
        _until(lambda: Run.objects.filter(status=Status.COMPLETED).count() >= 3)

        pair.fail_over()
        healed = time.monotonic() + HEALED_WITHIN_SEC

        _until(lambda: load.accepted(after=healed) >= 5)
        assert load.refused(after=healed) == []
        assert _ready(api.url) == 200
        queue.send_job("audit")
        _until(lambda: JobPass.objects.filter(name="audit").exists())
        load.stop()
        _until(lambda: not Run.objects.filter(status__in=LIVE).exists())
    assert set(Run.objects.values_list("status", flat=True)) == {Status.COMPLETED}
    assert Run.objects.count() == load.accepted()
    assert audit_ledger().is_clean


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
