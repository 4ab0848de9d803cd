"""How often a worker has really held a run's message again, kept in Redis.

SQS counts a receive whose answer was lost on the way as one that was had: three of those make a dead letter of a
message that no worker ever saw. Here a worker notes every delivery after the first, so that the dead letters'
job can tell.
"""

import logging
from typing import cast
from uuid import UUID

import redis

from dpp_project.logging import fields
from dpp_project.profile import PROFILE
from dpp_project.redis import client

log = logging.getLogger("dpp.queue")


def note(run_id: str, *, receive_count: int) -> None:
    """The first delivery, which almost every run ends with, costs no call."""
    if receive_count <= 1:
        return
    try:
        client().incr(_key(run_id))
        client().expire(_key(run_id), 2 * PROFILE.reservation_ttl_sec)
    except redis.RedisError as error:
        log.warning("delivery_not_noted", extra=fields(run_id=run_id, error=type(error).__name__))


def all_reached_a_worker(run_id: UUID) -> bool:
    """Whether a worker held the message each time that SQS gave it out again. Also if Redis does not say."""
    try:
        noted = cast("str | None", client().get(_key(str(run_id))))
    except redis.RedisError:
        return True
    return noted is not None and noted.isdigit() and int(noted) >= PROFILE.sqs_max_receive_count - 1


def _key(run_id: str) -> str:
    return f"deliveries:{run_id}"
