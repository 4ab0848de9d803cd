"""Walk the holds and the unsent markers in Redis by age. For the sweeper and the resend job; ages by Redis' clock."""

from collections.abc import Sequence
from typing import Any, cast
from uuid import UUID

from budget import keys
from dpp_project.redis import client

_CURSOR = "sweeper:holds_cursor"


def next_old_holds(*, older_than_sec: int, batch: int) -> dict[UUID, str]:
    """The next batch of old holds, with their tenants. A cursor walks the index over several passes, so that a deep
    backlog of live runs never hides an orphan behind it. A rebuild gives all it restores one moment: the cursor also
    counts how many of that moment it has seen."""
    after, _, seen = (cast(str | None, client().get(_CURSOR)) or "-inf:0").partition(":")
    found = _members(keys.OPEN_HOLDS, after, older_than_sec, batch, skip=int(seen))
    if len(found) == batch:
        last = found[-1][1]
        of_last = sum(1 for _, moment in found if moment == last) + (int(seen) if last == after else 0)
        client().set(_CURSOR, f"{last}:{of_last}", ex=600)
    else:
        client().delete(_CURSOR)
    members = [member for member, _ in found]
    tenant_of = {}
    for member in members:
        tenant_id = client().hget(keys.hold(UUID(member)), "tenant_id")
        if tenant_id:
            tenant_of[UUID(member)] = str(tenant_id)
        else:
            client().zrem(keys.OPEN_HOLDS, member)
    return tenant_of


def unsent(*, older_than_sec: int, batch: int) -> list[UUID]:
    return [UUID(member) for member, _ in _members(keys.UNSENT, "-inf", older_than_sec, batch)]


def take_unsent(run_id: UUID) -> bool:
    """Remove the marker; True for exactly one caller."""
    return client().zrem(keys.UNSENT, str(run_id)) == 1


def mark_sent(run_ids: Sequence[UUID]) -> None:
    """The queue has confirmed their messages."""
    if run_ids:
        client().zrem(keys.UNSENT, *map(str, run_ids))


def _members(key: str, after: str, older_than_sec: int, batch: int, *, skip: int = 0) -> list[tuple[str, str]]:
    """(member, moment in ms), oldest first."""
    seconds, microseconds = client().time()
    latest_ms = seconds * 1000 + microseconds // 1000 - older_than_sec * 1000
    found = client().zrangebyscore(key, after, latest_ms, start=skip, num=batch, withscores=True)
    return [(member, str(int(moment))) for member, moment in cast(list[tuple[str, Any]], found)]
