"""The Redis clients of a process, and Lua scripts called by SHA.

Four things are kept in Redis, in one server or in several: `Store` names them. A script's keys are all of one store.
Where a store is a cluster, `Store.key` gives the names of its keys the tags that keep together what belongs together.
Redis may forget everything at any moment. Callers treat `RedisError` as "unknown", never as "no".
"""

import functools
import hashlib
import os
import zlib
from collections import deque
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, cast

import redis
from django.conf import settings
from redis.exceptions import ClusterDownError, NoScriptError, ReadOnlyError
from redis.retry import Retry

from dpp_project import redis_address, redis_cluster
from dpp_project.dependency import REDIS, REDIS_CACHE, REDIS_EVENTS, REDIS_LIMITS, Dependency, DependencySilent
from dpp_project.redis_cluster import ClusterClient, ClusterConnections, retry_once

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

    @property
    def is_cluster(self) -> bool:
        return _is_cluster(self)

    @property
    def groups(self) -> int:
        return _GROUPS[self] if self.is_cluster else 1

    @property
    def shares_calls_with_ledger(self) -> bool:
        """One script may have keys of both."""
        return not self.is_apart and not self.is_cluster

    def key(self, name: str, *, of: str | int) -> str:
        """The name that a key has here: on a single server as it is, in a cluster with a hash tag before it. Keys `of`
        the same thing lie together, so that one script may have them all. A number names a group of things itself."""
        if not _is_cluster(self):
            return name
        group = of if isinstance(of, int) else zlib.crc32(of.encode()) % self.groups
        return redis_cluster.tags(self.groups)[group] + name

    def keys(self, name: str) -> list[str]:
        """What is kept once for all things: the names it has in all groups."""
        return [self.key(name, of=group) for group in range(self.groups)]


@functools.cache
def _is_cluster(store: Store) -> bool:
    # Asked for every key of every call.
    return redis_address.is_cluster(store.url)


_APART = {Store.EVENTS: REDIS_EVENTS, Store.CACHE: REDIS_CACHE, Store.LIMITS: REDIS_LIMITS}

# Into how many groups the keys of a cluster are divided, by tenant or by what else they are of. More servers than this
# would have nothing to do. A changed number is a Redis that has forgotten everything.
_GROUPS = {Store.LEDGER: 256, Store.EVENTS: 256, Store.CACHE: 16, Store.LIMITS: 256}


@functools.cache
def client(store: Store = Store.LEDGER) -> "redis.Redis":
    if store is not Store.LEDGER and not store.is_apart:
        return client()
    # A process that serves must answer its caller within three seconds: it asks a silent server once.
    timeout_sec = _TIMEOUT_SERVING_SEC if REDIS.is_protected else 2
    limits: dict[str, Any] = {"socket_connect_timeout": 1, "socket_timeout": timeout_sec, "health_check_interval": 30}
    if store.is_cluster:
        # It has the commands of a single server's client, for keys of one slot each.
        return cast("redis.Redis", redis_cluster.connect(store.url, decode_responses=True, **limits))
    return redis.Redis.from_url(
        store.url,
        decode_responses=True,
        # One retry: every script of ours may be applied twice without harm.
        retry=retry_once(after_timeouts=not REDIS.is_protected),
        retry_on_error=list(_SERVER_WAS_REPLACED),
        **limits,
    )


def cluster_client(store: Store) -> ClusterClient:
    return cast(ClusterClient, client(store))


def servers(store: Store, *, replicas: bool = False) -> dict[str, "redis.Redis"]:
    """A client for each server of the store, by its address. Of a cluster the primaries, or all."""
    if not store.is_cluster:
        return {str(store.server.name): client(store)}
    cluster = cluster_client(store)
    nodes = cluster.nodes(replicas=replicas)
    return {str(node.name): cluster.get_redis_connection(node) for node in nodes}


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
    except _SERVER_WAS_REPLACED:
        raise
    except redis.ResponseError as error:
        return error


@functools.cache
def _connections(store: Store, patience_sec: float | None) -> Connections | ClusterConnections:
    """Of all scripts that ask this server and wait as long."""
    if store is not Store.LEDGER and not store.is_apart:
        return _connections(Store.LEDGER, patience_sec)
    if store.is_cluster:
        to_node = functools.partial(_to_node, store, patience_sec)
        return ClusterConnections(functools.partial(cluster_client, store), to_node)
    return Connections(lambda: client(store).connection_pool, lambda: store.server, patience_sec=patience_sec)


def _to_node(store: Store, patience_sec: float | None, name: str) -> Connections:
    """The library does not try a node again: it would look for another first. We do both."""
    return Connections(
        lambda: cluster_client(store).pool_of(name),
        lambda: store.server.part(name),
        patience_sec=patience_sec,
        retry=functools.partial(retry_once, after_timeouts=not REDIS.is_protected),
    )


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

    @property
    def _connections(self) -> Connections | ClusterConnections:
        return _connections(self._store, self._patience_sec)

    @property
    def asks_cluster(self) -> bool:
        return self._store.is_cluster

    def __call__(self, *, keys: list[str], args: list[str]) -> Any:
        return self.each([(keys, args)])[0]

    def each(self, calls: Sequence[tuple[list[str], list[str]]]) -> list[Any]:
        """The answers to several calls in one round trip. An error is raised after all of them were made."""
        answers = self.outcomes(calls)
        for answer in answers:
            if isinstance(answer, redis.RedisError):
                raise answer
        return answers

    def outcomes(self, calls: Sequence[tuple[list[str], list[str]]]) -> list[Any]:
        """The same with the errors in their places. Raised is what befell all calls."""
        tails = [(str(len(keys)), *keys, *args) for keys, args in calls]
        answers = self._connections.ask([("EVALSHA", self._sha, *tail) for tail in tails])
        forgotten = [number for number, answer in enumerate(answers) if isinstance(answer, NoScriptError)]
        if forgotten:
            given_again = self._connections.ask([("EVAL", self.source, *tails[number]) for number in forgotten])
            for number, answer in zip(forgotten, given_again, strict=True):
                answers[number] = answer
        return answers


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
