"""The newest event of a run, as Redis remembers it."""

import logging
from typing import cast
from uuid import UUID

import redis

from dpp_project.logging import fields
from dpp_project.redis import Store, client
from runs.events.event import RUNS, Event

log = logging.getLogger("dpp.events")


def newest(run_id: UUID) -> Event | None:
    """None if Redis has forgotten it, or does not answer: the row is asked in both cases."""
    try:
        found = cast(list[str | None], client(Store.EVENTS).hmget(RUNS.state_key(run_id), ["seq", "stage", "data"]))
    except redis.RedisError as error:
        log.warning("event_state_unknown", extra=fields(run_id=run_id, error=type(error).__name__))
        return None
    seq, stage, data = found
    if seq is None or stage is None or data is None:
        return None
    return Event(run_id, int(seq), stage, data)
