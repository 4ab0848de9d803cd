"""The one Redis client of a process, and Lua scripts called by SHA.

Redis may forget everything at any moment. Callers treat `RedisError` as "unknown", never as "no".
"""

import functools
from pathlib import Path
from typing import Any

import redis
from django.conf import settings
from redis.backoff import ExponentialBackoff
from redis.commands.core import Script
from redis.retry import Retry


@functools.cache
def client() -> "redis.Redis":
    return redis.Redis.from_url(
        settings.REDIS_URL,
        decode_responses=True,
        socket_connect_timeout=1,
        socket_timeout=2,
        # One retry: every script of ours may be applied twice without harm.
        retry=Retry(ExponentialBackoff(cap=0.1, base=0.02), 1),
        health_check_interval=30,
    )


class LuaScript:
    """One Lua file. redis-py calls it by SHA and loads it again when Redis has forgotten it (NOSCRIPT).

    A script that does in one step what others do alone calls them by name: each file it `uses` becomes a function of
    KEYS and ARGV, named like the file.
    """

    def __init__(self, path: Path, *, uses: tuple[Path, ...] = ()) -> None:
        functions = (f"local function {used.stem}(KEYS, ARGV)\n{_text(used)}\nend\n" for used in uses)
        self.source = "".join(functions) + _text(path)
        self.name = path.stem

    @functools.cached_property
    def _script(self) -> Script:
        return client().register_script(self.source)

    def __call__(self, *, keys: list[str], args: list[str]) -> Any:
        return self._script(keys=keys, args=args)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
