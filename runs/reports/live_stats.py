"""Live runs and queues, as they are now. Each figure comes from a partial index or one call to a server."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.core.cache import cache
from django.db import connection

from dpp_project.celery import DEAD_LETTER_QUEUES, RUNS_QUEUES
from dpp_project.money import Micros
from dpp_project.work_queues import Work
from runs.lifecycle import queue

_FRESH_SEC = 3

_LIVE = """
    SELECT pack_type,
           count(*) FILTER (WHERE status = 'QUEUED'),
           count(*) FILTER (WHERE status = 'PROCESSING'),
           count(*) FILTER (WHERE money_state = 'DISPUTED'),
           min(created_at) FILTER (WHERE status = 'QUEUED'),
           coalesce(sum(reservation_max_cost_usd_micros), 0)
    FROM runs WHERE status IN ('QUEUED', 'PROCESSING') GROUP BY pack_type
"""


@dataclass(frozen=True)
class LiveStats:
    queued: int
    processing: int
    disputed: int
    oldest_of: Mapping[Work, datetime | None]
    """The oldest queued run of each kind of work. A run is counted by its pack alone: a decision with web pages as
    quick work."""
    reserved: Micros
    """What all live runs hold."""
    messages_in: Mapping[str, int]
    """In each queue that workers take runs from, by its name without the prefix. Empty when SQS does not answer."""
    dead_letters: int | None
    """In all dead-letter queues; None when SQS does not answer."""

    @property
    def oldest_queued(self) -> datetime | None:
        return min((oldest for oldest in self.oldest_of.values() if oldest), default=None)

    @property
    def messages(self) -> int | None:
        return sum(self.messages_in.values()) if self.messages_in else None


def live_stats() -> LiveStats:
    known: LiveStats | None = cache.get("live_stats")
    if known is None:
        with connection.cursor() as cursor:
            cursor.execute(_LIVE)
            known = _stats(cursor.fetchall())
        cache.set("live_stats", known, _FRESH_SEC)
    return known


def _stats(packs: list[tuple[Any, ...]]) -> LiveStats:
    oldest_of: dict[Work, datetime | None] = dict.fromkeys(Work)
    for pack_type, _, _, _, oldest, _ in packs:
        work = queue.work_of(pack_type)
        oldest_of[work] = min((moment for moment in (oldest_of[work], oldest) if moment), default=None)
    messages_in = _depths(RUNS_QUEUES)
    dead_letters = _depths(DEAD_LETTER_QUEUES)
    return LiveStats(
        queued=sum(row[1] for row in packs),
        processing=sum(row[2] for row in packs),
        disputed=sum(row[3] for row in packs),
        oldest_of=oldest_of,
        reserved=Micros(sum(int(row[5]) for row in packs)),
        messages_in=messages_in,
        dead_letters=sum(dead_letters.values()) if dead_letters else None,
    )


def _depths(names: Sequence[str]) -> dict[str, int]:
    """All or none: a server that is silent is asked once."""
    try:
        return {name.removeprefix(f"{settings.SQS_QUEUE_PREFIX}-"): queue.depth(name) for name in names}
    except (ClientError, BotoCoreError):
        return {}
