"""Many questions in one SELECT: each gets its own row, whatever stands in it."""

from collections.abc import Iterator

import psycopg
import pytest
from django.db import connection

from dpp_project.postgresql.lookup import Lookup
from tests.services import SessionServices

_ECHO = "SELECT number, value, NULL FROM unnest($1::text[]) WITH ORDINALITY AS asked (value, number)"


@pytest.fixture
def echo(platform: SessionServices) -> Iterator[Lookup]:
    lookup = Lookup("echo", f"{_ECHO} WHERE value <> 'nobody' ORDER BY number DESC", connections=1)
    lookup.open()
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
    answers = []
    for _ in range(50):
        try:
            answers.append(echo([("after",)]))
        except psycopg.Error:
            continue
    assert answers[-1] == [(b"after", None)]


def test_a_refused_statement_is_an_error_and_not_an_empty_answer(platform: SessionServices) -> None:
    wrong = Lookup("wrong", "SELECT 1, no_such_column FROM unnest($1::text[])", connections=1)
    wrong.open()
    for _ in range(2):
        with pytest.raises(psycopg.Error):
            wrong([("x",)])
    wrong._pool.close()


def test_without_prepared_statements_the_answers_are_the_same(
    platform: SessionServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "prepare_threshold", None)
    lookup = Lookup("echo", _ECHO, connections=1)
    lookup.open()
    assert lookup([("one",), ("two",)]) == [(b"one", None), (b"two", None)]
    assert not lookup._prepared_on
    lookup._pool.close()
