"""The standing audit of Redis: every tenant's money there against the journal. Repairs only what two passes saw alike.

Redis is a projection: it follows the journal, in both directions. Tenants that the last pass suspected and tenants with
new entries are looked at first; a walk over all tenants takes the rest of the pass.
"""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import redis

from budget import redis_keys
from budget.alarms import alarm
from budget.audit_walk import go_on, position
from budget.drift import Drift, examine
from budget.models import LedgerEntry, TenantBalance
from budget.rebuild import rebuild
from dpp_project.logging import fields
from dpp_project.metrics import LEDGER_DRIFT
from dpp_project.redis import LuaScript, Store, client
from dpp_project.walk_cursor import WalkCursor
from runs.jobs.passes import TimeLimit, drop_broken_connection

log = logging.getLogger("dpp.jobs")

_BATCH = 500
_CHANGES_SEC = 5.0
# A fixed share for the walk over everybody else, however many they are: who does something is looked at first.
_WALK_SEC = 2.0
# New journal entries whose tenants one pass looks at.
_NEW_BATCH = 20_000
# When so many in a row cannot be examined it is not their fault, and the others would each wait as long.
_MOST_LEFT_IN_A_ROW = 3
# What the last pass saw, and where it stopped; in Redis, so that the next pass may be another machine's.
_SUSPECTS = "audit:suspects"
_CURSOR = WalkCursor("audit:cursor", kept_sec=3_600)
_FIELDS = LuaScript(Path(__file__).parents[1] / "lua" / "hash_fields.lua")
_NEW_ENTRIES = "redis"


@dataclass(frozen=True)
class DriftRepaired:
    found: int = 0
    examined: int = 0
    rebuilt: int = 0
    repaired: int = 0
    suspected: int = 0
    left: int = 0


def repair_drift() -> DriftRepaired:
    """One bounded pass; a large fleet of tenants is walked in several."""
    seen: dict[str, tuple[str, int]] = {}
    place = position(_NEW_ENTRIES, {"from": 0, "to": 0})
    last = LedgerEntry.objects.order_by("-id").values_list("id", flat=True).first() or 0
    upto = min(place["to"] + _NEW_BATCH, last)
    stopped_at = _examine_each(_changed(place["from"], upto), seen, TimeLimit(_CHANGES_SEC))
    if stopped_at is None:
        go_on(_NEW_ENTRIES, {"from": place["to"] if upto > place["to"] else upto, "to": upto})
    if stopped_at is None or seen[stopped_at][0] != "left":
        stopped_at = _examine_each(_tenants(after=_CURSOR.read()), seen, TimeLimit(_WALK_SEC))
        _CURSOR.keep(stopped_at or "")
    verdicts = Counter(verdict for verdict, _ in seen.values())
    LEDGER_DRIFT.set(sum(apart for _, apart in seen.values()))
    counts = {name: verdicts[name] for name in ("rebuilt", "repaired", "suspected")}
    examined = verdicts.total() - verdicts["left"]
    return DriftRepaired(found=sum(counts.values()), examined=examined, left=verdicts["left"], **counts)


def _examine_each(tenants: Iterable[str], seen: dict[str, tuple[str, int]], time_limit: TimeLimit) -> str | None:
    """Look at those that this pass has not seen yet. Where it stopped, or None at the end."""
    left_in_a_row = 0
    for tenant_id in tenants:
        if tenant_id in seen:
            continue
        seen[tenant_id] = _examine_one(tenant_id)
        left_in_a_row = left_in_a_row + 1 if seen[tenant_id][0] == "left" else 0
        if time_limit.is_over or left_in_a_row == _MOST_LEFT_IN_A_ROW:
            return tenant_id
    return None


def _changed(after: int, upto: int) -> list[str]:
    """Tenants that the last pass suspected, then those with new entries."""
    told = _FIELDS.outcomes([([index], []) for index in Store.LEDGER.keys(_SUSPECTS)])
    if all(isinstance(answer, redis.RedisError) for answer in told):
        raise told[0]
    # At a server that is away there are only tenants of whom nothing can be known now.
    suspects = [tenant_id for answer in told if isinstance(answer, list) for tenant_id in answer]
    new = (
        LedgerEntry.objects.filter(id__gt=after, id__lte=upto).order_by("tenant_id").values_list("tenant_id", flat=True)
    )
    return [*suspects, *new.distinct()]


def _tenants(*, after: str) -> Iterator[str]:
    while True:
        tenants = TenantBalance.objects.filter(tenant_id__gt=after).order_by("tenant_id")
        page = list(tenants.values_list("tenant_id", flat=True)[:_BATCH])
        yield from page
        if len(page) < _BATCH:
            return
        after = page[-1]


def _examine_one(tenant_id: str) -> tuple[str, int]:
    """(verdict, how many micros apart). A tenant whose row or Redis does not answer is left to the next round."""
    try:
        drift = examine(tenant_id)
        return _judge(drift), abs(drift.delta or 0)
    except Exception:
        log.warning("tenant_not_audited", extra=fields(tenant_id=tenant_id), exc_info=True)
        drop_broken_connection()
        return "left", 0


def _judge(drift: Drift) -> str:
    suspects = redis_keys.of_tenant(drift.tenant_id, _SUSPECTS)
    if drift.is_clean:
        client().hdel(suspects, drift.tenant_id)
        return "clean"
    if drift.is_forgotten:
        # Forgetting is not drift: Redis is allowed to.
        rebuild(drift.tenant_id)
        return "rebuilt"
    if client().hget(suspects, drift.tenant_id) != str(drift):
        client().hset(suspects, drift.tenant_id, str(drift))
        log.warning("drift_suspected", extra=fields(tenant_id=drift.tenant_id, drift=str(drift)))
        return "suspected"
    rebuilt = rebuild(drift.tenant_id)
    client().hdel(suspects, drift.tenant_id)
    alarm(
        "drift_repaired",
        drift.tenant_id,
        delta_usd_micros=drift.delta or 0,
        holds_missing=drift.holds_missing,
        balance_before=rebuilt.before or 0,
        balance_after=rebuilt.after,
        why="two passes in a row found Redis and the journal apart by the same amount",
    )
    return "repaired"
