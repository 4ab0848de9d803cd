"""Where a job's walk goes on, kept in Redis, so that the next pass may be another machine's."""

import logging

import redis

from dpp_project.redis import client

log = logging.getLogger("dpp.jobs")


class WalkCursor:
    """A hint: one that is lost, or lies at a server that is away, begins the walk anew."""

    def __init__(self, name: str, *, kept_sec: int) -> None:
        self._name = name
        self._kept_sec = kept_sec

    def read(self) -> str:
        try:
            return str(client().get(self._name) or "")
        except redis.RedisError as error:  # among them: of another type
            self._unknown(error)
            return ""

    def keep(self, place: str) -> None:
        try:
            client().set(self._name, place, ex=self._kept_sec)
        except redis.RedisError as error:
            self._unknown(error)

    def forget(self) -> None:
        try:
            client().delete(self._name)
        except redis.RedisError as error:
            self._unknown(error)

    def _unknown(self, error: redis.RedisError) -> None:
        log.warning("walk_begins_anew", extra={"dpp_fields": {"walk": self._name, "error": type(error).__name__}})
