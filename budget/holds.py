"""Walk the open holds in Redis by age, for the sweeper. Ages by Redis' clock.

A single server has one index of them, a cluster one for each group of tenants. What a server that is away would have
told is left to the next walk; the others' indexes are walked.
"""

import logging
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, cast
from uuid import UUID

import redis

from budget import redis_keys
from dpp_project.logging import fields
from dpp_project.redis import LuaScript, client
from dpp_project.walk_cursor import WalkCursor

log = logging.getLogger("dpp.budget")

_CURSOR = WalkCursor("sweeper:holds_cursor", kept_sec=600)
_MEMBERS = LuaScript(Path(__file__).parent / "lua" / "members_by_age.lua")
_OLDEST = "-inf"


class Member(NamedTuple):
    """Of an index by moments."""

    moment: int
    """Milliseconds, Redis clock."""
    index_key: str
    name: str


def next_old_holds(*, older_than_sec: int, batch: int) -> dict[UUID, str]:
    """The next batch of old holds, with their tenants. A cursor walks the indexes over several passes, so that a deep
    backlog of live runs never hides an orphan behind it. A rebuild gives all it restores one moment: the cursor also
    counts how many of that moment it has seen."""
    indexes = redis_keys.all_open_holds()
    number, after, seen = _cursor(len(indexes))
    with_old = _with_old(indexes, older_than_sec) if len(indexes) > 1 else set(indexes)
    found: list[Member] = []
    while number < len(indexes) and len(found) < batch:
        if indexes[number] in with_old:
            some = _members(indexes[number], after, older_than_sec, batch - len(found), skip=seen)
            found += some
            if len(found) == batch:
                break
        number, after, seen = number + 1, _OLDEST, 0
    if len(found) == batch:
        last = found[-1]
        of_last = sum(1 for member in some if member.moment == last.moment)
        of_last += seen if str(last.moment) == after else 0
        _CURSOR.keep(f"{number}:{last.moment}:{of_last}")
    else:
        _CURSOR.forget()
    tenant_of = {}
    for member in found:
        run_id = redis_keys.run_id_of(member.name)
        tenant_id = run_id and _tenant_of(member.index_key, run_id)
        if run_id and tenant_id:
            tenant_of[run_id] = tenant_id
        else:
            client().zrem(member.index_key, member.name)
    return tenant_of


def _cursor(indexes: int) -> tuple[int, str, int]:
    """(index, moment, how many of that moment were seen). What is no cursor begins the walk anew."""
    try:
        number, after, seen = _CURSOR.read().split(":")
        return int(number) % indexes, str(int(after)), int(seen)
    except ValueError:
        return 0, _OLDEST, 0


def _tenant_of(index: str, run_id: UUID) -> str | None:
    try:
        return cast(str | None, client().hget(redis_keys.hold_beside(index, run_id), "tenant_id"))
    except redis.ResponseError:
        return None  # of another type: the rebuild of its tenant writes it anew


def held_since(tenant_id: str, run_id: UUID) -> datetime | None:
    """When the hold was made, by Redis' clock; None if there is none, or it does not say."""
    try:
        made_at_ms = client().hget(redis_keys.hold(tenant_id, run_id), "created_at_ms")
        return datetime.fromtimestamp(int(str(made_at_ms)) // 1000, UTC)
    except (redis.ResponseError, ValueError, OverflowError):
        return None


def holds_of(tenant_id: str) -> int:
    """How many holds the tenant has open."""
    return client().scard(redis_keys.tenant_holds(tenant_id))


def _with_old(indexes: Sequence[str], older_than_sec: int) -> set[str]:
    """One look at all of them: a server that hangs costs its timeout once."""
    return {member.index_key for member in _oldest_of_each(indexes, older_than_sec, 1)}


def oldest_members(indexes: Sequence[str], *, older_than_sec: int, batch: int) -> list[Member]:
    """Of indexes by moments the members that are older than so long, oldest first."""
    return sorted(_oldest_of_each(indexes, older_than_sec, batch))[:batch]


def _oldest_of_each(indexes: Sequence[str], older_than_sec: int, batch: int) -> list[Member]:
    answers = _MEMBERS.outcomes([([index], _args(_OLDEST, older_than_sec, batch, 0)) for index in indexes])
    silent = [answer for answer in answers if isinstance(answer, redis.RedisError)]
    if len(silent) == len(indexes):
        raise silent[0]
    if silent:
        log.warning("indexes_not_walked", extra=fields(indexes=len(silent), error=type(silent[0]).__name__))
    told = zip(indexes, answers, strict=True)
    return [member for index, answer in told if isinstance(answer, list) for member in _parsed(index, answer)]


def _members(index: str, after: str, older_than_sec: int, batch: int, *, skip: int) -> list[Member]:
    return _parsed(index, _MEMBERS(keys=[index], args=_args(after, older_than_sec, batch, skip)))


def _args(after: str, older_than_sec: int, batch: int, skip: int) -> list[str]:
    return [after, str(older_than_sec * 1000), str(skip), str(batch)]


def _parsed(index: str, answer: Any) -> list[Member]:
    return [Member(int(float(moment)), index, name) for name, moment in zip(answer[::2], answer[1::2], strict=True)]
