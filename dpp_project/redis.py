"""The one Redis client of a process, and Lua scripts called by SHA.

Redis may forget everything at any moment. Callers treat `RedisError` as "unknown", never as "no".
"""

import functools
import hashlib
import os
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import redis
from django.conf import settings
from redis.backoff import ExponentialBackoff
from redis.exceptions import NoScriptError
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
    """One Lua file, called by SHA and loaded again when Redis has forgotten it (NOSCRIPT).

    A script that does in one step what others do alone calls them by name: each file it `uses` becomes a function of
    KEYS and ARGV, named like the file.
    """

    def __init__(self, path: Path, *, uses: tuple[Path, ...] = ()) -> None:
        functions = (f"local function {used.stem}(KEYS, ARGV)\n{_text(used)}\nend\n" for used in uses)
        self.source = "".join(functions) + _text(path)
        self.name = path.stem
        self._sha = hashlib.sha1(self.source.encode(), usedforsecurity=False).hexdigest()

    def __call__(self, *, keys: list[str], args: list[str]) -> Any:
        return self.each([(keys, args)])[0]

    def each(self, calls: Sequence[tuple[list[str], list[str]]]) -> list[Any]:
        """The answers to several calls in one round trip. An error is raised after all of them were made."""
        tails = [(str(len(keys)), *keys, *args) for keys, args in calls]
        answers = _ask([("EVALSHA", self._sha, *tail) for tail in tails])
        forgotten = [number for number, answer in enumerate(answers) if isinstance(answer, NoScriptError)]
        if forgotten:
            given_again = _ask([("EVAL", self.source, *tails[number]) for number in forgotten])
            for number, answer in zip(forgotten, given_again, strict=True):
                answers[number] = answer
        for answer in answers:
            if isinstance(answer, redis.ResponseError):
                raise answer
        return answers


# Connections at rest. The client's own way to a connection and back takes five times as long as Redis takes to answer.
_resting: deque[Any] = deque()
os.register_at_fork(after_in_child=_resting.clear)


def _ask(commands: list[tuple[str, ...]]) -> list[Any]:
    """The answers, errors among them. Asked once more if the connection breaks, as the client does it."""
    try:
        connection = _resting.pop()
    except IndexError:  # asked first, another thread might take it in between
        connection = _new_connection()

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
        _resting.append(connection)


def _answer(connection: Any) -> Any:
    try:
        return connection.read_response()
    except redis.ResponseError as error:
        return error


def _new_connection() -> Any:
    pool = client().connection_pool
    return pool.connection_class(**pool.connection_kwargs)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
