"""Without Redis, the database or object storage a document is simply fetched, within its time."""

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.db import connection, connections

from dpp_project.redis import client
from packs.cache import CACHE, Source
from packs.fetch import FailedCode, FetchFailed, FetchPolicy
from runs.access import document_keys
from tests.cache.fleet import CountingSite
from tests.cache.office import PAGE, QUICK, SITE, Office, Offices, slow
from tests.packs.fetch.zoo import Zoo
from tests.services import SessionServices


def three_pages() -> list[str]:
    """New ones: object storage hands copies over while Redis is away, and outlives a test."""
    return [f"{PAGE}/{uuid4()}" for _ in range(3)]


def seconds_for_a_run(office: Office, *urls: str) -> float:
    """What a run does for each URL: ask for the price, then fetch."""
    began = time.monotonic()
    for url in urls:
        office.hit("acme", url)
        assert office.fetch("acme", url, timeout_sec=10).document.status_code == 200
    return time.monotonic() - began


def test_redis_is_down(office: Offices, zoo: Zoo, fleet: SessionServices) -> None:
    fleet.valkey.stop()
    try:
        assert seconds_for_a_run(office(), *three_pages()) < 12
    finally:
        fleet.valkey.start()
        fleet.valkey.wait_ready()
    assert len(zoo.record.requests) == 3


def test_redis_hangs(office: Offices, zoo: Zoo, fleet: SessionServices) -> None:
    """Given a Redis that takes calls and never answers, Expect one wait for it by the cache and one by the
    slots, not one at every step."""
    pid = fleet.valkey.program.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    try:
        # One wait takes four seconds; the cache and the slots wait once each.
        assert seconds_for_a_run(office(), *three_pages()) < 20
    finally:
        os.kill(pid, signal.SIGCONT)
    assert len(zoo.record.requests) == 3


def test_without_redis_many_processes_still_download_once(office: Offices, zoo: Zoo, fleet: SessionServices) -> None:
    """Given no Redis, Expect the row to let one download, and object storage to hand it to the others."""
    url = three_pages()[0]
    zoo.site(SITE, slow(0.5))
    fleet.valkey.stop()
    together = threading.Barrier(6)

    def run(_: int) -> bytes:
        here = office(policy=FetchPolicy(timeout_sec=10), limits=CACHE)
        together.wait()
        try:
            return here.fetch("acme", url, timeout_sec=10).document.body
        finally:
            connections.close_all()

    try:
        with ThreadPoolExecutor(6) as pool:
            assert set(pool.map(run, range(6))) == {b"<p>late</p>"}
    finally:
        fleet.valkey.start()
        fleet.valkey.wait_ready()
    assert len(zoo.record.requests) == 1


def test_without_redis_a_process_keeps_the_hosts_bound(office: Offices, zoo: Zoo, fleet: SessionServices) -> None:
    """Given no Redis and nine tenants at one host, Expect three downloads of this process at once, and no more."""
    site = CountingSite()
    zoo.site(SITE, site)
    here = office(
        policy=FetchPolicy(timeout_sec=10), limits=replace(CACHE, host_attempts=100, host_attempt_gap_sec=0.1)
    )
    fleet.valkey.stop()

    def run(number: int) -> int:
        try:
            return here.fetch(f"tenant-{number}", f"{PAGE}/{uuid4()}", timeout_sec=10).document.status_code
        finally:
            connections.close_all()

    try:
        with ThreadPoolExecutor(9) as pool:
            assert list(pool.map(run, range(9))) == [200] * 9
    finally:
        fleet.valkey.start()
        fleet.valkey.wait_ready()
    assert site.most_at_once == CACHE.host_slots


def test_a_broken_cache_does_not_lift_the_hosts_bound(office: Offices, zoo: Zoo) -> None:
    """Given a cache that failed a moment ago, Expect the slots of the whole fleet to be asked all the same."""
    here = office(limits=replace(QUICK, host_attempts=1))
    ends = (time.time() + 60) * 1000
    client().zadd(document_keys.host_slots(SITE), dict.fromkeys(("one/a", "two/b", "two/c"), ends))
    here.documents._cache._layers._shared[0]._redis._cooling_down.begin()  # type: ignore[attr-defined]
    with pytest.raises(FetchFailed) as failed:
        here.fetch("acme", three_pages()[0])
    assert failed.value.code is FailedCode.HOST_BUSY


def test_the_database_is_down(office: Offices, zoo: Zoo, fleet: SessionServices) -> None:
    connection.close()
    fleet.postgres.stop()
    try:
        here = office()
        # One wait takes five seconds; one for each URL would take fifteen.
        urls = three_pages()
        assert seconds_for_a_run(here, *urls) < 13
        # Only the rows are missing: copies are kept and found all the same.
        assert office().hit("acme", urls[0]) is Source.L2
    finally:
        fleet.postgres.start()
        fleet.postgres.wait_ready()
        # The pool tries again ever more rarely; the next test does not wait for that.
        connection.close_pool()  # type: ignore[attr-defined]
    assert len(zoo.record.requests) == 3


@pytest.fixture
def no_object_storage(settings: LazySettings) -> None:
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {**settings.STORAGES["default"], "OPTIONS": {"endpoint_url": "http://127.0.0.1:9"}},
    }


def test_object_storage_is_down(office: Offices, zoo: Zoo, no_object_storage: None) -> None:
    here = office(keep_documents_in_l3=True)
    assert seconds_for_a_run(here, *three_pages()) < 12
    here.pages.put("ab", {"text": "가"}, tenant_id="acme")
    found = office().pages.find("ab", tenant_id="acme")
    assert found is not None
    assert found.source is Source.L2
