"""A SELECT that is asked thousands of times a second: many questions in one call, by libpq itself.

psycopg's cursor takes longer than the server does. Not for transactions: what it reads is what is committed now.
"""

from collections.abc import Sequence
from typing import Any, cast
from weakref import WeakSet

import psycopg
from django.db import connection as django_connection
from psycopg import Connection
from psycopg.generators import execute
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGresult
from psycopg_pool import ConnectionPool

from dpp_project.postgresql.base import DatabaseWrapper

# Whoever has another way to ask should take it before its caller has waited long.
_PATIENCE_SEC = 0.1

Row = tuple[bytes | None, ...]


class Lookup:
    """Each parameter of the statement is an array, with one value of every question; the first column of its result
    is the number of the question, from 1. It has as many connections of its own as it may be asked at a time.
    """

    def __init__(self, name: str, sql: str, *, connections: int) -> None:
        self._name = name.encode()
        self._sql = sql.encode()
        self._prepared_on: WeakSet[Connection[Any]] = WeakSet()
        django = cast("DatabaseWrapper", django_connection)
        self._pool: ConnectionPool[Any] = django.new_pool(
            min_size=1, max_size=connections, timeout=_PATIENCE_SEC, open=False
        )

    def open(self) -> None:
        """Connect. To be called once in every process that asks; may be called again."""
        self._pool.open()

    def __call__(self, questions: Sequence[tuple[str, ...]]) -> list[Row | None]:
        """For each question its row as PostgreSQL writes it, None where there is none. Raises `psycopg.Error`."""
        connection = self._pool.getconn()
        try:
            return self._ask(connection, questions)
        except BaseException:
            connection.close()  # the pool makes another one
            raise
        finally:
            self._pool.putconn(connection)

    def _ask(self, connection: Connection[Any], questions: Sequence[tuple[str, ...]]) -> list[Row | None]:
        params = [_array(values) for values in zip(*questions, strict=True)]
        server = connection.pgconn
        if connection.prepare_threshold is None:
            server.send_query_params(self._sql, params)
        else:
            if connection not in self._prepared_on:
                server.send_prepare(self._name, self._sql)
                self._prepared_on.add(connection)
                _raise_if_refused(connection, connection.wait(execute(server))[-1], ExecStatus.COMMAND_OK)
            server.send_query_prepared(self._name, params)
        result = connection.wait(execute(server))[-1]
        _raise_if_refused(connection, result, ExecStatus.TUPLES_OK)
        rows: list[Row | None] = [None] * len(questions)
        for found in range(result.ntuples):
            number, *row = (result.get_value(found, column) for column in range(result.nfields))
            rows[int(number or 0) - 1] = tuple(row)
        return rows


def _raise_if_refused(connection: Connection[Any], result: "PGresult", expected: ExecStatus) -> None:
    if result.status != expected:
        raise psycopg.errors.error_from_result(result, connection.info.encoding)


def _array(values: Sequence[str]) -> bytes:
    """As PostgreSQL reads it: every value quoted."""
    quoted = (value.replace("\\", "\\\\").replace('"', '\\"') for value in values)
    return ("{" + ",".join(f'"{value}"' for value in quoted) + "}").encode()
