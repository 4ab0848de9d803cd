"""The row that is the lock: who gets it, who may end it, who takes it over."""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, connection, connections

from packs.cache import CACHE, CacheKey
from runs.documents import flights as module
from runs.documents.flights import Acquired, Cached, Downloading, FlightAnswer, Flights, Uncached
from runs.models import DocumentFlight
from tests.services import SessionServices

KEY = CacheKey("a" * 64, "acme")
ALICE, BOB = uuid4(), uuid4()


@pytest.fixture
def flights(fleet: SessionServices) -> Flights:
    return Flights(CACHE)


def silent_for(seconds: float) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE document_flights SET touched_at = statement_timestamp() - make_interval(secs => %s)", [seconds]
        )


def settled_is_over() -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE document_flights SET settled_until = statement_timestamp() - interval '1 second'")


def row() -> tuple[str, UUID] | None:
    return DocumentFlight.objects.values_list("state", "owner").first()


def test_the_first_acquires_the_second_is_told_of_the_download(flights: Flights) -> None:
    assert flights.acquire(KEY, ALICE) == Acquired()
    answer = flights.acquire(KEY, BOB)
    assert isinstance(answer, Downloading)
    assert 0 <= answer.silent_sec < 5


def test_of_many_at_once_one_acquires(flights: Flights) -> None:
    together = Barrier(16)

    def ask(_: int) -> FlightAnswer:
        together.wait()
        try:
            return flights.acquire(KEY, uuid4())
        finally:
            connections.close_all()

    for _round in range(5):
        DocumentFlight.objects.all().delete()
        with ThreadPoolExecutor(16) as pool:
            answers = list(pool.map(ask, range(16)))
        assert sum(isinstance(answer, Acquired) for answer in answers) == 1
        assert sum(isinstance(answer, Downloading) for answer in answers) == 15


def test_an_answer_lost_on_its_way_is_given_again(flights: Flights) -> None:
    flights.acquire(KEY, ALICE)
    assert flights.acquire(KEY, ALICE) == Acquired()


def test_a_completed_flight_is_cached_until_its_time_is_over(flights: Flights) -> None:
    flights.acquire(KEY, ALICE)
    assert flights.complete(KEY, ALICE, stored=True)
    assert flights.acquire(KEY, BOB) == Cached(ALICE)
    settled_is_over()
    assert flights.acquire(KEY, BOB) == Acquired()


def test_a_document_that_nobody_could_keep_is_not_waited_for(flights: Flights) -> None:
    flights.acquire(KEY, ALICE)
    flights.complete(KEY, ALICE, stored=False)
    assert flights.acquire(KEY, BOB) == Uncached()
    settled_is_over()
    assert flights.acquire(KEY, BOB) == Acquired()


def test_a_copy_that_is_gone_is_fetched_again_by_one(flights: Flights) -> None:
    flights.acquire(KEY, ALICE)
    flights.complete(KEY, ALICE, stored=True)
    assert flights.acquire(KEY, BOB, copy_missing_of=ALICE) == Acquired()
    assert isinstance(flights.acquire(KEY, uuid4(), copy_missing_of=ALICE), Downloading)


def test_a_failure_releases_the_row(flights: Flights) -> None:
    flights.acquire(KEY, ALICE)
    assert flights.abort(KEY, ALICE)
    assert flights.acquire(KEY, BOB) == Acquired()


def test_a_silent_owner_is_taken_over_after_five_minutes_and_not_before(flights: Flights) -> None:
    flights.acquire(KEY, ALICE)
    silent_for(295)
    assert isinstance(flights.acquire(KEY, BOB), Downloading)
    silent_for(301)
    assert flights.acquire(KEY, BOB) == Acquired()
    assert row() == ("DOWNLOADING", BOB)


def test_an_owner_that_was_taken_over_can_end_nothing(flights: Flights) -> None:
    """Given Alice, paused for longer than five minutes, When she goes on, Expect Bob's flight untouched."""
    flights.acquire(KEY, ALICE)
    silent_for(301)
    flights.acquire(KEY, BOB)
    assert not flights.complete(KEY, ALICE, stored=True)
    assert not flights.abort(KEY, ALICE)
    assert row() == ("DOWNLOADING", BOB)


def test_a_completed_flight_cannot_be_aborted(flights: Flights) -> None:
    flights.acquire(KEY, ALICE)
    flights.complete(KEY, ALICE, stored=True)
    assert not flights.abort(KEY, ALICE)
    assert row() == ("CACHED", ALICE)


def test_rows_nobody_asks_for_are_swept_away(flights: Flights) -> None:
    for number in range(3):
        flights.acquire(CacheKey(str(number), "acme"), ALICE)
    silent_for(CACHE.document_kept_sec + 1)
    flights.acquire(KEY, ALICE)
    flights.complete(KEY, ALICE, stored=True)
    assert DocumentFlight.objects.count() == 2
    flights.acquire(CacheKey("other", "acme"), BOB)
    flights.complete(CacheKey("other", "acme"), BOB, stored=True)
    assert set(DocumentFlight.objects.values_list("cache_key", flat=True)) == {KEY.digest, "other"}


def test_the_database_refuses_a_flight_that_is_both(fleet: SessionServices) -> None:
    Flights(CACHE).acquire(KEY, ALICE)
    with pytest.raises(IntegrityError):
        DocumentFlight.objects.update(state="CACHED")


# --- nothing of it lives in a session (the proof with a real PgBouncer is `make prove-pgbouncer`)


def test_every_step_works_on_a_session_that_has_never_seen_the_ones_before(flights: Flights) -> None:
    """Given a new server process for every single statement, Expect the same life as ever."""

    def elsewhere() -> int:
        connection.close()
        connection.close_pool()  # type: ignore[attr-defined]
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            pid: int = cursor.fetchone()[0]
        connection.close()
        return pid

    sessions = {elsewhere()}
    assert flights.acquire(KEY, ALICE) == Acquired()
    sessions.add(elsewhere())
    assert isinstance(flights.acquire(KEY, BOB), Downloading)
    sessions.add(elsewhere())
    assert flights.complete(KEY, ALICE, stored=True)
    sessions.add(elsewhere())
    assert flights.acquire(KEY, BOB, copy_missing_of=ALICE) == Acquired()
    sessions.add(elsewhere())
    assert flights.abort(KEY, BOB)
    assert len(sessions) == 5


def test_no_step_keeps_a_connection(flights: Flights) -> None:
    flights.acquire(KEY, ALICE)
    assert connection.connection is None
    flights.abort(KEY, ALICE)
    assert connection.connection is None


SESSION_FEATURES = re.compile(
    r"advisory|\bLISTEN\b|\bPREPARE\b|\bSET\s+(SESSION|LOCAL)|\bTEMP|\bDECLARE\b|\bBEGIN\b", re.I
)


def test_no_statement_uses_a_feature_of_sessions() -> None:
    statements = [text for name, text in vars(module).items() if name.startswith("_") and isinstance(text, str)]
    statements = [text for text in statements if "document_flights" in text]
    assert len(statements) == 4
    assert [text for text in statements if SESSION_FEATURES.search(text)] == []


@pytest.mark.parametrize("planted", ["SELECT pg_advisory_lock(1)", "LISTEN documents", "PREPARE a AS SELECT 1"])
def test_a_planted_feature_of_sessions_is_found(planted: str) -> None:
    assert SESSION_FEATURES.search(planted)


def test_a_shorter_takeover_is_refused() -> None:
    with pytest.raises(AssertionError):
        replace(CACHE, flight_takeover_sec=10)
