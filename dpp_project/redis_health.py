"""Whether Redis takes writes: on a single server yes or no, in a cluster server by server."""

from concurrent.futures import ThreadPoolExecutor, wait

import redis
from redis.exceptions import MovedError

from dpp_project.redis import Store, client, cluster_client, servers
from dpp_project.redis_cluster import SLOTS

_WRITTEN = "ready:written"


def silent_servers(store: Store, *, within_sec: float) -> list[str]:
    """Those of a cluster that take no write in time. Raises `RedisError` if nobody does.

    A demoted server answers reads: only a write shows that money can be held.
    """
    if not store.is_cluster:
        client(store).set(_WRITTEN, "1", ex=60)
        return []
    key_of = {cluster_client(store).node_of(key).name: key for key in store.keys(_WRITTEN)}
    asked_of = servers(store)
    askers = ThreadPoolExecutor(len(key_of), thread_name_prefix="ready-redis")
    asked = {name: askers.submit(_write, asked_of.get(name), key) for name, key in key_of.items()}
    wait(asked.values(), timeout=within_sec)
    # Who hangs is not waited for.
    askers.shutdown(wait=False)
    silent = sorted(name for name, answer in asked.items() if not answer.done() or answer.exception())
    if len(silent) == len(asked):
        raise redis.ConnectionError("no server of the cluster takes writes")
    return silent


def _write(server: "redis.Redis | None", key: str) -> None:
    try:
        if server:
            server.set(key, "1", ex=60)
    except MovedError:
        pass  # it lives, and another has the key by now


def slots_without_server(store: Store) -> int | None:
    """As the first server says that answers. None: nobody answers, or it is no cluster."""
    if not store.is_cluster:
        return None
    try:
        for server in servers(store).values():
            try:
                told = server.execute_command("CLUSTER INFO")  # type: ignore[no-untyped-call]
                return SLOTS - int(told["cluster_slots_ok"])
            except redis.RedisError:
                continue
    except redis.RedisError:
        pass
    return None
