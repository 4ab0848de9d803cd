"""Whoever claims a run first ends it, and everybody else does nothing: at every boundary, in both orders.

One actor is stopped at a step of its way; every rival then makes its whole move; the run must be exactly as before.
"""

import logging
from collections.abc import Callable

import pytest

from runs.exceptions import LostRace, RunNotCancellable
from runs.jobs.reap import Reaped, reap
from runs.jobs.reconcile import Reconciled, reconcile
from runs.jobs.sweep import sweep
from runs.lifecycle import transitions
from runs.lifecycle.outcomes import failed
from runs.models import Run
from runs.reports.invariants import audit_ledger
from runs.states import Reason
from runs.worker.run_one import MessageOutcome
from tests.books import assert_balanced, entries, everything_about, history
from tests.builders import Customer, processing, submitted
from tests.race import passing_time
from tests.race.actors import (
    BOUNDARIES,
    Crash,
    another_sweeper,
    at,
    cancels_in_vain,
    die,
    fresh,
    message_dies,
    owner_cancels,
    reaper,
    reconciler,
    submit_without_queue,
    sweeper,
    work,
)

Actor = Callable[[Run], object]

RIVALS: dict[str, Actor] = {
    "worker": work,
    "reaper": reaper,
    "sweeper": another_sweeper,
    "cancel": cancels_in_vain,
    "dead letters": message_dies,
    "reconcile": reconciler,
}
# Those that end a run which waits in the queue, and what it then costs.
FROM_QUEUE: dict[str, tuple[Actor, str, int]] = {
    "sweeper": (sweeper, "RESERVATION_EXPIRED", 0),
    "cancel": (owner_cancels, "RUN_CANCELLED", 0),
    "dead letters": (message_dies, "WORKER_CRASHED", 10_000),
}


def everybody_tries_in_vain(run: Run, *, but: tuple[str, ...] = ()) -> None:
    passing_time.waits_in_queue(run)
    for name, move in RIVALS.items():
        if name not in but:
            before = everything_about(run)
            move(run)
            assert everything_about(run) == before, name


def ended_once(owner: Customer, run: Run, *, reason: str | None, charge: int) -> None:
    """One COMMITTED, one settlement, the recorded charge, and the books agree."""
    ended = fresh(run)
    assert (ended.last_error_reason_code, ended.actual_cost_usd_micros) == (reason, charge)
    assert [stage for *_, stage in history(run)].count("COMMITTED") == 1
    assert [kind for kind, _ in entries(run)] == ["RESERVE", "REFUND" if ended.money_state == "REFUNDED" else "SETTLE"]
    assert_balanced(owner, 10_000_000 - charge)
    assert audit_ledger().is_clean


@pytest.mark.parametrize("winner", FROM_QUEUE)
def test_a_queued_run_is_ended_by_whoever_claimed_it(acme: Customer, winner: str) -> None:
    run = submitted(acme)
    end, reason, charge = FROM_QUEUE[winner]
    for boundary in BOUNDARIES:
        at(boundary, lambda: everybody_tries_in_vain(run))
    end(run)
    everybody_tries_in_vain(run)
    ended_once(acme, run, reason=reason, charge=charge)


def test_a_failed_enqueue_is_ended_by_the_api_alone(acme: Customer) -> None:
    def rivals() -> None:
        # Without the queue there are no dead letters.
        everybody_tries_in_vain(Run.objects.get(), but=("dead letters",))

    for boundary in BOUNDARIES:
        at(boundary, rivals)
    submit_without_queue(acme)
    run = Run.objects.get()
    everybody_tries_in_vain(run)
    assert run.idempotency_released
    ended_once(acme, run, reason="QUEUE_ENQUEUE_FAILED", charge=0)


def test_a_run_that_a_worker_has_is_ended_by_the_worker_alone(acme: Customer) -> None:
    """From the lease to the last step. (Cancelling a running run is a wish, not a claim: see test_cancel.)"""
    run = submitted(acme)
    for boundary in ("run.started", "run.executed", "run.uploaded"):
        at(boundary, lambda: everybody_tries_in_vain(run, but=("cancel",)))

    def its_lease_expires() -> None:
        passing_time.lease_expires(run)
        everybody_tries_in_vain(run)

    at("finalize.claimed", its_lease_expires)
    for boundary in BOUNDARIES[1:]:
        at(boundary, lambda: everybody_tries_in_vain(run))
    assert work(run) == MessageOutcome.ENDED
    everybody_tries_in_vain(run)
    ended_once(acme, run, reason=None, charge=50_000)


@pytest.mark.parametrize("first", [*FROM_QUEUE, "worker"])
def test_a_worker_that_received_the_message_too_late_does_nothing(acme: Customer, first: str) -> None:
    run = submitted(acme)
    end = work if first == "worker" else FROM_QUEUE[first][0]
    left: dict[str, object] = {}

    def somebody_else_is_faster() -> None:
        end(run)
        left.update(everything_about(run))

    at("run.received", somebody_else_is_faster)
    assert work(run) == MessageOutcome.NOT_OURS
    assert everything_about(run) == left


def test_a_reaped_run_is_ended_by_the_reaper_alone(acme: Customer) -> None:
    run = processing(acme)
    worker_of_it = fresh(run)
    passing_time.lease_expires(run)

    def rivals() -> None:
        everybody_tries_in_vain(run)
        before = everything_about(run)
        with pytest.raises(LostRace):
            _claim_as_holder(worker_of_it)
        assert everything_about(run) == before

    for boundary in BOUNDARIES:
        at(boundary, rivals)
    assert reap() == Reaped(found=1, ended=1)
    rivals()
    ended_once(acme, run, reason="WORKER_TIMEOUT", charge=10_000)


@pytest.mark.parametrize("step", ["run.started", "run.executed", "run.uploaded"])
def test_a_worker_that_slept_past_its_lease_finds_out_before_it_changes_anything(acme: Customer, step: str) -> None:
    run = submitted(acme)
    left: dict[str, object] = {}

    def reaped_meanwhile() -> None:
        passing_time.lease_expires(run)
        assert reap() == Reaped(found=1, ended=1)
        left.update(everything_about(run))

    at(step, reaped_meanwhile)
    assert work(run) == MessageOutcome.NOT_OURS
    assert everything_about(run) == left
    ended_once(acme, run, reason="WORKER_TIMEOUT", charge=10_000)


def test_a_worker_that_slept_past_its_lease_but_was_not_reaped_may_still_finish(acme: Customer) -> None:
    run = submitted(acme)
    at("run.uploaded", lambda: passing_time.lease_expires(run))
    assert work(run) == MessageOutcome.ENDED
    assert reap() == Reaped()
    ended_once(acme, run, reason=None, charge=50_000)


@pytest.mark.parametrize("boundary", BOUNDARIES[:2])
@pytest.mark.parametrize("claimer", ["worker", "reaper", "sweeper", "cancel", "dead letters"])
def test_reconcile_finishes_for_a_sleeper_who_then_does_nothing(acme: Customer, claimer: str, boundary: str) -> None:
    """The owner of the claim sleeps through five minutes, then wakes up."""
    run = submitted(acme)
    left: dict[str, object] = {}

    def finished_by_reconcile() -> None:
        passing_time.claim_is_abandoned(run)
        assert reconcile() == Reconciled(found=1, ended=1)
        left.update(everything_about(run))

    at(boundary, finished_by_reconcile)
    try:
        reason, charge = _end_as(claimer, run)
    except RunNotCancellable:
        # It looked again, as after every lost race, and found the run ended.
        assert claimer == "cancel"
        reason, charge = _COST[claimer]
    assert everything_about(run) == left
    assert history(run)[-1][0] == "reconcile"
    ended_once(acme, run, reason=reason, charge=charge)


@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("claimer", ["worker", "reaper", "sweeper", "cancel", "dead letters", "failed enqueue"])
def test_reconcile_keeps_the_recorded_outcome_of_a_claimer_who_died(
    acme: Customer, claimer: str, boundary: str
) -> None:
    reason: str | None
    at(boundary, die)
    if claimer == "failed enqueue":
        with pytest.raises(Crash):
            submit_without_queue(acme)
        run, reason, charge = Run.objects.get(), "QUEUE_ENQUEUE_FAILED", 0
    else:
        run = submitted(acme)
        with pytest.raises(Crash):
            _end_as(claimer, run)
        reason, charge = _COST[claimer]
    assert reconcile() == Reconciled(), "a claim in progress is left alone"
    committed = boundary == "finalize.committed"
    if not committed:
        passing_time.claim_is_abandoned(run)
    assert reconcile() == (Reconciled() if committed else Reconciled(found=1, ended=1))
    ended_once(acme, run, reason=reason, charge=charge)


def test_two_reapers_of_one_zombie(acme: Customer) -> None:
    """Both have found two zombies; each loses the one the other was faster with."""
    first, second = processing(acme), processing(acme)
    for run in (first, second):
        passing_time.lease_expires(run)
    other: list[Reaped] = []
    at("finalize.claimed", lambda: other.append(reap()))
    assert reap() == Reaped(found=2, ended=1, lost=1)
    assert other == [Reaped(found=1, ended=1)]
    assert_balanced(acme, 10_000_000 - 2 * 10_000)


def test_two_sweepers_of_one_queue(acme: Customer) -> None:
    for run in (submitted(acme), submitted(acme)):
        passing_time.waits_in_queue(run)
    at("finalize.claimed", lambda: sweep())
    swept = sweep()
    assert (swept.found, swept.expired, swept.lost) == (2, 1, 1)
    assert_balanced(acme, 10_000_000)


def test_two_reconcilers_of_one_claim(acme: Customer) -> None:
    for run in (processing(acme), processing(acme)):
        passing_time.lease_expires(run)
        at("finalize.claimed", die)
        with pytest.raises(Crash):
            reap()
        passing_time.claim_is_abandoned(run)
    at("finalize.claimed", lambda: reconcile())
    assert reconcile() == Reconciled(found=2, ended=1, lost=1)
    assert_balanced(acme, 10_000_000 - 2 * 10_000)


_COST = {
    "worker": (None, 50_000),
    "reaper": ("WORKER_TIMEOUT", 10_000),
    "sweeper": ("RESERVATION_EXPIRED", 0),
    "cancel": ("RUN_CANCELLED", 0),
    "dead letters": ("WORKER_CRASHED", 10_000),
}


def _end_as(claimer: str, run: Run) -> tuple[str | None, int]:
    if claimer == "worker":
        work(run)
    elif claimer == "reaper":
        at("run.started", die)
        with pytest.raises(Crash):
            work(run)
        passing_time.lease_expires(run)
        reap()
    else:
        FROM_QUEUE[claimer][0](run)
    return _COST[claimer]


def _claim_as_holder(run: Run) -> None:
    assert run.lease_token is not None
    transitions.claim_own(run, failed(run, Reason.PACK_FAILED, "late"), lease_token=run.lease_token)


def test_the_log_line_of_an_ending_says_what_went_back_and_why(
    acme: Customer, caplog: pytest.LogCaptureFixture
) -> None:
    run = submitted(acme)
    with caplog.at_level(logging.INFO, "dpp.transitions"):
        owner_cancels(run)
    told = caplog.records[-1].__dict__["dpp_fields"]
    assert (told["reserved_usd_micros"], told["charge_usd_micros"], told["refund_usd_micros"]) == (500_000, 0, 500_000)
    assert told["error.reason_code"] == "RUN_CANCELLED"
