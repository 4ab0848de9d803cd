"""Django's PostgreSQL backend with a connection pool whose check costs no round trip."""

import select
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
        return ConnectionPool(
            kwargs={**self.get_connection_params(), "autocommit": True},
            configure=self._configure_connection,
            check=still_open,
            **options,
        )
