"""Cancel: a queued run at once and for free, a running one at its next step for the minimum fee, an ended one never."""

import threading
from uuid import uuid4

import pytest
from django.db import connection

from runs.exceptions import OutcomeUnknown, RunNotCancellable
from runs.jobs.reap import Reaped, reap
from runs.lifecycle.cancel import cancel
from runs.models import Run
from tests.books import assert_balanced, everything_about, history
from tests.builders import Customer, processing, submitted
from tests.race import passing_time
from tests.race.actors import at, fresh, work
from tests.race.row_lock import row_locked
from tests.race.test_endings import ended_once


def test_a_queued_run_is_cancelled_at_once_and_costs_nothing(acme: Customer, queued_run: Run) -> None:
    cancelled = cancel(queued_run)
    assert (cancelled.status, cancelled.money_state, cancelled.idempotency_released) == ("FAILED", "REFUNDED", False)
    ended_once(acme, queued_run, reason="RUN_CANCELLED", charge=0)


def test_a_second_cancel_of_it_is_refused_and_changes_nothing(queued_run: Run) -> None:
    cancel(queued_run)
    before = everything_about(queued_run)
    with pytest.raises(RunNotCancellable):
        cancel(fresh(queued_run))
    assert everything_about(queued_run) == before


def test_cancelling_a_running_run_is_a_wish_and_may_be_repeated(processing_run: Run) -> None:
    version = fresh(processing_run).version
    cancel(fresh(processing_run))
    asked = fresh(processing_run)
    assert asked.cancel_requested_at is not None
    cancel(fresh(processing_run))
    assert fresh(processing_run).cancel_requested_at == asked.cancel_requested_at
    assert fresh(processing_run).version == version


@pytest.mark.parametrize("step", ["run.started", "run.executed"])
def test_a_running_run_stops_for_the_minimum_fee(acme: Customer, step: str) -> None:
    """Asked before the pack looks: it stops. Asked after its last look: it has finished, and costs what it did."""
    run = submitted(acme)
    at(step, lambda: cancel(fresh(run)))
    work(run)
    if step == "run.started":
        ended_once(acme, run, reason="RUN_CANCELLED", charge=10_000)
    else:
        ended_once(acme, run, reason=None, charge=50_000)


def test_a_cancelled_run_of_a_dead_worker_is_the_reapers(acme: Customer, processing_run: Run) -> None:
    cancel(fresh(processing_run))
    passing_time.lease_expires(processing_run)
    assert reap() == Reaped(found=1, ended=1)
    ended_once(acme, processing_run, reason="WORKER_TIMEOUT", charge=10_000)


@pytest.mark.parametrize("boundary", ["finalize.claimed", "finalize.settled", "finalize.committed"])
def test_a_run_that_is_ending_or_has_ended_cannot_be_cancelled(acme: Customer, boundary: str) -> None:
    run = submitted(acme)

    def too_late() -> None:
        before = everything_about(run)
        with pytest.raises(RunNotCancellable):
            cancel(fresh(run))
        assert everything_about(run) == before

    at(boundary, too_late)
    work(run)
    ended_once(acme, run, reason=None, charge=50_000)


def test_a_cancel_that_lost_its_run_to_a_worker_looks_again(acme: Customer) -> None:
    """Both saw it QUEUED. The worker was faster; the cancel becomes a wish."""
    run = submitted(acme)
    seen_by_cancel = fresh(run)
    at("run.started", lambda: cancel(seen_by_cancel))
    work(run)
    ended_once(acme, run, reason="RUN_CANCELLED", charge=10_000)


def test_a_cancel_whose_claim_fails_is_not_told_as_done(acme: Customer, queued_run: Run) -> None:
    """The run's row is locked by somebody: the claim runs into the lock timeout. The run is not cancelled."""
    with row_locked(queued_run), pytest.raises(OutcomeUnknown):
        cancel(queued_run)
    assert fresh(queued_run).status == "QUEUED"
    assert_balanced(acme, 9_500_000)


@pytest.mark.parametrize("rounds", [15])
def test_cancel_raced_with_finish(acme: Customer, rounds: int) -> None:
    for _ in range(rounds):
        run = submitted(acme, max_cost="0.0500", key=f"race-{uuid4().hex}")
        barrier = threading.Barrier(2)

        def cancels(run: Run = run, barrier: threading.Barrier = barrier) -> None:
            seen = fresh(run)
            barrier.wait()
            try:
                cancel(seen)
            except RunNotCancellable:
                pass
            finally:
                connection.close()

        thread = threading.Thread(target=cancels)
        thread.start()
        barrier.wait()
        work(run)
        thread.join()
        ended = fresh(run)
        assert ended.status in ("COMPLETED", "FAILED")
        assert [stage for *_, stage in history(run)].count("COMMITTED") == 1
    assert_balanced(acme, 10_000_000 - sum(run.actual_cost_usd_micros or 0 for run in Run.objects.all()))


def test_a_processing_run_stays_processing_until_its_worker_looks(processing_run: Run, acme: Customer) -> None:
    cancel(fresh(processing_run))
    assert fresh(processing_run).status == "PROCESSING"
    assert_balanced(acme, 9_500_000)
    assert processing(acme).cancel_requested_at is None
