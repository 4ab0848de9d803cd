"""Of many that want a document one downloads it; the others wait, but for nobody that is gone, and not for ever."""

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connections

from dpp_project.redis import client
from packs.cache import CACHE, CacheKey
from packs.cache.document_cache import DocumentCache, Found
from packs.fetch import FailedCode, FetchFailed, FetchPolicy
from runs.documents.flights import Downloading, FlightAnswer, Flights
from runs.models import DocumentFlight
from tests.cache.office import QUICK, SITE, Offices, downloads, slow
from tests.cache.test_flights import silent_for
from tests.packs.fetch.zoo import Request, Zoo, page, respond

# The contract's own waits, which a download on a busy machine does not outlast, and the time for all of them.
PATIENT: dict[str, Any] = {"limits": CACHE, "policy": FetchPolicy(timeout_sec=10)}


def test_two_processes_at_once_download_once(office: Offices, zoo: Zoo) -> None:
    zoo.site(SITE, slow(0.3))
    together = threading.Barrier(8)

    def run(_: int) -> bytes:
        here = office(**PATIENT)
        together.wait()
        try:
            return here.fetch("acme", timeout_sec=10).document.body
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        bodies = list(pool.map(run, range(8)))
    assert bodies == [b"<p>late</p>"] * 8
    assert downloads(zoo) == 1


def test_a_failed_download_releases_the_row(office: Offices, zoo: Zoo) -> None:
    zoo.site(SITE, page("x"), certificate="expired")
    with pytest.raises(FetchFailed) as failed:
        office().fetch("acme")
    assert failed.value.code is FailedCode.TLS_INVALID
    assert DocumentFlight.objects.count() == 0


def test_a_dead_owner_is_not_waited_for_nor_robbed(office: Offices, zoo: Zoo) -> None:
    """Given the row of a process that was killed, silent for longer than a download can last, Expect the document at
    once, from the site, and the row left as it is."""
    here, dead = office(**PATIENT), uuid4()
    Flights(CACHE).acquire(here.key(), dead)
    silent_for(CACHE.flight_dead_sec + 1)
    began = time.monotonic()
    here.fetch("acme", timeout_sec=10)
    assert time.monotonic() - began < 5 < sum(CACHE.flight_backoff_sec)
    assert DocumentFlight.objects.get().owner == dead


def test_those_who_go_without_a_dead_owners_row_still_share(office: Offices, zoo: Zoo) -> None:
    """Given a dead owner's row and a host that gives one at a time, Expect the first one's copy for the others."""
    zoo.site(SITE, slow(0.2))
    limits = replace(QUICK, host_slots=1, host_attempts=100)
    policy = FetchPolicy(timeout_sec=10)
    Flights(QUICK).acquire(office().key(), uuid4())
    silent_for(QUICK.flight_dead_sec + 1)

    def run(_: int) -> int:
        try:
            here = office(limits=limits, policy=policy)
            return here.fetch("acme", timeout_sec=10).document.status_code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(run, range(4))) == [200] * 4
    assert downloads(zoo) == 1


def test_after_five_minutes_the_row_is_taken_over(office: Offices, zoo: Zoo) -> None:
    here = office()
    Flights(QUICK).acquire(here.key(), uuid4())
    silent_for(301)
    here.fetch("acme")
    assert DocumentFlight.objects.get().state == "CACHED"


def test_a_download_that_does_not_end_is_given_up_with_a_reason(office: Offices, zoo: Zoo) -> None:
    here = office(policy=FetchPolicy(timeout_sec=10))
    Flights(QUICK).acquire(here.key(), uuid4())
    began = time.monotonic()
    with pytest.raises(FetchFailed) as failed:
        here.fetch("acme", timeout_sec=10)
    assert failed.value.code is FailedCode.TIMEOUT
    assert sum(QUICK.flight_backoff_sec) <= time.monotonic() - began < 6
    assert downloads(zoo) == 0


def test_the_waits_of_a_loser_double_six_times(office: Offices, zoo: Zoo) -> None:
    """Given a row that stays somebody else's, Expect the first look, and six more, each after twice the wait."""
    assert CACHE.flight_backoff_sec == (0.1, 0.2, 0.4, 0.8, 1.6, 3.2)
    looked_at: list[float] = []
    asked_rows = 0

    class Watched(Flights):
        def acquire(self, key: CacheKey, owner: UUID, *, copy_missing_of: UUID | None = None) -> FlightAnswer:
            nonlocal asked_rows
            asked_rows += 1
            return super().acquire(key, owner, copy_missing_of=copy_missing_of)

    class WatchedCache(DocumentCache):
        def find_fresh(
            self, key: CacheKey, url: str, *, now: datetime, not_before: datetime | None = None
        ) -> Found | None:
            looked_at.append(time.monotonic())
            return super().find_fresh(key, url, now=now, not_before=not_before)

    here = office(**PATIENT)
    Flights(CACHE).acquire(here.key(), uuid4())
    here.documents._flights = Watched(CACHE)
    here.documents._cache.__class__ = WatchedCache
    with pytest.raises(FetchFailed) as failed:
        here.fetch("acme", timeout_sec=10)
    assert not failed.value.began
    gaps = [after - before for before, after in pairwise(looked_at[:7])]
    assert len(gaps) == 6
    assert all(wait <= gap < wait + 3 for wait, gap in zip(CACHE.flight_backoff_sec, gaps, strict=True)), gaps
    # The copy is looked for each time, the hot row only at first and at every third look.
    assert asked_rows == 3
    assert downloads(zoo) == 0


def test_losers_learn_from_the_cache_that_the_site_refused(office: Offices, zoo: Zoo) -> None:
    """Given eight that want a document and a site that says 503, Expect one question to the site, and its answer for
    all, long before the last wait."""

    def refuse(tls: socket.socket, _: Request) -> None:
        time.sleep(0.3)
        respond(tls, b"", status=503)

    zoo.site(SITE, refuse)
    together = threading.Barrier(8)

    def run(_: int) -> tuple[int, int | None]:
        here = office(**PATIENT)
        together.wait()
        try:
            document = here.fetch("acme", timeout_sec=10).document
            return document.status_code, document.retry_after_sec
        finally:
            connections.close_all()

    began = time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(run, range(8)))
    assert {status for status, _ in answers} == {503}
    assert all(seconds is not None and 20 <= seconds <= 30 for _, seconds in answers)
    assert downloads(zoo) == 1
    assert time.monotonic() - began < 5 < sum(CACHE.flight_backoff_sec)


def test_a_copy_that_redis_has_lost_is_downloaded_by_one(office: Offices, zoo: Zoo) -> None:
    office().fetch("acme")
    client().flushall()
    here = office()
    here.fetch("acme")
    assert downloads(zoo) == 2
    assert DocumentFlight.objects.get().state == "CACHED"


def test_a_document_that_is_not_kept_makes_nobody_wait(office: Offices, zoo: Zoo) -> None:
    """Given a page in the place of a file, which no cache takes, Expect everybody to ask for himself at once."""
    zoo.site(SITE, page("<html><title>Log in</title>", content_type="application/pdf"))
    office().fetch("acme")
    assert DocumentFlight.objects.get().state == "UNCACHED"
    here = office(**PATIENT)
    began = time.monotonic()
    here.fetch("acme", timeout_sec=10)
    assert time.monotonic() - began < 5 < sum(CACHE.flight_backoff_sec)
    assert downloads(zoo) == 2


def test_the_row_is_the_owners_until_the_end(office: Offices, zoo: Zoo) -> None:
    """Given a download under way, When another asks for the row meanwhile, Expect that it is told of it."""
    arrived, release = threading.Event(), threading.Event()

    def wait_for_release(tls: socket.socket, _: Request) -> None:
        arrived.set()
        release.wait(30)
        respond(tls, b"<p>late</p>")

    zoo.site(SITE, wait_for_release)
    here = office(**PATIENT)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(here.fetch, "acme", timeout_sec=10)
        assert arrived.wait(30)
        meanwhile = Flights(CACHE).acquire(here.key(), uuid4())
        release.set()
        running.result()
        pool.submit(connections.close_all).result()
    assert isinstance(meanwhile, Downloading)
