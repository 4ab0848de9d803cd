"""A tenant's money as an operator sees it: journal, balance row, runs and Redis side by side, and what each day has
cost."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import redis
from django.core.cache import cache
from django.db import OperationalError, connection, transaction

from budget import journal, scripts
from budget.drift import Drift, examine
from dpp_project.money import Micros

_DAYS = 30
_FRESH_SEC = 60

# By the index of a tenant's runs, without a join. A run counts for the day it was submitted.
_DAILY = """
    SELECT (created_at AT TIME ZONE 'UTC')::date, sum(actual_cost_usd_micros)
    FROM runs WHERE tenant_id = %s AND created_at >= %s AND actual_cost_usd_micros > 0 GROUP BY 1
"""


# The third source: what the tenant's runs themselves say they hold and have cost. Reads all of them.
_BY_RUNS = """
    SELECT (SELECT coalesce(sum(amount_usd_micros), 0) FROM ledger_entries
            WHERE tenant_id = %s AND kind IN ('CREDIT', 'ADJUST'))
           - coalesce(sum(actual_cost_usd_micros) FILTER (WHERE status NOT IN ('QUEUED', 'PROCESSING')), 0)
           - coalesce(sum(reservation_max_cost_usd_micros) FILTER (WHERE status IN ('QUEUED', 'PROCESSING')), 0),
           coalesce(sum(reservation_max_cost_usd_micros) FILTER (WHERE status IN ('QUEUED', 'PROCESSING')), 0)
    FROM runs WHERE tenant_id = %s
"""


def by_runs(tenant_id: str) -> tuple[Micros, Micros]:
    """(available, held) as the runs have it. For a tenant whose books disagree: it costs as much as there are runs."""
    with connection.cursor() as cursor:
        cursor.execute(_BY_RUNS, [tenant_id, tenant_id])
        available, held = cursor.fetchone()
    return Micros(int(available)), Micros(int(held))


@dataclass(frozen=True)
class SideBySide:
    available: Micros
    """The balance row."""
    journal_sum: Micros
    held: Micros
    """By the journal's reservations of live runs."""
    redis_available: Micros | None
    redis_held: Micros | None
    drift: Drift | None
    """None: Redis did not answer, or somebody holds the tenant's row."""
    problem: str = ""


def side_by_side(tenant_id: str) -> SideBySide:
    """Under the tenant's row lock, as the audit looks: every figure is of the same moment."""
    try:
        with transaction.atomic():
            journal.lock(tenant_id)
            available, total = journal.available(tenant_id), journal.journal_sum(tenant_id)
            live = journal.live_reservations(tenant_id)
            held = Micros(sum(amount for _, amount in live))
            try:
                seen = scripts.snapshot(tenant_id, [run_id for run_id, _ in live])
                drift = examine(tenant_id)
            except redis.RedisError:
                return SideBySide(available, total, held, None, None, None, "Redis does not answer.")
    except OperationalError:
        available = journal.available(tenant_id)
        return SideBySide(
            available, available, Micros(0), None, None, None, "Busy: somebody holds this tenant's row. Look again."
        )
    return SideBySide(available, total, held, seen.balance, Micros(sum(seen.holds.values())), drift)


def daily_spend(tenant_id: str, *, now: datetime) -> list[tuple[str, Micros]]:
    """(day, micros charged) of the last 30 days."""
    key = f"operate:spend:{tenant_id}"
    known: list[tuple[str, Micros]] | None = cache.get(key)
    if known is None:
        days = [(now - timedelta(days=back)).date() for back in range(_DAYS - 1, -1, -1)]
        since = now.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=_DAYS - 1)
        with connection.cursor() as cursor:
            cursor.execute(_DAILY, [tenant_id, since])
            spent = dict(cursor.fetchall())
        known = [(f"{day:%d %b}", Micros(int(spent.get(day, 0)))) for day in days]
        cache.set(key, known, _FRESH_SEC)
    return known
