"""Many questions in one SELECT: each gets its own row, whatever stands in it."""

import contextlib
import time
from collections.abc import Iterator

import psycopg
import pytest
from django.db import connection

from dpp_project.postgresql.lookup import Lookup
from tests.services import SessionServices

_ECHO = "SELECT number, value, NULL FROM unnest($1::text[]) WITH ORDINALITY AS asked (value, number)"


def _connected(name: str, sql: str) -> Lookup:
    """A question waits for a connection only a moment, which a busy machine needs to make the first one."""
    lookup = Lookup(name, sql, connections=1)
    lookup.open()
    lookup._pool.wait(30)
    return lookup


@pytest.fixture
def echo(platform: SessionServices) -> Iterator[Lookup]:
    lookup = _connected("echo", f"{_ECHO} WHERE value <> 'nobody' ORDER BY number DESC")
    yield lookup
    lookup._pool.close()


def test_every_question_gets_its_own_row(echo: Lookup) -> None:
    texts = ["plain", "", "NULL", 'a"b', "c\\d", "{e,f}", "고객", "nobody", " g "]
    expected = [None if text == "nobody" else (text.encode(), None) for text in texts]
    assert echo([(text,) for text in texts]) == expected
    assert echo([("again",)]) == [(b"again", None)]


def test_a_broken_connection_is_replaced(echo: Lookup) -> None:
    assert echo([("before",)]) == [(b"before", None)]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%asked (value, number)%'"
            " AND pid <> pg_backend_pid()"
        )
    answer = None
    ends = time.monotonic() + 30
    while answer is None and time.monotonic() < ends:
        with contextlib.suppress(psycopg.Error):
            answer = echo([("after",)])
    assert answer == [(b"after", None)]


def test_a_refused_statement_is_an_error_and_not_an_empty_answer(platform: SessionServices) -> None:
    wrong = _connected("wrong", "SELECT 1, no_such_column FROM unnest($1::text[])")
    for _ in range(2):
        with pytest.raises(psycopg.Error):
            wrong([("x",)])
    wrong._pool.close()


def test_without_prepared_statements_the_answers_are_the_same(
    platform: SessionServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "prepare_threshold", None)
    lookup = _connected("echo", _ECHO)
    assert lookup([("one",), ("two",)]) == [(b"one", None), (b"two", None)]
    assert not lookup._prepared_on
    lookup._pool.close()
