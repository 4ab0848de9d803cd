"""What the fleet downloads at this moment, for operators: rows of the single flight, places at hosts, the cache."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import redis
from django.db.models import Count, Min

from dpp_project.redis import Store, client
from packs.cache import CACHE
from runs.access import document_keys
from runs.models import DocumentFlight

# More hosts than this at a time are not shown one by one.
MAX_HOSTS = 200


@dataclass(frozen=True)
class FlightCounts:
    """Rows of the single flight."""

    by_state: Mapping[str, int]
    oldest_download: datetime | None
    """When the download under way began that has been under way for the longest."""


@dataclass(frozen=True)
class RedisCounts:
    """What Redis knows of it."""

    slots_of: Mapping[str, int] = field(default_factory=dict)
    """Host -> downloads under way, over the fleet."""
    entry_bytes: int = 0
    entries: int = 0
    handovers: int = 0
    """Large documents that lie in object storage."""


def flight_counts() -> FlightCounts:
    counted = dict.fromkeys(DocumentFlight.State.values, 0)
    counted |= dict(DocumentFlight.objects.values_list("state").annotate(Count("pk")))
    oldest = DocumentFlight.objects.filter(state=DocumentFlight.State.DOWNLOADING).aggregate(Min("touched_at"))
    return FlightCounts(counted, oldest["touched_at__min"])


def redis_counts() -> RedisCounts | None:
    """None while Redis does not answer."""
    try:
        return RedisCounts(
            slots_of=_slots(),
            entry_bytes=sum(
                int(client(Store.CACHE).hget(name, "total") or 0) for name in Store.CACHE.keys(document_keys.SIZES)
            ),
            entries=sum(int(client(Store.CACHE).zcard(name)) for name in Store.CACHE.keys(document_keys.ENDS)),
            handovers=int(client(Store.CACHE).zcard(document_keys.HANDOVERS)),
        )
    except redis.RedisError:
        return None


def _slots() -> dict[str, int]:
    seconds, micros = client(Store.CACHE).time()
    now_ms = seconds * 1000 + micros // 1000
    found: dict[str, int] = {}
    for name in client(Store.CACHE).scan_iter(match=document_keys.host_slots("*"), count=1_000):
        taken = int(client(Store.CACHE).zcount(name, now_ms, "+inf"))
        if taken:
            found[name.removeprefix(document_keys.host_slots(""))] = taken
        if len(found) >= MAX_HOSTS:
            break
    return dict(sorted(found.items(), key=lambda entry: (-entry[1], entry[0])))


def is_silent(oldest: datetime | None, now: datetime) -> bool:
    """A download that is older than one can be: its process is gone."""
    return oldest is not None and (now - oldest).total_seconds() > CACHE.flight_dead_sec
