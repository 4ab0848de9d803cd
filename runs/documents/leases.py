"""Leases `lock:<scope>:<hash>` in Redis: 15 s, renewed by their owner while it works, gone by themselves."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import redis

from dpp_project.logging import fields
from dpp_project.redis import LuaScript, Store
from packs.cache.limits import CACHE
from runs.access import document_keys

log = logging.getLogger("dpp.cache")

_LUA = Path(__file__).parent.parent / "lua"
_TAKE = LuaScript(_LUA / "cache_lease_take.lua", store=Store.CACHE)
_RELEASE = LuaScript(_LUA / "cache_lease_release.lua", store=Store.CACHE)


@contextmanager
def lease(scope: str, digest: str, *, ttl_sec: float = CACHE.lease_ttl_sec) -> Iterator[bool]:
    """Whether it is ours. Without Redis it is: a lease saves work, it protects nothing."""
    name, token = document_keys.lease(scope, digest), str(uuid4())
    try:
        ours = _take(name, token, ttl_sec)
    except redis.RedisError as error:
        log.warning("lease_not_taken", extra=fields(scope=scope, error=type(error).__name__))
        yield True
        return
    if not ours:
        yield False
        return
    done = threading.Event()
    renewer = threading.Thread(target=_renew, args=(name, token, ttl_sec, done), name="lease", daemon=True)
    renewer.start()
    try:
        yield True
    finally:
        done.set()
        renewer.join()
        _give_back(name, token)


def _take(name: str, token: str, ttl_sec: float) -> bool:
    match _TAKE(keys=[name], args=[token, str(round(ttl_sec * 1000))]):
        case ["OURS"]:
            return True
        case ["BUSY"]:
            return False
        case other:
            raise AssertionError(f"cache_lease_take.lua returned {other!r}")


def _renew(name: str, token: str, ttl_sec: float, done: threading.Event) -> None:
    while not done.wait(ttl_sec / 3):
        try:
            if not _take(name, token, ttl_sec):
                return  # it ran out, and somebody else has it now
        except redis.RedisError:
            continue  # two more tries before it runs out


def _give_back(name: str, token: str) -> None:
    try:
        _RELEASE(keys=[name], args=[token])
    except redis.RedisError as error:
        log.warning("lease_not_released", extra=fields(error=type(error).__name__))
