"""The whole history of one run, gathered for its page: what happened, who did it, where the money is."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, pairwise

import redis

from budget import scripts
from budget.models import EntryKind, LedgerEntry
from runs.access import poll_cost
from runs.models import Run, RunTransition
from runs.states import FinalizeStage, MoneyState, Status


@dataclass(frozen=True)
class Step:
    at: datetime
    since_sec: float
    """Since the step before."""
    meaning: str
    transition: RunTransition


@dataclass(frozen=True)
class InRedis:
    hold: int | None = None
    receipt: int | None = None
    """The charge that was settled there."""
    answered: bool = True


def steps(run: Run) -> list[Step]:
    transitions = list(RunTransition.objects.filter(run=run).order_by("version_after"))
    times = [run.created_at, *(transition.at for transition in transitions)]
    gaps = [max((later - earlier).total_seconds(), 0) for earlier, later in pairwise(times)]
    return [Step(each.at, gap, _meaning(each), each) for each, gap in zip(transitions, gaps, strict=True)]


def movements(run: Run) -> Iterator[LedgerEntry]:
    """By the journal's partial indexes, one per kind: a question by run alone would read the whole journal."""
    of_run = LedgerEntry.objects.filter(run_id=run.pk)
    return chain(
        of_run.filter(kind=EntryKind.RESERVE),
        LedgerEntry.objects.filter(reference__startswith=poll_cost.reference_prefix(run.pk)).order_by("id"),
        of_run.filter(kind__in=[EntryKind.SETTLE, EntryKind.REFUND]),
    )


def in_redis(run: Run) -> InRedis:
    try:
        seen = scripts.snapshot(run.tenant_id, [run.pk])
    except redis.RedisError:
        return InRedis(answered=False)
    return InRedis(seen.holds.get(run.pk), seen.receipts.get(run.pk))


def _meaning(step: RunTransition) -> str:
    """What a transition means, in words."""
    if step.from_status is None:
        return "Submitted: money held, message sent."
    if step.to_status == Status.EXPIRED:
        return "Retention over: the result is deleted."
    if step.to_status != step.from_status and step.to_status == Status.PROCESSING:
        return "A worker took the lease."
    if step.to_status != step.from_status:
        return f"Ended {step.to_status}; money {step.to_money}."
    if step.to_money != step.from_money and step.to_money == MoneyState.DISPUTED:
        return "Money moved otherwise than recorded: a person must decide."
    if step.actor == "reconcile":
        return "Reconcile took an unfinished claim over, or rewrote its outcome."
    if step.actor == "admin" and step.from_status == Status.QUEUED:
        return "Cancelled by a person: the outcome is recorded, the money follows."
    if step.actor == "admin":
        return "A person decided how the dispute ends."
    if step.finalize_stage == FinalizeStage.CLAIMED:
        return "Claimed: the outcome is recorded, the money follows."
    return "Changed."  # no edge we know: the page shows the row as it is
