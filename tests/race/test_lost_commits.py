"""PostgreSQL lost its last commits (an asynchronous replica was promoted): Redis has moved money of which no row tells.

The run's row is as it was before it started. Whoever ends it from there meets a receipt that is not its own. Such a run
waits for a person, and a person can end it.
"""

from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import call_command

from budget import scripts
from dpp_project.money import Micros
from runs.jobs.reconcile import Reconciled, reconcile
from runs.models import Run
from runs.reports.invariants import audit_ledger
from tests.books import assert_balanced, entries, history
from tests.builders import Customer, submitted
from tests.race import passing_time
from tests.race.actors import fresh, message_dies, owner_cancels, sweeper

_ENDERS = pytest.mark.parametrize("end", [sweeper, owner_cancels, message_dies])


def _disputed(acme: Customer, end: Callable[[Run], None]) -> Run:
    run = submitted(acme)
    scripts.settle(acme.id, run.pk, Micros(123_456))
    end(run)
    assert (fresh(run).status, fresh(run).finalize_stage) == ("QUEUED", "CLAIMED")
    passing_time.claim_is_abandoned(run)
    assert reconcile() == Reconciled(found=1, disputed=1)
    return fresh(run)


@_ENDERS
def test_a_queued_run_with_a_foreign_receipt_is_disputed(acme: Customer, end: Callable[[Run], None]) -> None:
    run = _disputed(acme, end)
    assert (run.status, run.money_state) == ("QUEUED", "DISPUTED")
    assert history(run)[-1] == ("reconcile", "QUEUED", "DISPUTED", "CLAIMED")
    passing_time.claim_is_abandoned(run)
    passing_time.waits_in_queue(run)
    assert reconcile() == Reconciled(), "a person decides"
    assert audit_ledger().is_clean


@pytest.mark.parametrize(
    ("decision", "charge", "money"),
    [(["--charge", "0.1234"], 123_400, "SETTLED"), (["--refund"], 0, "REFUNDED")],
)
def test_a_person_ends_it(acme: Customer, decision: list[str], charge: int, money: str) -> None:
    run = _disputed(acme, owner_cancels)
    call_command("resolve_dispute", str(run.pk), *decision, "--reason", "lost commits", stdout=StringIO())
    run = fresh(run)
    assert (run.status, run.money_state, run.actual_cost_usd_micros) == ("FAILED", money, charge)
    assert entries(run)[-1] == ("SETTLE" if charge else "REFUND", 500_000 - charge)
    assert_balanced(acme, 10_000_000 - charge)
    assert audit_ledger().is_clean
