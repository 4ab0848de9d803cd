"""A tenant's money at a glance: what can be spent, what is held, what this month has cost."""

from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import connection

from dpp_project.money import Micros

# One statement, hence one snapshot: the three figures fit together at any moment.
_SPENDING = """
    SELECT
        COALESCE((SELECT available_usd_micros FROM tenant_balances WHERE tenant_id = %(tenant_id)s), 0),
        COALESCE((SELECT sum(reservation_max_cost_usd_micros) FROM runs
                  WHERE tenant_id = %(tenant_id)s AND status IN ('QUEUED', 'PROCESSING')), 0),
        COALESCE((SELECT sum(runs.actual_cost_usd_micros)
                  FROM ledger_entries AS ending JOIN runs USING (run_id)
                  WHERE ending.tenant_id = %(tenant_id)s AND ending.kind = 'SETTLE'
                    AND ending.created_at >= %(month)s), 0)
"""


@dataclass(frozen=True)
class Spending:
    available: Micros
    reserved: Micros
    spent: Micros
    """Charged for runs that ended in this calendar month (UTC)."""
    month: datetime


def spending(tenant_id: str, *, now: datetime) -> Spending:
    month = now.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    with connection.cursor() as cursor:
        cursor.execute(_SPENDING, {"tenant_id": tenant_id, "month": month})
        available, reserved, spent = cursor.fetchone()
    return Spending(Micros(int(available)), Micros(int(reserved)), Micros(int(spent)), month)
