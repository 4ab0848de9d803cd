"""Connections to one Redis server for those who ask it all the time: Lua scripts."""

import functools
import os
from collections import deque
from collections.abc import Callable
from typing import Any

import redis
from redis.backoff import ExponentialBackoff
from redis.exceptions import ClusterDownError, ReadOnlyError
from redis.retry import Retry

from dpp_project.dependency import REDIS, Dependency, DependencySilent

TIMEOUT_SERVING_SEC = 1.0

# A server that was demoted (READONLY), or has lost its primary (MASTERDOWN) or its cluster (CLUSTERDOWN), keeps its
# connections open and refuses every write on them: only a new connection reaches the server that took over.
# (LOADING is a connection error of the client's already.)
SERVER_WAS_REPLACED = (ReadOnlyError, ClusterDownError)


def retry_once(*, after_timeouts: bool) -> Retry:
    """Every script of ours may be applied twice without harm."""
    backoff = ExponentialBackoff(cap=0.1, base=0.02)
    return Retry(backoff, 1) if after_timeouts else Retry(backoff, 1, (redis.ConnectionError,))


class Connections:
    """Connections at rest. The client's own way to one and back takes five times as long as Redis takes to answer."""

    def __init__(
        self,
        pool: Callable[[], Any],
        server: Callable[[], Dependency],
        *,
        patience_sec: float | None = None,
        retry: Callable[[], Retry] | None = None,
    ) -> None:
        """`pool` is the client's: it knows how to connect. `retry` replaces the pool's own."""
        self._pool = pool
        self._find_server = server
        self._patience_sec = patience_sec
        self._retry = retry
        self._resting: deque[Any] = deque()
        os.register_at_fork(after_in_child=self._resting.clear)

    @functools.cached_property
    def _server(self) -> Dependency:
        return self._find_server()

    def ask(self, commands: list[tuple[str, ...]]) -> list[Any]:
        """The answers, errors among them. A server that is silent is one that is gone."""
        try:
            with self._server.call():
                return self._ask(commands)
        except DependencySilent as error:
            raise redis.ConnectionError(str(error)) from error
        except redis.TimeoutError:
            self._server.got_no_answer(within_sec=self._patience_sec or TIMEOUT_SERVING_SEC)
            raise

    def _ask(self, commands: list[tuple[str, ...]]) -> list[Any]:
        """Asked once more if the connection breaks, as the client does it."""
        try:
            connection = self._resting.pop()
        except IndexError:  # asked first, another thread might take it in between
            connection = self._new_connection()

        def answers() -> list[Any]:
            connection.send_packed_command(connection.pack_commands(commands))
            return [_answer(connection) for _ in commands]

        try:
            return list(connection.retry.call_with_retry(answers, lambda _: connection.disconnect()))
        except BaseException:
            # Whatever came in between: what is still on its way must never be taken for the next one's answer.
            connection.disconnect()
            raise
        finally:
            self._resting.append(connection)

    def _new_connection(self) -> Any:
        pool = self._pool()
        changed: dict[str, Any] = {}
        if self._retry:
            changed["retry"] = self._retry()
        if self._patience_sec and REDIS.is_protected:
            changed = {
                "socket_timeout": self._patience_sec,
                "socket_connect_timeout": self._patience_sec,
                "retry": retry_once(after_timeouts=False),
            }
        return pool.connection_class(**{**pool.connection_kwargs, **changed})


def _answer(connection: Any) -> Any:
    try:
        return connection.read_response()
    except SERVER_WAS_REPLACED:
        raise
    except redis.ResponseError as error:
        return error
