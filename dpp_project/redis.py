"""The Redis clients of a process, and Lua scripts called by SHA.

Four things are kept in Redis, in one server or in several: `Store` names them. A script's keys are all of one store.
Redis may forget everything at any moment. Callers treat `RedisError` as "unknown", never as "no".
"""

import functools
import hashlib
import os
from collections import deque
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

import redis
from django.conf import settings
from redis.backoff import ExponentialBackoff
from redis.exceptions import ClusterDownError, NoScriptError, ReadOnlyError
from redis.retry import Retry

from dpp_project.dependency import REDIS, REDIS_CACHE, REDIS_EVENTS, REDIS_LIMITS, Dependency, DependencySilent

_TIMEOUT_SERVING_SEC = 1.0

# A server that was demoted (READONLY), or has lost its primary (MASTERDOWN) or its cluster (CLUSTERDOWN), keeps its
# connections open and refuses every write on them: only a new connection reaches the server that took over.
# (LOADING is a connection error of the client's already.)
_SERVER_WAS_REPLACED = (ReadOnlyError, ClusterDownError)


class Store(StrEnum):
    """What is kept in Redis, by what may have a server of its own. `docs/redis.md` has the keys of each."""

    LEDGER = "ledger"
    """Money, and what is asked in one step with it: keys of requests, limits of submits, leases, cursors of jobs."""
    EVENTS = "events"
    CACHE = "cache"
    """Copies of documents, and who downloads what."""
    LIMITS = "limits"
    """All limits but those of submits."""

    @property
    def url(self) -> str:
        return str(settings.REDIS_URLS_APART.get(self) or settings.REDIS_URL)

    @property
    def is_apart(self) -> bool:
        """Not in the ledger's server."""
        return self.url != Store.LEDGER.url

    @property
    def server(self) -> Dependency:
        return _APART[self] if self.is_apart else REDIS


_APART = {Store.EVENTS: REDIS_EVENTS, Store.CACHE: REDIS_CACHE, Store.LIMITS: REDIS_LIMITS}


@functools.cache
def client(store: Store = Store.LEDGER) -> "redis.Redis":
    if store is not Store.LEDGER and not store.is_apart:
        return client()
    return redis.Redis.from_url(
        store.url,
        decode_responses=True,
        socket_connect_timeout=1,
        # A process that serves must answer its caller within three seconds: it asks a silent server once.
        socket_timeout=_TIMEOUT_SERVING_SEC if REDIS.is_protected else 2,
        # One retry: every script of ours may be applied twice without harm.
        retry=_retry(after_timeouts=not REDIS.is_protected),
        retry_on_error=list(_SERVER_WAS_REPLACED),
        health_check_interval=30,
    )


def _retry(*, after_timeouts: bool) -> Retry:
    backoff = ExponentialBackoff(cap=0.1, base=0.02)
    return Retry(backoff, 1) if after_timeouts else Retry(backoff, 1, (redis.ConnectionError,))


class LuaScript:
    """One Lua file, called by SHA and loaded again when Redis has forgotten it (NOSCRIPT).

    A script that does in one step what others do alone calls them by name: each file it `uses` becomes a function of
    KEYS and ARGV, named like the file. A `library` is put before all of it as it is. With a `patience_sec` a late
    answer is an error, and is not asked for again: for callers who know another way.
    """

    def __init__(
        self,
        path: Path,
        *,
        uses: tuple[Path, ...] = (),
        library: Path | None = None,
        patience_sec: float | None = None,
        store: Store = Store.LEDGER,
    ) -> None:
        functions = (f"local function {used.stem}(KEYS, ARGV)\n{_text(used)}\nend\n" for used in uses)
        self.source = (_text(library) if library else "") + "".join(functions) + _text(path)
        self.name = path.stem
        self._store = store
        self._patience_sec = patience_sec
        self._sha = hashlib.sha1(self.source.encode(), usedforsecurity=False).hexdigest()

    @functools.cached_property
    def _connections(self) -> "_Connections":
        return _Connections(self._store, self._patience_sec) if self._patience_sec else _shared(self._store)

    def __call__(self, *, keys: list[str], args: list[str]) -> Any:
        return self.each([(keys, args)])[0]

    def each(self, calls: Sequence[tuple[list[str], list[str]]]) -> list[Any]:
        """The answers to several calls in one round trip. An error is raised after all of them were made."""
        tails = [(str(len(keys)), *keys, *args) for keys, args in calls]
        answers = self._connections.ask([("EVALSHA", self._sha, *tail) for tail in tails])
        forgotten = [number for number, answer in enumerate(answers) if isinstance(answer, NoScriptError)]
        if forgotten:
            given_again = self._connections.ask([("EVAL", self.source, *tails[number]) for number in forgotten])
            for number, answer in zip(forgotten, given_again, strict=True):
                answers[number] = answer
        for answer in answers:
            if isinstance(answer, redis.ResponseError):
                raise answer
        return answers


class _Connections:
    """Connections at rest. The client's own way to one and back takes five times as long as Redis takes to answer."""

    def __init__(self, store: Store, patience_sec: float | None = None) -> None:
        self._store = store
        self._patience_sec = patience_sec
        self._resting: deque[Any] = deque()
        os.register_at_fork(after_in_child=self._resting.clear)

    @functools.cached_property
    def _server(self) -> Dependency:
        return self._store.server

    def ask(self, commands: list[tuple[str, ...]]) -> list[Any]:
        """The answers, errors among them. A server that is silent is one that is gone."""
        try:
            with self._server.call():
                return self._ask(commands)
        except DependencySilent as error:
            raise redis.ConnectionError(str(error)) from error
        except redis.TimeoutError:
            self._server.got_no_answer(within_sec=self._patience_sec or _TIMEOUT_SERVING_SEC)
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
        pool = client(self._store).connection_pool
        limits = {}
        if self._patience_sec and REDIS.is_protected:
            limits = {
                "socket_timeout": self._patience_sec,
                "socket_connect_timeout": self._patience_sec,
                "retry": _retry(after_timeouts=False),
            }
        return pool.connection_class(**{**pool.connection_kwargs, **limits})


_SHARED = _Connections(Store.LEDGER)


@functools.cache
def _shared(store: Store) -> _Connections:
    """Of all scripts that ask this server."""
    return _Connections(store) if store.is_apart else _SHARED


def _answer(connection: Any) -> Any:
    try:
        return connection.read_response()
    except _SERVER_WAS_REPLACED:
        raise
    except redis.ResponseError as error:
        return error


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
