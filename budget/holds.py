"""Walk the open holds in Redis by age, for the sweeper. Ages by Redis' clock."""

from datetime import UTC, datetime
from typing import Any, cast
from uuid import UUID

import redis

from budget import redis_keys
from dpp_project.redis import client

_CURSOR = "sweeper:holds_cursor"


def next_old_holds(*, older_than_sec: int, batch: int) -> dict[UUID, str]:
    """The next batch of old holds, with their tenants. A cursor walks the index over several passes, so that a deep
    backlog of live runs never hides an orphan behind it. A rebuild gives all it restores one moment: the cursor also
    counts how many of that moment it has seen."""
    after, seen = _cursor()
    found = members_by_age(redis_keys.OPEN_HOLDS, after, older_than_sec, batch, skip=seen)
    if len(found) == batch:
        last = found[-1][1]
        of_last = sum(1 for _, moment in found if moment == last) + (seen if last == after else 0)
        client().set(_CURSOR, f"{last}:{of_last}", ex=600)
    else:
        client().delete(_CURSOR)
    tenant_of = {}
    for member, _ in found:
        run_id = redis_keys.run_id_of(member)
        tenant_id = run_id and _tenant_of(run_id)
        if run_id and tenant_id:
            tenant_of[run_id] = tenant_id
        else:
            client().zrem(redis_keys.OPEN_HOLDS, member)
    return tenant_of


def _cursor() -> tuple[str, int]:
    """(moment, how many of that moment were seen). What is no cursor begins the walk anew."""
    try:
        after, _, seen = str(client().get(_CURSOR) or "-inf:0").partition(":")
        return (after if after == "-inf" else str(int(after))), int(seen)
    except (ValueError, redis.ResponseError):
        return "-inf", 0


def _tenant_of(run_id: UUID) -> str | None:
    try:
        return cast(str | None, client().hget(redis_keys.hold(run_id), "tenant_id"))
    except redis.ResponseError:
        return None  # of another type: the rebuild of its tenant writes it anew


def held_since(run_id: UUID) -> datetime | None:
    """When the hold was made, by Redis' clock; None if there is none, or it does not say."""
    try:
        made_at_ms = client().hget(redis_keys.hold(run_id), "created_at_ms")
        return datetime.fromtimestamp(int(str(made_at_ms)) // 1000, UTC)
    except (redis.ResponseError, ValueError, OverflowError):
        return None


def holds_of(tenant_id: str) -> int:
    """How many holds the tenant has open."""
    return client().scard(redis_keys.tenant_holds(tenant_id))


def members_by_age(key: str, after: str, older_than_sec: int, batch: int, *, skip: int = 0) -> list[tuple[str, str]]:
    """(member, moment in ms) of an index by moments, oldest first."""
    seconds, microseconds = client().time()
    latest_ms = seconds * 1000 + microseconds // 1000 - older_than_sec * 1000
    try:
        found = client().zrangebyscore(key, after, latest_ms, start=skip, num=batch, withscores=True)
    except redis.ResponseError:
        # Of another type: somebody wrote here who should not. Rebuilds and submits write the index anew.
        client().delete(key)
        return []
    return [(member, str(int(moment))) for member, moment in cast(list[tuple[str, Any]], found)]
