"""Every edge of the state machine, its loser, and the database's own guards."""

import re
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction

from dpp_project.money import Micros
from dpp_project.postgresql.roles import as_owner
from runs.exceptions import LostRace
from runs.lifecycle import finalize, transitions
from runs.lifecycle.outcomes import completed, failed, never_started
from runs.models import Run, RunTransition
from runs.states import ALLOWED, Actor, FinalizeStage, MoneyState, Reason, Status
from tests.books import assert_balanced, entries, everything_about, history
from tests.builders import Customer, processing, submitted

_OUTCOME_TEXT = "for a test"


def _stale_copy(run: Run) -> Run:
    return Run.objects.get(pk=run.pk)


def _end_retention(run: Run) -> None:
    Run.objects.filter(pk=run.pk).update(retention_until="2020-01-01T00:00:00Z")


def _expire_lease(run: Run) -> None:
    Run.objects.filter(pk=run.pk).update(lease_expires_at="2020-01-01T00:00:00Z")


def test_submit_creates_a_queued_run_with_its_money_held(acme: Customer) -> None:
    run = submitted(acme, max_cost="0.5000")
    assert history(run) == [("api", "QUEUED", "RESERVED", None)]
    assert entries(run) == [("RESERVE", -500_000)]
    assert_balanced(acme, 9_500_000)


def test_start_takes_the_lease(queued_run: Run) -> None:
    token = uuid4()
    transitions.start(queued_run, lease_token=token)
    row = _stale_copy(queued_run)
    assert (row.status, row.version, row.lease_token) == (Status.PROCESSING, 1, token)
    assert row.lease_expires_at is not None
    assert 115 < (row.lease_expires_at - row.updated_at).total_seconds() <= 121


def test_a_worker_ends_its_own_run_in_two_steps(acme: Customer, processing_run: Run) -> None:
    run = processing_run
    assert run.lease_token
    transitions.claim_own(run, completed(run, actual=Micros(50_000), objects=()), lease_token=run.lease_token)
    assert (run.status, run.finalize_stage) == (Status.PROCESSING, FinalizeStage.CLAIMED)
    finalize.finish(run, actor=Actor.WORKER)
    assert history(run)[2:] == [
        ("worker", "PROCESSING", "RESERVED", "CLAIMED"),
        ("worker", "COMPLETED", "SETTLED", "COMMITTED"),
    ]
    assert entries(run) == [("RESERVE", -500_000), ("SETTLE", 450_000)]
    assert_balanced(acme, 9_950_000)


def test_a_zombie_is_claimed_only_after_its_lease_by_the_databases_clock(processing_run: Run) -> None:
    outcome = failed(processing_run, Reason.WORKER_TIMEOUT, _OUTCOME_TEXT)
    with pytest.raises(LostRace):
        transitions.claim_zombie(_stale_copy(processing_run), outcome)
    _expire_lease(processing_run)
    zombie = _stale_copy(processing_run)
    transitions.claim_zombie(zombie, outcome)
    assert zombie.finalize_stage == FinalizeStage.CLAIMED


def test_an_expired_lease_that_was_not_reaped_may_still_be_claimed_by_its_holder(processing_run: Run) -> None:
    _expire_lease(processing_run)
    assert processing_run.lease_token
    outcome = completed(processing_run, actual=Micros(1), objects=())
    transitions.claim_own(processing_run, outcome, lease_token=processing_run.lease_token)
    assert processing_run.finalize_stage == FinalizeStage.CLAIMED


def test_a_queued_run_that_never_starts_is_refunded(acme: Customer, queued_run: Run) -> None:
    transitions.claim_queued(queued_run, never_started(Reason.RUN_CANCELLED, _OUTCOME_TEXT), actor=Actor.API)
    finalize.finish(queued_run, actor=Actor.API)
    assert (queued_run.status, queued_run.money_state) == (Status.FAILED, MoneyState.REFUNDED)
    assert entries(queued_run) == [("RESERVE", -500_000), ("REFUND", 500_000)]
    assert_balanced(acme, 10_000_000)


def test_reconcile_takes_a_claim_over_and_keeps_its_intent(processing_run: Run) -> None:
    run = processing_run
    assert run.lease_token
    transitions.claim_own(run, failed(run, Reason.PACK_FAILED, _OUTCOME_TEXT), lease_token=run.lease_token)
    first_owner = _stale_copy(run)
    transitions.take_over(run)
    assert (run.intended_status, run.intended_charge_usd_micros) == (Status.FAILED, 10_000)
    with pytest.raises(LostRace):
        transitions.commit(first_owner, actor=Actor.WORKER)
    finalize.finish(run, actor=Actor.RECONCILE)
    assert run.status == Status.FAILED


def test_a_disputed_run_waits_for_an_admin(acme: Customer, processing_run: Run) -> None:
    run = processing_run
    assert run.lease_token
    transitions.claim_own(run, completed(run, actual=Micros(50_000), objects=()), lease_token=run.lease_token)
    transitions.dispute(run, reason="RECEIPT_DIFFERS")
    assert (run.status, run.money_state) == (Status.PROCESSING, MoneyState.DISPUTED)
    transitions.resolve(run, failed(run, Reason.PACK_FAILED, _OUTCOME_TEXT))
    finalize.finish(run, actor=Actor.ADMIN)
    assert (run.status, run.money_state) == (Status.FAILED, MoneyState.SETTLED)
    assert_balanced(acme, 9_990_000)


def test_expire_forgets_the_result_and_keeps_the_money(processing_run: Run) -> None:
    run = processing_run
    assert run.lease_token
    transitions.claim_own(run, failed(run, Reason.PACK_FAILED, _OUTCOME_TEXT), lease_token=run.lease_token)
    finalize.finish(run, actor=Actor.WORKER)
    with pytest.raises(LostRace):
        transitions.expire(run, actor=Actor.RETENTION)
    _end_retention(run)
    transitions.expire(run, actor=Actor.RETENTION)
    row = _stale_copy(run)
    assert (row.status, row.money_state, row.actual_cost_usd_micros) == (Status.EXPIRED, MoneyState.SETTLED, 10_000)


_LOSERS: dict[str, Callable[[Run], None]] = {
    "start": lambda run: transitions.start(run, lease_token=uuid4()),
    "claim_queued": lambda run: transitions.claim_queued(run, never_started(Reason.RUN_CANCELLED, ""), actor=Actor.API),
    "claim_stale": lambda run: transitions.claim_stale(run, never_started(Reason.RESERVATION_EXPIRED, "")),
    "claim_own": lambda run: transitions.claim_own(
        run, failed(run, Reason.PACK_FAILED, ""), lease_token=run.lease_token or uuid4()
    ),
    "claim_zombie": lambda run: transitions.claim_zombie(run, failed(run, Reason.WORKER_TIMEOUT, "")),
    "take_over": transitions.take_over,
    "rewrite_intent": lambda run: transitions.rewrite_intent(run, failed(run, Reason.PACK_FAILED, "")),
    "commit": lambda run: transitions.commit(run, actor=Actor.WORKER),
    "dispute": lambda run: transitions.dispute(run, reason="x"),
    "expire": lambda run: transitions.expire(run, actor=Actor.RETENTION),
}


def _at(edge: str, owner: Customer) -> Run:
    """A run in the state that the edge starts from."""
    if edge in ("start", "claim_queued"):
        return submitted(owner)
    if edge == "claim_stale":
        run = submitted(owner)
        Run.objects.filter(pk=run.pk).update(created_at="2020-01-01T00:00:00Z")
        return _stale_copy(run)
    run = processing(owner)
    assert run.lease_token
    if edge == "claim_zombie":
        _expire_lease(run)
    if edge not in ("claim_own", "claim_zombie"):
        transitions.claim_own(run, failed(run, Reason.PACK_FAILED, ""), lease_token=run.lease_token)
    if edge == "expire":
        finalize.finish(run, actor=Actor.WORKER)
        _end_retention(run)
    return _stale_copy(run)


@pytest.mark.parametrize("edge", _LOSERS)
def test_the_loser_of_a_race_changes_nothing(acme: Customer, edge: str) -> None:
    winner, loser = (run := _at(edge, acme)), _stale_copy(run)
    _LOSERS[edge](winner)
    before = everything_about(run)
    with pytest.raises(LostRace):
        _LOSERS[edge](loser)
    assert everything_about(run) == before


@pytest.mark.parametrize("edge", _LOSERS)
def test_an_edge_needs_the_version_it_saw(acme: Customer, edge: str) -> None:
    """The state fits, the version does not: somebody was there in between."""
    run = _at(edge, acme)
    run.version += 1
    before = everything_about(run)
    with pytest.raises(LostRace):
        _LOSERS[edge](run)
    assert everything_about(run) == before


def test_a_claim_needs_the_lease_token(processing_run: Run) -> None:
    outcome = completed(processing_run, actual=Micros(1), objects=())
    before = everything_about(processing_run)
    with pytest.raises(LostRace):
        transitions.claim_own(processing_run, outcome, lease_token=uuid4())
    assert everything_about(processing_run) == before


def test_a_commit_needs_the_token_of_its_claim(processing_run: Run) -> None:
    run = processing_run
    assert run.lease_token
    transitions.claim_own(run, failed(run, Reason.PACK_FAILED, ""), lease_token=run.lease_token)
    run.finalize_token = uuid4()
    with pytest.raises(LostRace):
        transitions.commit(run, actor=Actor.WORKER)


def test_what_is_not_an_edge_is_refused_in_code_and_in_the_database(queued_run: Run) -> None:
    with pytest.raises(AssertionError, match="not an edge"):
        transitions._swap(queued_run, Actor.ADMIN, expect={}, change={"status": Status.COMPLETED})
    with pytest.raises(IntegrityError, match="not an edge"):
        Run.objects.filter(pk=queued_run.pk).update(
            status=Status.COMPLETED, money_state=MoneyState.SETTLED, actual_cost_usd_micros=0, version=1
        )


def test_the_database_refuses_a_change_of_state_that_does_not_move_the_version(queued_run: Run) -> None:
    with pytest.raises(IntegrityError, match="moves the version by one"):
        Run.objects.filter(pk=queued_run.pk).update(
            status=Status.PROCESSING, lease_token=uuid4(), lease_expires_at="2030-01-01T00:00:00Z"
        )


def test_the_databases_list_of_edges_is_the_codes() -> None:
    source = (Path(transitions.__file__).parents[1] / "sql" / "guard_run.sql").read_text(encoding="utf-8")
    in_database = set(re.findall(r"\('(\w+)', '(\w+)', '(\w+)', '(\w+)'\)", source))
    assert in_database == {(*before, *after) for before, after in ALLOWED}


@pytest.mark.parametrize(
    ("constraint", "change"),
    [
        ("runs_live_holds_reservation", {"money_state": "NONE"}),
        ("runs_live_holds_reservation", {"money_state": "DISPUTED"}),
        ("runs_processing_holds_lease", {"status": "PROCESSING"}),
        ("runs_ended_is_paid", {"status": "FAILED"}),
        ("runs_ended_is_paid", {"status": "FAILED", "money_state": "SETTLED"}),
        ("runs_charge_within_reservation", {"actual_cost_usd_micros": 500_001}),
        ("runs_charge_within_reservation", {"actual_cost_usd_micros": -1}),
        ("runs_claim_records_outcome", {"finalize_stage": "CLAIMED"}),
        ("runs_fee_within_reservation", {"minimum_fee_usd_micros": 500_001}),
        ("runs_status_is_known", {"status": "SLEEPING"}),
    ],
)
def test_the_golden_rule_is_a_constraint(queued_run: Run, constraint: str, change: dict[str, object]) -> None:
    """Even with the guarding triggers off, which only a superuser can do."""
    with (
        as_owner(),
        pytest.raises(IntegrityError, match=constraint),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("SET LOCAL session_replication_role = replica")
        Run.objects.filter(pk=queued_run.pk).update(**change)


@pytest.mark.parametrize("table", ["ledger_entries", "run_transitions"])
@pytest.mark.parametrize("statement", ["UPDATE {} SET id = id", "DELETE FROM {}", "TRUNCATE {} CASCADE"])
def test_journal_and_transitions_are_append_only(queued_run: Run, table: str, statement: str) -> None:
    """Even for their owner."""
    with as_owner(), pytest.raises(IntegrityError, match="append-only"), connection.cursor() as cursor:
        cursor.execute(statement.format(table))


def test_runs_are_never_deleted(queued_run: Run) -> None:
    with as_owner(), pytest.raises(IntegrityError, match="append-only"):
        Run.objects.filter(pk=queued_run.pk)._raw_delete("default")


def test_a_rolled_back_change_leaves_no_audit_row(queued_run: Run) -> None:
    with pytest.raises(RuntimeError), transaction.atomic():
        transitions.start(queued_run, lease_token=uuid4())
        raise RuntimeError
    assert RunTransition.objects.filter(run=queued_run).count() == 1
