"""Redis as a real cluster of three servers: money of tenants that lie apart, a server that is gone, one that hangs, and
a slot that moves."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import pytest
import redis
from django.test import Client
from django.utils import timezone
from redis.crc import key_slot

from budget import ledger, redis_keys, scripts
from budget.exceptions import LedgerUnavailable
from budget.rebuild import rebuild
from devstack.valkey import Valkey
from dpp_project import checks, redis_health
from dpp_project.money import Micros
from dpp_project.redis import LuaScript, Store, client, servers
from dpp_project.redis_cluster import SLOTS, tags
from packs.cache import CACHE
from packs.fetch.deadline import FetchDeadline
from runs.access import document_keys
from runs.documents.slots import HostSlots
from runs.events.event import RUNS, shard_of
from runs.events.reader import ShardReader
from runs.jobs.drift_repair import repair_drift
from runs.jobs.resend import Resent, resend
from runs.jobs.sweep import sweep
from runs.lifecycle.cancel import cancel
from runs.models import Run
from runs.reports.document_traffic import redis_counts
from runs.reports.invariants import audit_ledger
from runs.states import Status
from tests import redis_clients
from tests.api.caller import Caller, problem
from tests.books import assert_balanced, redis_balance
from tests.builders import Customer, fresh_key, submitted
from tests.cache.office import PAGE, Office
from tests.packs.fetch.zoo import open_zoo, page
from tests.packs.url.articles import korean
from tests.race import passing_time
from tests.race.actors import Crash, at, die, work
from tests.race.threads import at_once
from tests.runs.worker.deliveries import deliver, probe
from tests.services import SessionServices
from tests.valkey_cluster import ValkeyCluster, ask, direct


def test_all_keys_of_a_tenant_lie_in_one_slot_and_the_groups_share_all_slots_equally(cluster: ValkeyCluster) -> None:
    run_id = uuid4()
    for name in ("acme", "rival", "a{b}c"):
        of_one = [*scripts.reserve_keys(name, run_id), redis_keys.of_tenant(name, f"idem:{name}:{{x}}")]
        assert len({key_slot(key.encode()) for key in of_one}) == 1
    in_each_share = [key_slot(tag.encode()) * 256 // SLOTS for tag in tags(256)]
    assert in_each_share == list(range(256))


def test_money_of_tenants_at_three_servers_moves_and_agrees(owners: list[Customer]) -> None:
    """Submits, replays, endings and refunds at once."""
    keys = {owner.id: fresh_key() for owner in owners}
    runs = at_once(12, lambda number: submitted(owners[number % 3], key=keys[owners[number % 3].id]))
    assert all(isinstance(run, Run) for run in runs), runs
    assert Run.objects.count() == 3
    for owner in owners:
        completed, cancelled = Run.objects.get(tenant_id=owner.id), submitted(owner)
        work(completed)
        cancel(cancelled)
        assert set(Run.objects.filter(tenant_id=owner.id).values_list("money_state", flat=True)) == {
            "SETTLED",
            "REFUNDED",
        }
        assert_balanced(owner, 9_950_000)
    assert audit_ledger().is_clean
    assert {len(list(server.scan_iter("*budget:*"))) > 0 for server in servers(Store.LEDGER).values()} == {True}


def test_what_redis_forgot_is_rebuilt_tenant_by_tenant(owners: list[Customer]) -> None:
    for owner in owners:
        submitted(owner)
    client().flushall()
    assert audit_ledger().forgotten == tuple(sorted(owner.id for owner in owners))
    assert repair_drift().rebuilt == 3
    for owner in owners:
        assert_balanced(owner, 9_500_000)
    client().script_flush()
    for owner in owners:
        assert submitted(owner).status == Status.QUEUED


def test_orphans_and_unsent_runs_are_found_at_all_servers(owners: list[Customer]) -> None:
    for owner in owners:
        at("submit.reserved", die)
        with pytest.raises(Crash):
            submitted(owner)
        (orphan,) = scripts.snapshot(owner.id, []).holds
        passing_time.hold_ages(orphan)
        at("submit.mapped", die)
        with pytest.raises(Crash):
            submitted(owner)
        passing_time.unsent_marker_ages(Run.objects.get(tenant_id=owner.id).pk)
    assert sweep().holds_voided == 3
    assert resend(now=timezone.now()) == Resent(found=3, sent=3)
    for owner in owners:
        assert_balanced(owner, 9_500_000)


@contextmanager
def killed(cluster: ValkeyCluster, node: Valkey) -> Iterator[None]:
    node.kill()
    try:
        yield
    finally:
        cluster.bring_back_empty(node)


def test_a_server_that_is_gone_is_missed_by_its_tenants_alone_and_healed_by_rebuild(
    cluster: ValkeyCluster, owners: list[Customer], api: Client
) -> None:
    for owner in owners:
        submitted(owner)
    with killed(cluster, cluster.nodes[1]):
        callers = [Caller(api, owner) for owner in owners]
        answers = [caller.submit() for caller in callers]
        assert [answer.status_code for answer in answers] == [202, 503, 202]
        problem(answers[1], 503, "DEPENDENCY_UNAVAILABLE")
        assert [caller.get("/v1/budget").status_code for caller in callers] == [200, 200, 200]
        with pytest.raises(LedgerUnavailable):
            rebuild(owners[1].id)
        at("submit.reserved", die)
        with pytest.raises(Crash):
            submitted(owners[0])
        (orphan,) = scripts.snapshot(owners[0].id, []).holds.keys() - set(Run.objects.values_list("pk", flat=True))
        client().zincrby(redis_keys.open_holds(owners[0].id), -301_000, str(orphan))
        # What lies at the others goes on.
        assert sweep().holds_voided == 1
        audited = repair_drift()
        assert (audited.examined, audited.left) == (2, 1)
        assert redis_health.silent_servers(Store.LEDGER, within_sec=2) == [f"127.0.0.1:{cluster.nodes[1].port}"]
        _until(lambda: (redis_health.slots_without_server(Store.LEDGER) or 0) > SLOTS // 4)
    assert [caller.submit().status_code for caller in callers] == [202, 202, 202]
    assert [redis_balance(owner) for owner in owners] == [8_500_000, 9_000_000, 8_500_000]
    assert audit_ledger(repair=True).is_clean
    assert redis_health.slots_without_server(Store.LEDGER) == 0


def _until(holds: Any, seconds: float = 20) -> None:
    ends = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < ends, "it did not come about in time"
        time.sleep(0.1)


def test_a_slot_that_moves_takes_its_money_along(cluster: ValkeyCluster, owners: list[Customer]) -> None:
    """Given a slot whose keys are half here and half there (ASK, TRYAGAIN), then there (MOVED), Expect every call to
    find them."""
    owner, (here, there) = owners[0], cluster.nodes[:2]
    run = submitted(owner)
    slot = str(key_slot(redis_keys.balance(owner.id).encode()))
    ids = {node.port: str(ask(node, "CLUSTER", "MYID")) for node in (here, there)}
    ask(there, "CLUSTER", "SETSLOT", slot, "IMPORTING", ids[here.port])
    ask(here, "CLUSTER", "SETSLOT", slot, "MIGRATING", ids[there.port])
    try:
        moving = threading.Thread(target=_move_keys, args=(here, there, slot, ids[there.port]))
        moving.start()
        # Some keys have gone and some have not: asked again until they all have.
        assert ledger.settle(owner.id, run.pk, Micros(50_000)).charge == 50_000
        assert redis_balance(owner) == 9_950_000
    finally:
        moving.join()
    assert_balance_is_at(there, owner)
    assert ledger.reserve(owner.id, uuid4(), Micros(1)) == 9_949_999
    client().flushall()
    # As it was formed, for the tests after this one.
    for node in (here, there, cluster.nodes[2]):
        ask(node, "CLUSTER", "SETSLOT", slot, "NODE", ids[here.port])
    cluster.wait_whole()


def _move_keys(here: Valkey, there: Valkey, slot: str, there_id: str) -> None:
    with direct(here) as source:
        while keys := source.execute_command("CLUSTER GETKEYSINSLOT", slot, 1):
            source.migrate("127.0.0.1", there.port, keys, 0, 5_000, auth=there.password)
            time.sleep(0.02)
    for node in (there, here):
        ask(node, "CLUSTER", "SETSLOT", slot, "NODE", there_id)


def assert_balance_is_at(node: Valkey, owner: Customer) -> None:
    with direct(node) as there:
        assert there.get(redis_keys.balance(owner.id)) == "9950000"


def test_events_are_told_and_read_whatever_server_has_their_shard(owners: list[Customer]) -> None:
    runs = [probe(owner, "checkpoint:0.5") for owner in owners for _ in range(4)]
    for run in runs:
        deliver(run)
    found: dict[Any, list[int]] = {}

    def receive(events: Any, read_until: float | None) -> None:
        for event in events:
            found.setdefault(event.run_id, []).append(event.seq)

    reader = ShardReader(receive, from_beginning=True)
    assert reader.read_once() > 0
    assert reader.read_once(block_ms=50) == 0
    assert set(found) == {run.pk for run in runs}
    assert all(numbers == sorted(numbers) and len(numbers) >= 5 for numbers in found.values()), found
    assert len({RUNS.stream_key(shard_of(run.pk)).partition(":")[0] for run in runs}) > 1


def test_documents_are_kept_at_all_servers_under_one_cap(cluster: ValkeyCluster) -> None:
    with open_zoo() as zoo:
        zoo.site("www.me.go.kr", page(korean()))
        office = Office(zoo)
        office.fetch("acme", f"{PAGE}/{uuid4()}")
        assert client().exists(document_keys.entry(office.key())) in (0, 1)
        with HostSlots(CACHE).walk("acme", FetchDeadline(5)) as walk:
            walk.enter("www.me.go.kr")
            seen = redis_counts()
    assert seen is not None
    assert seen.entries == 1
    assert seen.entry_bytes > 0
    assert seen.slots_of == {"www.me.go.kr": 1}


def test_a_start_is_refused_when_one_server_evicts(cluster: ValkeyCluster) -> None:
    evicting = direct(cluster.nodes[2])
    assert checks.redis_never_evicts(None) == []
    evicting.config_set("maxmemory-policy", "allkeys-lru")
    try:
        (message,) = checks.redis_never_evicts(None)
    finally:
        evicting.config_set("maxmemory-policy", "noeviction")
    assert f"127.0.0.1:{cluster.nodes[2].port}" in message.msg
    assert "allkeys-lru" in message.msg


def test_a_start_is_refused_when_the_address_does_not_fit(
    cluster: ValkeyCluster, platform: SessionServices, settings: Any
) -> None:
    assert checks.redis_is_what_its_address_says(None) == []
    single = redis.Redis.from_url(cluster.nodes[0].url)
    settings.REDIS_URL = cluster.nodes[0].url
    redis_clients.forget()
    (message,) = checks.redis_is_what_its_address_says(None)
    assert "written as a single server's" in message.msg
    settings.REDIS_URL = cluster.url
    redis_clients.forget()
    single.close()


def test_scripts_without_their_source_and_errors_are_told_call_by_call(owners: list[Customer], tmp_path: Any) -> None:
    path = tmp_path / "fails.lua"
    path.write_text("if ARGV[1] == 'no' then return redis.error_reply('no') end return redis.call('INCR', KEYS[1])")
    script = LuaScript(path)
    keys = [redis_keys.of_tenant(owner.id, "counted") for owner in owners]
    assert script.each([([key], ["yes"]) for key in keys]) == [1, 1, 1]
    first, second, third = script.outcomes(
        [([key], [word]) for key, word in zip(keys, ("yes", "no", "yes"), strict=True)]
    )
    assert (first, third) == (2, 2)
    assert isinstance(second, redis.ResponseError)


def test_readiness_is_told_server_by_server(cluster: ValkeyCluster, api: Client) -> None:
    assert api.get("/readyz").status_code == 200
    cluster.nodes[0].kill()
    try:
        ready = api.get("/readyz")
        assert ready.status_code == 200, ready.content
        assert ready.json()["checks"]["redis"]["missing"] == [f"127.0.0.1:{cluster.nodes[0].port}"]
    finally:
        cluster.bring_back_empty(cluster.nodes[0])
