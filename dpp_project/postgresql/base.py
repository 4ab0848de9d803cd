"""Django's PostgreSQL backend with a connection pool whose check costs no round trip and no pause.

No statement is waited for without an end: a server that is stopped keeps its connections open, so that neither its own
limits nor those of TCP ever come. A caller that has waited too long closes the connection, and nobody uses it again.
"""

import select
import time
from collections.abc import Callable
from typing import Any

from django.db.backends.base.base import NO_DB_ALIAS
from django.db.backends.postgresql import base
from psycopg import Connection, OperationalError
from psycopg.abc import RV, PQGen
from psycopg.errors import _WaitTimeout
from psycopg_pool import ConnectionPool, PoolTimeout

from dpp_project.dependency import POSTGRESQL, DependencySilent

# Longer than the server's own limit for a statement (settings): it comes only where the server cannot keep its own.
_MOST_SEC = 40.0
_LOOK_EACH_SEC = 0.1
# A process that serves gives up on a locked row before its caller does, and so that the server knows of it.
_LOCK_TIMEOUT_SERVING = "-c lock_timeout=2s"


class LimitedConnection(Connection[Any]):
    def wait(self, gen: PQGen[RV], interval: float = _LOOK_EACH_SEC, timeout: float | None = None) -> RV:
        """As psycopg's, with a limit where psycopg gives none."""
        limit = _MOST_SEC
        try:
            with POSTGRESQL.call() as left:
                limit = min(left, _MOST_SEC)
                return super().wait(gen, interval, limit if timeout is None else timeout)
        except DependencySilent as error:
            raise OperationalError(str(error)) from error
        except _WaitTimeout as error:
            if timeout is not None:
                raise
            # Whatever the server is doing, nobody will hear of it on this connection.
            self.pgconn.finish()
            POSTGRESQL.got_no_answer(within_sec=limit)
            raise OperationalError("the database did not answer in time") from error


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
            connection = self._take(ends - time.monotonic())
            try:
                still_open(connection)
            except Exception:
                connection.close()
                self.putconn(connection)  # which replaces it
            else:
                return connection

    def _take(self, timeout: float) -> "Connection[Any]":
        try:
            with POSTGRESQL.call() as left:
                return super().getconn(min(left, timeout))
        except DependencySilent as error:
            raise PoolTimeout(str(error)) from error


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
        params = self.get_connection_params()
        if POSTGRESQL.is_protected:
            params["options"] = f"{params.get('options', '')} {_LOCK_TIMEOUT_SERVING}"
        return Pool(
            connection_class=LimitedConnection,
            kwargs={**params, "autocommit": True},
            configure=self._configure_connection,
            **options,
        )
