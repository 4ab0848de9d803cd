"""Keep a lease alive while its pack runs: the database's lease (the truth), the Redis lease, the message.

A thread beside the pack. It tolerates passing failures; when it finds the lease lost it says so and stops.
"""

import logging
import threading
from collections.abc import Callable
from types import TracebackType
from uuid import UUID

import redis
from botocore.exceptions import BotoCoreError, ClientError
from django.db import DatabaseError, InterfaceError, connection

from dpp_project.logging import fields
from dpp_project.metrics import LEASES_LOST
from dpp_project.profile import PROFILE
from dpp_project.redis import client

log = logging.getLogger("dpp.heartbeat")

# Conditional on all the heartbeat assumes: still running, unclaimed, our own token. Never moves the version.
_EXTEND = """
    UPDATE runs SET lease_expires_at = statement_timestamp() + make_interval(secs => %s)
    WHERE run_id = %s AND status = 'PROCESSING' AND finalize_stage IS NULL AND lease_token = %s
    RETURNING cancel_requested_at IS NOT NULL
"""


class Heartbeat:
    def __init__(self, run_id: UUID, lease_token: UUID, *, extend_message: Callable[[], None]) -> None:
        self.lost = threading.Event()
        self.cancelled = threading.Event()
        self._run_id = run_id
        self._lease_token = lease_token
        self._extend_message = extend_message
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"heartbeat-{run_id}", daemon=True)

    def __enter__(self) -> "Heartbeat":
        self._take_redis_lease()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join(timeout=PROFILE.lease_heartbeat_sec)

    def beat(self) -> None:
        """One beat: the database decides; Redis and SQS only follow."""
        with connection.cursor() as cursor:
            cursor.execute(_EXTEND, [PROFILE.lease_ttl_sec, self._run_id, self._lease_token])
            row = cursor.fetchone()
        if row is None:
            self.lost.set()
            LEASES_LOST.inc()
            log.warning("lease_lost", extra=fields(run_id=self._run_id))
            return
        if row[0]:
            self.cancelled.set()
        for extend in (self._extend_redis_lease, self._extend_message):
            try:
                extend()
            except (redis.RedisError, ClientError, BotoCoreError, OSError) as error:
                log.warning("heartbeat_hint_failed", extra=fields(run_id=self._run_id, error=type(error).__name__))

    def _run(self) -> None:
        try:
            while not self._stop.wait(PROFILE.lease_heartbeat_sec) and not self.lost.is_set():
                try:
                    self.beat()
                except (DatabaseError, InterfaceError) as error:
                    log.warning("heartbeat_failed", extra=fields(run_id=self._run_id, error=type(error).__name__))
                    connection.close()
        finally:
            connection.close()

    def _take_redis_lease(self) -> None:
        try:
            client().set(self._redis_key, str(self._lease_token), nx=True, ex=PROFILE.lease_ttl_sec)
        except redis.RedisError as error:
            log.warning("redis_lease_not_taken", extra=fields(run_id=self._run_id, error=type(error).__name__))

    def _extend_redis_lease(self) -> None:
        client().set(self._redis_key, str(self._lease_token), ex=PROFILE.lease_ttl_sec)

    def release_redis_lease(self) -> None:
        try:
            client().delete(self._redis_key)
        except redis.RedisError as error:
            log.warning("redis_lease_not_released", extra=fields(run_id=self._run_id, error=type(error).__name__))

    @property
    def _redis_key(self) -> str:
        return f"lease:{self._run_id}"
