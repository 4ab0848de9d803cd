"""Walk the holds and the unsent markers in Redis by age. For the sweeper and the resend job; ages by Redis' clock."""

from typing import cast
from uuid import UUID

from budget import keys
from dpp_project.redis import client

_CURSOR = "sweeper:holds_cursor"


def next_old_holds(*, older_than_sec: int, batch: int) -> dict[UUID, str]:
    """The next batch of old holds, with their tenants. A cursor walks the index over several passes, so that a deep
    backlog of live runs never hides an orphan behind it."""
    after = cast(str | None, client().get(_CURSOR)) or "-inf"
    members = _members(keys.OPEN_HOLDS, after, older_than_sec, batch)
    if len(members) == batch:
        last_ms = int(client().zscore(keys.OPEN_HOLDS, members[-1]) or 0)
        client().set(_CURSOR, str(last_ms), ex=600)
    else:
        client().delete(_CURSOR)
    tenant_of = {}
    for member in members:
        tenant_id = client().hget(keys.hold(UUID(member)), "tenant_id")
        if tenant_id:
            tenant_of[UUID(member)] = str(tenant_id)
        else:
            client().zrem(keys.OPEN_HOLDS, member)
    return tenant_of


def unsent(*, older_than_sec: int, batch: int) -> list[UUID]:
    return [UUID(member) for member in _members(keys.UNSENT, "-inf", older_than_sec, batch)]


def take_unsent(run_id: UUID) -> bool:
    """Remove the marker; True for exactly one caller."""
    return client().zrem(keys.UNSENT, str(run_id)) == 1


def _members(key: str, after: str, older_than_sec: int, batch: int) -> list[str]:
    seconds, microseconds = client().time()
    latest_ms = seconds * 1000 + microseconds // 1000 - older_than_sec * 1000
    return cast(list[str], client().zrangebyscore(key, after, latest_ms, start=0, num=batch))
