"""The standing audit of the books: journal, balance rows, runs and budgets of keys against each other, I1 to I6 and I8.

Every pass looks at what has happened since the last one, then goes on with its walks over everything else, as far as
its time allows: the cost grows with activity, not with tenants or history. A tenant whose books disagree is frozen for
spending. Nothing is repaired. Redis is another job's (`drift_repair`).
"""

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import DatabaseError, InterfaceError, connection

from budget import journal_audit
from budget.audit_walk import go_on, position, snapshot
from budget.books import Disagreement, report
from budget.journal_audit import Report, Step
from dpp_project.logging import fields
from runs.jobs.passes import TimeLimit
from runs.lifecycle.key_budget_checks import BUDGETS_AFTER, BUDGETS_OF_THESE_RUNS, KEY_BUDGETS
from runs.lifecycle.run_checks import ALL_RUNS, OVERDUE, RUN_CHECKS, THESE_RUNS, RunCheck, numbers
from runs.models import KeyBudget, RunTransition

log = logging.getLogger("dpp.jobs")

# What has changed is looked at first. The rest of a pass belongs to the walks over everything.
_CHANGES_SEC = 6.0
_WALKS_SEC = 2.0
_BATCH = 5_000
_BUDGETS_BATCH = 500


@dataclass(frozen=True)
class BooksAudited:
    found: int = 0
    entries: int = 0
    """Journal entries and balance rows looked at."""
    runs: int = 0
    key_budgets: int = 0
    left: int = 0
    """Findings that could not be written down: the next walk finds them again."""


def audit_books() -> BooksAudited:
    """One bounded pass."""
    counts: Counter[str] = Counter()

    def note(found: Disagreement) -> None:
        try:
            counts["found"] += report(found)
        except (DatabaseError, InterfaceError):
            counts["left"] += 1
            log.warning("finding_not_written", extra=fields(tenant_id=found.tenant_id), exc_info=True)

    changes = TimeLimit(_CHANGES_SEC)
    for walk, kind in ((journal_audit.new_entries, "entries"), (_changed_runs, "runs")):
        counts[kind] += _walk(walk, note, changes)
    with snapshot():
        overdue = _ask(OVERDUE, ALL_RUNS, [])
    for found in overdue:
        note(found)
    walks = (
        (journal_audit.balances, "entries"),
        (journal_audit.history, "entries"),
        (_all_runs, "runs"),
        (_all_key_budgets, "key_budgets"),
    )
    for walk, kind in walks:
        counts[kind] += _walk(walk, note, TimeLimit(_WALKS_SEC / len(walks)))
    return BooksAudited(**counts)


def _walk(step: Callable[[Report], Step], note: Report, time_limit: TimeLimit) -> int:
    """Step by step, to the end or while there is time. What was looked at."""
    checked = 0
    while True:
        done = step(note)
        checked += done.checked
        if done.at_end or time_limit.is_over:
            return checked


def _changed_runs(note: Report) -> Step:
    """The runs whose transitions are new. As with the journal, each pass begins where the one before it began."""
    place = position("transitions", {"from": 0, "to": 0})
    last = RunTransition.objects.order_by("-id").values_list("id", flat=True).first() or 0
    upto = min(place["to"] + _BATCH, last)
    new = RunTransition.objects.filter(id__gt=place["from"], id__lte=upto)
    run_ids = list(new.values_list("run_id", flat=True).distinct())
    _check(run_ids, note)
    go_on("transitions", {"from": place["to"] if upto > place["to"] else upto, "to": upto})
    return Step(len(run_ids), upto == last)


def _all_runs(note: Report) -> Step:
    """All runs, by their ids, some in each pass."""
    place = position("runs", {"run_id": str(UUID(int=0))})
    with connection.cursor() as cursor:
        cursor.execute("SELECT run_id FROM runs WHERE run_id > %s ORDER BY run_id LIMIT %s", [place["run_id"], _BATCH])
        run_ids = [row[0] for row in cursor.fetchall()]
    _check(run_ids, note)
    at_end = len(run_ids) < _BATCH
    go_on("runs", {"run_id": str(UUID(int=0) if at_end else run_ids[-1])})
    return Step(len(run_ids), at_end)


def _check(run_ids: list[UUID], note: Report) -> None:
    with snapshot():
        found = [finding for check in RUN_CHECKS for finding in _ask(check, THESE_RUNS, run_ids)] if run_ids else []
        if run_ids:
            found += _ask(KEY_BUDGETS, BUDGETS_OF_THESE_RUNS, run_ids)
    for finding in found:
        note(finding)


def _all_key_budgets(note: Report) -> Step:
    """All of them, by their ids, some in each pass: those without a run are nowhere else looked at."""
    place = position("key_budgets", {"budget_id": str(UUID(int=0))})
    later = KeyBudget.objects.filter(pk__gt=place["budget_id"]).order_by("pk")
    budget_ids = list(later.values_list("pk", flat=True)[:_BUDGETS_BATCH])
    with snapshot():
        found = _ask(KEY_BUDGETS, BUDGETS_AFTER, [], budget_ids) if budget_ids else []
    for finding in found:
        note(finding)
    at_end = len(budget_ids) < _BUDGETS_BATCH
    go_on("key_budgets", {"budget_id": str(UUID(int=0) if at_end else budget_ids[-1])})
    return Step(len(budget_ids), at_end)


def _ask(check: RunCheck, scope: str, run_ids: list[UUID], budget_ids: Sequence[UUID] = ()) -> list[Disagreement]:
    params: dict[str, Any] = {**numbers(), "run_ids": run_ids, "budget_ids": list(budget_ids)}
    with connection.cursor() as cursor:
        cursor.execute(check.over(scope), params)
        rows = cursor.fetchall()
    return [
        Disagreement(tenant_id, check.invariant, subject, wrong, freezes) for tenant_id, subject, wrong, freezes in rows
    ]
