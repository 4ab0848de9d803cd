"""Assertions about money: what the books, Redis and a run's history say."""

from budget import journal, scripts
from budget.drift import examine
from budget.models import LedgerEntry
from dpp_project.money import Micros
from runs.models import Run, RunTransition
from tests.builders import Customer


def entries(run: Run) -> list[tuple[str, int]]:
    """(kind, amount) of a run, in order."""
    return list(LedgerEntry.objects.filter(run=run).order_by("id").values_list("kind", "amount_usd_micros"))


def history(run: Run) -> list[tuple[str, str, str, str | None]]:
    """(actor, status, money, finalize stage) after each change of a run."""
    return list(
        RunTransition.objects.filter(run=run)
        .order_by("version_after")
        .values_list("actor", "to_status", "to_money", "finalize_stage")
    )


def assert_balanced(owner: Customer, available: Micros | int) -> None:
    """Journal = balance row = Redis, to the micro."""
    assert journal.available(owner.id) == available
    assert journal.journal_sum(owner.id) == available
    drift = examine(owner.id)
    assert drift.is_clean, drift


def redis_balance(owner: Customer) -> Micros | None:
    return scripts.snapshot(owner.id, []).balance


def everything_about(run: Run) -> dict[str, object]:
    """All that any actor could have changed: what a loser must leave as it was."""
    return {
        "row": Run.objects.filter(pk=run.pk).values().get(),
        "entries": entries(run),
        "history": history(run),
        "available": journal.available(run.tenant_id),
        "redis": scripts.snapshot(run.tenant_id, [run.pk]),
        "objects": list(run.objects_stored.values_list("key", "sha256")),
    }
