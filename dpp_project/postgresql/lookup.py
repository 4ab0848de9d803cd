"""A SELECT that is asked thousands of times a second: by libpq itself, on a few connections of its own.

psycopg's cursor takes longer than the server does; and a few servers kept busy answer sooner than many that take turns.
Not for transactions: what it reads is what is committed now.
"""

from typing import Any, cast
from weakref import WeakSet

import psycopg
from django.db import connection as django_connection
from psycopg import Connection
from psycopg.pq import ExecStatus
from psycopg_pool import ConnectionPool

from dpp_project.postgresql.base import DatabaseWrapper

_CONNECTIONS = 2
# Whoever has another way to ask should take it before its caller has waited long.
_PATIENCE_SEC = 0.1

Row = tuple[bytes | None, ...]


class Lookup:
    def __init__(self, name: str, sql: str) -> None:
        """Parameters stand in the text as `$1::type`, and are given as text."""
        self._name = name.encode()
        self._sql = sql.encode()
        self._prepared_on: WeakSet[Connection[Any]] = WeakSet()
        django = cast("DatabaseWrapper", django_connection)
        self._pool: ConnectionPool[Any] = django.new_pool(
            min_size=1, max_size=_CONNECTIONS, timeout=_PATIENCE_SEC, open=False
        )

    def open(self) -> None:
        """Connect. To be called once in every process that asks; may be called again."""
        self._pool.open()

    def __call__(self, *params: str) -> Row | None:
        """The first row as PostgreSQL writes it, None if there is none. Raises `psycopg.Error`."""
        connection = self._pool.getconn()
        try:
            return self._ask(connection, [param.encode() for param in params])
        except BaseException:
            connection.close()  # the pool makes another one
            raise
        finally:
            self._pool.putconn(connection)

    def _ask(self, connection: Connection[Any], params: list[bytes]) -> Row | None:
        server = connection.pgconn
        if connection.prepare_threshold is None:
            result = server.exec_params(self._sql, params)
        else:
            if connection not in self._prepared_on:
                server.prepare(self._name, self._sql)
                self._prepared_on.add(connection)
            result = server.exec_prepared(self._name, params)
        if result.status != ExecStatus.TUPLES_OK:
            raise psycopg.errors.error_from_result(result, connection.info.encoding)
        if not result.ntuples:
            return None
        return tuple(result.get_value(0, column) for column in range(result.nfields))
