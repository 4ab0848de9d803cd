"""What a key may spend: made with the key, counted by the statements that accept and end a run, recounted by a person.

A run counts against its key's budget and against every budget above it: whoever hands on a key hands on a part of what
it may spend itself, and never more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID, uuid4

from django.db import connection, transaction

from budget import journal
from dpp_project.money import Micros
from runs.models import KeyBudget

# What the runs of a budget, and of all below it, hold and have cost. `budget` is a row of key_budgets.
TRUTH = """
    SELECT coalesce(sum(run.reservation_max_cost_usd_micros)
                        FILTER (WHERE run.status IN ('QUEUED', 'PROCESSING')), 0) AS held,
           coalesce(sum(run.actual_cost_usd_micros)
                        FILTER (WHERE run.status NOT IN ('QUEUED', 'PROCESSING')), 0) AS spent
    FROM key_budgets AS own JOIN runs AS run ON run.key_budget_id = own.budget_id
    WHERE own.tenant_id = budget.tenant_id AND budget.budget_id = ANY (own.lineage)
"""

_RECOUNT = f"""
    UPDATE key_budgets AS counted SET held_usd_micros = truth.held, spent_usd_micros = truth.spent
    FROM key_budgets AS budget CROSS JOIN LATERAL ({TRUTH}) AS truth
    WHERE budget.tenant_id = %s AND counted.budget_id = budget.budget_id
      AND (counted.held_usd_micros, counted.spent_usd_micros) IS DISTINCT FROM (truth.held, truth.spent)
"""  # noqa: S608 (our own text)


@dataclass(frozen=True)
class Limits:
    """None: no limit of this kind."""

    max_total: Micros | None = None
    max_per_run: Micros | None = None

    def __bool__(self) -> bool:
        return self.max_total is not None or self.max_per_run is not None


@dataclass(frozen=True)
class Left:
    """What a key can still spend, the limits of the keys above it included."""

    total: Micros | None
    per_run: Micros | None


def make(tenant_id: str, limits: Limits, *, above: KeyBudget | None = None) -> KeyBudget | None:
    """The budget of a new key: one of its own if it has limits, else the one above it."""
    if not limits:
        return above
    budget_id = uuid4()
    return KeyBudget.objects.create(
        budget_id=budget_id,
        tenant_id=tenant_id,
        lineage=[budget_id, *(above.lineage if above else ())],
        max_total_usd_micros=limits.max_total,
        max_per_run_usd_micros=limits.max_per_run,
    )


def left(budget_id: UUID) -> Left:
    """The least of what the budget and those above it leave."""
    return left_of([KeyBudget.objects.get(pk=budget_id)])[budget_id]


def left_of(budgets: Sequence[KeyBudget]) -> dict[UUID, Left]:
    """The same for several, in one query."""
    ids = {budget_id for budget in budgets for budget_id in budget.lineage}
    found = KeyBudget.objects.in_bulk(ids) if ids else {}
    return {budget.pk: _least([found[budget_id] for budget_id in budget.lineage]) for budget in budgets}


def _least(budgets: Sequence[KeyBudget]) -> Left:
    totals = [
        max(budget.max_total_usd_micros - budget.spent_usd_micros - budget.held_usd_micros, 0)
        for budget in budgets
        if budget.max_total_usd_micros is not None
    ]
    per_run = [budget.max_per_run_usd_micros for budget in budgets if budget.max_per_run_usd_micros is not None]
    return Left(
        total=Micros(min(totals)) if totals else None,
        per_run=Micros(min(per_run)) if per_run else None,
    )


def recount(tenant_id: str) -> int:
    """Let the budgets follow the runs again. For a person who settles what the audit found. How many were wrong."""
    with transaction.atomic(), connection.cursor() as cursor:
        # No run of the tenant is accepted or ends meanwhile. What must be seen under the lock is a later statement.
        journal.lock(tenant_id)
        cursor.execute(_RECOUNT, [tenant_id])
        return int(cursor.rowcount)
