"""The standing audit: every tenant's money in Redis against the books. Repairs only what two passes saw alike."""

import logging
import time
from dataclasses import dataclass

from budget.drift import Drift, examine
from budget.ledger import alarm
from budget.models import TenantBalance
from budget.rebuild import rebuild
from dpp_project.logging import fields
from dpp_project.metrics import LEDGER_DRIFT
from dpp_project.redis import client

log = logging.getLogger("dpp.jobs")

_BATCH = 500
_BUDGET_SEC = 20.0
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


def audit() -> Audited:
    """One bounded pass; a large fleet of tenants is walked in several."""
    counts = {"examined": 0, "rebuilt": 0, "repaired": 0, "suspected": 0}
    drift_sum = 0
    ends = time.monotonic() + _BUDGET_SEC
    after = client().get(_CURSOR) or ""
    while time.monotonic() < ends:
        page = list(
            TenantBalance.objects.filter(tenant_id__gt=after)
            .order_by("tenant_id")
            .values_list("tenant_id", flat=True)[:_BATCH]
        )
        for tenant_id in page:
            drift = examine(tenant_id)
            drift_sum += abs(drift.delta or 0)
            counts["examined"] += 1
            verdict = _judge(drift)
            if verdict:
                counts[verdict] += 1
        after = page[-1] if len(page) == _BATCH else ""
        if not after:
            break
    client().set(_CURSOR, after, ex=3_600)
    LEDGER_DRIFT.set(drift_sum)
    return Audited(found=counts["rebuilt"] + counts["repaired"] + counts["suspected"], **counts)


def _judge(drift: Drift) -> str | None:
    if drift.is_clean:
        client().hdel(_SUSPECTS, drift.tenant_id)
        return None
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
