"""Django's PostgreSQL backend with a connection pool whose check costs no round trip and no pause."""

import select
import time
from collections.abc import Callable
from typing import Any

from django.db.backends.base.base import NO_DB_ALIAS
from django.db.backends.postgresql import base
from psycopg import Connection
from psycopg_pool import ConnectionPool


def still_open(connection: "Connection[Any]") -> None:
    """A server says nothing on an idle connection, but that it has closed it. Silence is health; a word is looked into.

    Raises as psycopg's own check does, which asks the server each time.
    """
    listener = select.poll()
    listener.register(connection.fileno(), select.POLLIN)
    if listener.poll(0):
        ConnectionPool.check_connection(connection)


class Pool(ConnectionPool["Connection[Any]"]):
    """Its own check would pause for a second after each dead connection: after a failover all are dead, and whoever
    waits a second gets none. Ours asks nobody, so the next one is taken at once."""

    def getconn(self, timeout: float | None = None) -> "Connection[Any]":
        ends = time.monotonic() + (self.timeout if timeout is None else timeout)
        while True:
            connection = super().getconn(ends - time.monotonic())
            try:
                still_open(connection)
            except Exception:
                connection.close()
                self.putconn(connection)  # which replaces it
            else:
                return connection


class DatabaseWrapper(base.DatabaseWrapper):
    # Django's own, which its type stubs leave out.
    _connection_pools: "dict[str, ConnectionPool[Any]]"
    _configure_connection: "Callable[[Connection[Any]], None]"

    @property
    def pool(self) -> "ConnectionPool[Any] | None":
        """As Django makes it, with our check."""
        if self.alias == NO_DB_ALIAS:
            return None
        if self.alias not in self._connection_pools:
            pool = self.new_pool(open=False, **self.settings_dict["OPTIONS"]["pool"])
            self._connection_pools.setdefault(self.alias, pool)
        return self._connection_pools[self.alias]

    def new_pool(self, **options: Any) -> "ConnectionPool[Any]":
        return Pool(
            kwargs={**self.get_connection_params(), "autocommit": True},
            configure=self._configure_connection,
            **options,
        )
