"""Live runs and queues, as they are now. Each figure comes from a partial index or one call to a server."""

from dataclasses import dataclass
from datetime import datetime

from botocore.exceptions import BotoCoreError, ClientError
from django.core.cache import cache
from django.db import connection

from dpp_project.celery import DEAD_LETTER_QUEUE, RUNS_QUEUE
from dpp_project.money import Micros
from runs.lifecycle import queue

_FRESH_SEC = 3

_LIVE = """
    SELECT count(*) FILTER (WHERE status = 'QUEUED'),
           count(*) FILTER (WHERE status = 'PROCESSING'),
           count(*) FILTER (WHERE money_state = 'DISPUTED'),
           min(created_at) FILTER (WHERE status = 'QUEUED'),
           coalesce(sum(reservation_max_cost_usd_micros), 0)
    FROM runs WHERE status IN ('QUEUED', 'PROCESSING')
"""


@dataclass(frozen=True)
class LiveStats:
    queued: int
    processing: int
    disputed: int
    oldest_queued: datetime | None
    reserved: Micros
    """What all live runs hold."""
    messages: int | None
    """In the work queue; None when it does not answer."""
    dead_letters: int | None


def live_stats() -> LiveStats:
    known: LiveStats | None = cache.get("live_stats")
    if known is None:
        with connection.cursor() as cursor:
            cursor.execute(_LIVE)
            queued, processing, disputed, oldest, reserved = cursor.fetchone()
        messages, dead_letters = _depth(RUNS_QUEUE), _depth(DEAD_LETTER_QUEUE)
        known = LiveStats(queued, processing, disputed, oldest, Micros(int(reserved)), messages, dead_letters)
        cache.set("live_stats", known, _FRESH_SEC)
    return known


def _depth(name: str) -> int | None:
    try:
        return queue.depth(name)
    except (ClientError, BotoCoreError):
        return None
