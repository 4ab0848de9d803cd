"""Without Redis, the database or object storage a document is simply fetched, within its time."""

import os
import signal
import time

import pytest
from django.conf import LazySettings
from django.db import connection

from packs.cache import Source
from tests.cache.office import PAGE, Office, Offices
from tests.packs.fetch.zoo import Zoo
from tests.services import SessionServices


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
        assert seconds_for_a_run(office(), PAGE, f"{PAGE}/2", f"{PAGE}/3") < 12
    finally:
        fleet.valkey.start()
        fleet.valkey.wait_ready()
    assert len(zoo.record.requests) == 3


def test_redis_hangs(office: Offices, zoo: Zoo, fleet: SessionServices) -> None:
    """Given a Redis that takes calls and never answers, Expect one wait for it, not one at every step."""
    pid = fleet.valkey.program.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    try:
        # One wait takes four seconds.
        assert seconds_for_a_run(office(), PAGE, f"{PAGE}/2", f"{PAGE}/3") < 20
    finally:
        os.kill(pid, signal.SIGCONT)
    assert len(zoo.record.requests) == 3


def test_the_database_is_down(office: Offices, zoo: Zoo, fleet: SessionServices) -> None:
    connection.close()
    fleet.postgres.stop()
    try:
        here = office()
        # One wait takes five seconds; one for each URL would take fifteen.
        assert seconds_for_a_run(here, PAGE, f"{PAGE}/2", f"{PAGE}/3") < 13
        # Only the rows are missing: copies are kept and found all the same.
        assert office().hit("acme") is Source.L2
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
    assert seconds_for_a_run(here, PAGE, f"{PAGE}/2", f"{PAGE}/3") < 12
    here.pages.put("ab", {"text": "가"}, tenant_id="acme")
    found = office().pages.find("ab", tenant_id="acme")
    assert found is not None
    assert found.source is Source.L2
