"""The API as it is served on a cluster of Redis servers: one hangs, one dies and its replica takes over. Run by
`make test-redis-cluster`."""

import os
import signal
import threading
import time
import urllib.error
import urllib.request

from budget import ledger, redis_keys
from budget.exceptions import LedgerUnavailable
from dpp_project.money import Micros
from dpp_project.redis import client
from runs.reports.invariants import audit_ledger
from runs.states import Status
from tests.books import redis_balance
from tests.builders import Customer, fresh_key, json_body, submitted
from tests.processes import ApiProcess
from tests.services import SessionServices
from tests.valkey_cluster import ValkeyCluster, ask


def test_a_server_that_hangs_keeps_nobody_else_waiting(cluster: ValkeyCluster, owners: list[Customer]) -> None:
    """Given the API as it is served and one server stopped while twelve callers a second ask for its tenant, Expect
    each of another server's tenants to be answered within a second, its own to be told so within three."""
    with ApiProcess({"REDIS_URL": cluster.url}) as served:
        caller = _Sender(served.url)
        assert caller.submit(owners[0])[0] == caller.submit(owners[2])[0] == 202
        pid = cluster.nodes[2].program.pid
        assert pid
        os.kill(pid, signal.SIGSTOP)
        try:
            asking = [threading.Thread(target=caller.submit, args=(owners[2],), daemon=True) for _ in range(12)]
            for thread in asking:
                thread.start()
            passed = [caller.submit(owners[0]) for _ in range(8)]
            refused = caller.submit(owners[2])
            for thread in asking:
                thread.join()
        finally:
            os.kill(pid, signal.SIGCONT)
    assert {status for status, _ in passed} == {202}
    assert sorted(seconds for _, seconds in passed)[-2] < 1, passed
    assert refused[0] == 503
    assert refused[1] < 3
    cluster.wait_whole()
    assert audit_ledger(repair=True).is_clean


class _Sender:
    def __init__(self, url: str) -> None:
        self._url = url

    def submit(self, owner: Customer) -> tuple[int, float]:
        headers = owner.headers(**{"Idempotency-Key": fresh_key(), "Content-Type": "application/json"})
        began = time.monotonic()
        try:
            request = urllib.request.Request(f"{self._url}/v1/runs", json_body().encode(), headers)
            with urllib.request.urlopen(request, timeout=30) as answer:
                return int(answer.status), time.monotonic() - began
        except urllib.error.HTTPError as error:
            return error.code, time.monotonic() - began


def test_a_replica_takes_over(platform: SessionServices, cluster: ValkeyCluster, owners: list[Customer]) -> None:
    """Given a server that dies and has a replica, Expect its tenants to be served again once that was elected, with
    what the replica had, and the books to agree."""
    run = submitted(owners[1])
    replica = cluster.add_replica(platform.home, of=cluster.nodes[1])
    try:
        assert client().hget(redis_keys.hold(owners[1].id, run.pk), "tenant_id") == owners[1].id
        cluster.nodes[1].kill()
        ends = time.monotonic() + 60
        while True:
            try:
                ledger.settle(owners[1].id, run.pk, Micros(50_000))
                break
            except LedgerUnavailable:
                assert time.monotonic() < ends, ask(replica, "CLUSTER", "NODES")
                time.sleep(0.2)
        assert redis_balance(owners[1]) == 9_950_000
        for owner in owners:
            assert submitted(owner).status == Status.QUEUED
        assert audit_ledger(repair=True).is_clean
    finally:
        replica.kill()
