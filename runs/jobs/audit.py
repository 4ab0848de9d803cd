"""The standing audit: every tenant's money in Redis against the books. Repairs only what two passes saw alike."""

import logging
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import redis
from django.db import DatabaseError, InterfaceError

from budget.drift import Drift, examine
from budget.exceptions import LedgerUnavailable
from budget.ledger import alarm
from budget.models import TenantBalance
from budget.rebuild import rebuild
from dpp_project.logging import fields
from dpp_project.metrics import LEDGER_DRIFT
from dpp_project.redis import client
from runs.jobs.passes import Budget

log = logging.getLogger("dpp.jobs")

_BATCH = 500
_BUDGET_SEC = 20.0
# When so many in a row cannot be examined it is not their fault, and the others would each wait as long.
_MOST_LEFT_IN_A_ROW = 3
# What the last pass saw, and where it stopped; in Redis, so that the next pass may be another machine's.
_SUSPECTS = "audit:suspects"
_CURSOR = "audit:cursor"


@dataclass(frozen=True)
class Audited:
    found: int = 0
    examined: int = 0
    rebuilt: int = 0
    repaired: int = 0
    suspected: int = 0
    left: int = 0


def audit() -> Audited:
    """One bounded pass; a large fleet of tenants is walked in several."""
    verdicts: Counter[str] = Counter()
    drift_sum = left_in_a_row = 0
    budget = Budget(_BUDGET_SEC)
    for tenant_id in _tenants(after=str(client().get(_CURSOR) or "")):
        verdict, apart = _audit_one(tenant_id)
        verdicts[verdict] += 1
        drift_sum += apart
        left_in_a_row = left_in_a_row + 1 if verdict == "left" else 0
        if budget.is_spent or left_in_a_row == _MOST_LEFT_IN_A_ROW:
            stopped_at = tenant_id
            break
    else:
        stopped_at = ""
    client().set(_CURSOR, stopped_at, ex=3_600)
    LEDGER_DRIFT.set(drift_sum)
    counts = {name: verdicts[name] for name in ("rebuilt", "repaired", "suspected")}
    examined = verdicts.total() - verdicts["left"]
    return Audited(found=sum(counts.values()), examined=examined, left=verdicts["left"], **counts)


def _tenants(*, after: str) -> Iterator[str]:
    while True:
        tenants = TenantBalance.objects.filter(tenant_id__gt=after).order_by("tenant_id")
        page = list(tenants.values_list("tenant_id", flat=True)[:_BATCH])
        yield from page
        if len(page) < _BATCH:
            return
        after = page[-1]


def _audit_one(tenant_id: str) -> tuple[str, int]:
    """(verdict, how many micros apart). A tenant whose row or Redis does not answer is left to the next round."""
    try:
        drift = examine(tenant_id)
        return _judge(drift), abs(drift.delta or 0)
    except (DatabaseError, InterfaceError, LedgerUnavailable, redis.RedisError):
        log.warning("tenant_not_audited", extra=fields(tenant_id=tenant_id), exc_info=True)
        return "left", 0


def _judge(drift: Drift) -> str:
    if drift.is_clean:
        client().hdel(_SUSPECTS, drift.tenant_id)
        return "clean"
    if drift.is_forgotten:
        # Forgetting is not drift: Redis is allowed to.
        rebuild(drift.tenant_id)
        return "rebuilt"
    if client().hget(_SUSPECTS, drift.tenant_id) != str(drift):
        client().hset(_SUSPECTS, drift.tenant_id, str(drift))
        log.warning("drift_suspected", extra=fields(tenant_id=drift.tenant_id, drift=str(drift)))
        return "suspected"
    rebuilt = rebuild(drift.tenant_id)
    client().hdel(_SUSPECTS, drift.tenant_id)
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
