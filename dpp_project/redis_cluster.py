"""Redis as a cluster: several servers, each with a share of the slots in which keys lie.

The client library knows which server has which slot. Scripts go to the server of their first key on connections of our
own, as on a single server; one that hangs or is gone keeps only those waiting whose keys lie there.
"""

import functools
import itertools
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol, cast

import redis
from redis.backoff import ExponentialBackoff
from redis.cluster import PRIMARY, ClusterNode, RedisCluster
from redis.crc import key_slot
from redis.exceptions import (
    AskError,
    ClusterDownError,
    MovedError,
    RedisClusterException,
    SlotNotCoveredError,
    TryAgainError,
)
from redis.retry import Retry

from dpp_project.dependency import REDIS
from dpp_project.redis_address import ClusterAddress

SLOTS = 16_384
# A slot on its way to another server: ASK and TRYAGAIN end with the move, which takes as long as its keys are many.
_MOST_TIMES_ASKED = 20
_TRY_AGAIN_AFTER_SEC = 0.05
_REFRESH_EVERY_SEC = 0.5


def retry_once(*, after_timeouts: bool) -> Retry:
    """Every script of ours may be applied twice without harm."""
    backoff = ExponentialBackoff(cap=0.1, base=0.02)
    return Retry(backoff, 1) if after_timeouts else Retry(backoff, 1, (redis.ConnectionError,))


@functools.cache
def tags(number: int) -> tuple[str, ...]:
    """So many hash tags, whose slots divide all slots into equal shares: every server gets as many of them as it has of
    the slots."""
    found: dict[int, str] = {}
    for text in map(str, itertools.count()):
        found.setdefault(key_slot(text.encode()) * number // SLOTS, f"{{{text}}}:")
        if len(found) == number:
            return tuple(found[share] for share in range(number))
    raise AssertionError("unreachable: there are endless texts")


class ClusterClient(RedisCluster):
    """The library's client. Its errors are those of a single server: callers catch `redis.RedisError`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._refreshing = threading.Lock()
        self._refreshed_at = 0.0
        try:
            super().__init__(*args, **kwargs)
        except RedisClusterException as error:
            raise redis.ConnectionError(str(error)) from error

    def execute_command(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().execute_command(*args, **kwargs)  # type: ignore[no-untyped-call]
        except RedisClusterException as error:
            raise redis.ConnectionError(str(error)) from error

    def node_of(self, key: str) -> ClusterNode:
        """Who has the key, as far as is known."""
        try:
            return cast(ClusterNode, self.get_node_from_key(key))  # type: ignore[no-untyped-call]
        except RedisClusterException as error:
            raise redis.ConnectionError(str(error)) from error

    def nodes(self, *, replicas: bool) -> list[ClusterNode]:
        """The primaries, or all."""
        found = self.nodes_manager.nodes_cache.values()
        return [node for node in found if replicas or node.server_type == PRIMARY]

    def pool_of(self, name: str) -> Any:
        host, _, port = name.rpartition(":")
        # A slot may move to a server that nobody has told us of yet.
        node = self.nodes_manager.get_node(node_name=name) or _node(host, int(port))
        return self.get_redis_connection(node).connection_pool

    def follow(self, error: MovedError) -> None:
        """The slot has another server."""
        try:
            self.nodes_manager.move_slot(error)
        except KeyError:  # nobody had it
            self.refresh()

    def refresh(self, failed: str | None = None) -> None:
        """Look anew who has which slot. One caller at a time and not all the time; who comes meanwhile goes on."""
        if not self._refreshing.acquire(blocking=False):
            return
        try:
            if time.monotonic() - self._refreshed_at >= _REFRESH_EVERY_SEC:
                self.nodes_manager.initialize(last_failed_node_name=failed)
        except (RedisClusterException, redis.RedisError):
            pass  # nobody answers: what is known stays
        finally:
            self._refreshed_at = time.monotonic()
            self._refreshing.release()


class _ServingClusterClient(ClusterClient):
    """Of a process whose callers wait: a server that is silent is asked once."""

    ERRORS_ALLOW_RETRY = (redis.ConnectionError, ClusterDownError, SlotNotCoveredError)  # type: ignore[assignment]


def connect(url: str, **limits: Any) -> ClusterClient:
    """Raises `redis.ConnectionError` if none of the named servers answers."""
    address = ClusterAddress.of(url)
    kind = _ServingClusterClient if REDIS.is_protected else ClusterClient
    return kind(
        url=address.first,
        startup_nodes=[_node(host, port) for host, port in address.others],
        # A server that is gone takes its slots along; the others go on.
        require_full_coverage=False,
        retry=retry_once(after_timeouts=True),
        **limits,
    )


class AsksOneServer(Protocol):
    def ask(self, commands: list[tuple[str, ...]]) -> list[Any]: ...


class ClusterConnections:
    """As `Connections`, to all servers of a cluster. Calls to several of them are made one after the other."""

    def __init__(self, cluster: Callable[[], ClusterClient], to_node: Callable[[str], AsksOneServer]) -> None:
        self._cluster = cluster
        self._to_node = to_node
        self._by_name: dict[str, AsksOneServer] = {}

    def ask(self, commands: list[tuple[str, ...]]) -> list[Any]:
        """The answers, errors among them: those of a server that is gone do not keep the others' from coming."""
        answers: list[Any] = [None] * len(commands)
        told_to_ask: dict[int, str] = {}
        left = list(range(len(commands)))
        for _ in range(_MOST_TIMES_ASKED):
            asked = self._ask_each(commands, left, told_to_ask, answers)
            left = [number for number, node in asked if self._asks_again(number, node, commands, answers, told_to_ask)]
            if not left:
                break
        return answers

    def _ask_each(
        self, commands: list[tuple[str, ...]], left: list[int], told_to_ask: dict[int, str], answers: list[Any]
    ) -> list[tuple[int, str]]:
        """Put the answers in their places; which server each was asked."""
        cluster = self._cluster()
        by_name: dict[str, list[int]] = {}
        asked = []
        for number in left:
            try:
                name = told_to_ask.get(number) or _node_name(cluster, commands[number])
            except redis.ConnectionError as error:
                answers[number] = error
                cluster.refresh()
                continue
            by_name.setdefault(name, []).append(number)
            asked.append((number, name))
        for name, numbers in by_name.items():
            sent = [part for number in numbers for part in _parts(commands[number], asking=number in told_to_ask)]
            try:
                got = self._connections(name).ask(sent)
            except redis.RedisError as error:
                got = [error] * len(sent)
            for number in numbers:
                if number in told_to_ask:
                    got = got[1:]
                answers[number], *got = got
        return asked

    def _asks_again(
        self, number: int, name: str, commands: list[tuple[str, ...]], answers: list[Any], told_to_ask: dict[int, str]
    ) -> bool:
        answer, cluster = answers[number], self._cluster()
        told_to_ask.pop(number, None)
        match answer:
            case MovedError():
                cluster.follow(answer)
                return True
            case AskError():
                told_to_ask[number] = f"{answer.host}:{answer.port}"
                return True
            case TryAgainError():
                time.sleep(_TRY_AGAIN_AFTER_SEC)
                return True
            case redis.ConnectionError() | redis.TimeoutError() | ClusterDownError():
                # Another server may have taken over. Asked twice already, this one is not asked again.
                cluster.refresh(failed=name)
                return _has_moved(cluster, commands[number], name)
            case _:
                return False

    def _connections(self, name: str) -> AsksOneServer:
        return self._by_name.get(name) or self._by_name.setdefault(name, self._to_node(name))


def _node(host: str, port: int) -> ClusterNode:
    return ClusterNode(host, port)  # type: ignore[no-untyped-call]


def _node_name(cluster: ClusterClient, command: tuple[str, ...]) -> str:
    """Of EVALSHA and EVAL: text, number of keys, keys."""
    return str(cluster.node_of(command[3] if command[2] != "0" else "").name)


def _has_moved(cluster: ClusterClient, command: tuple[str, ...], name: str) -> bool:
    try:
        return _node_name(cluster, command) != name
    except redis.ConnectionError:
        return False


def _parts(command: tuple[str, ...], *, asking: bool) -> list[tuple[str, ...]]:
    return [("ASKING",), command] if asking else [command]
