"""The interleavings on which a naive build loses money. Each stops a real call at one step and lets the world go on."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from uuid import uuid4

import pytest
from django.db import OperationalError
from django.utils import timezone

from budget import ledger, redis_keys, scripts
from budget.exceptions import ReservationVoided
from budget.rebuild import rebuild
from dpp_project.money import Micros
from dpp_project.redis import client
from runs.exceptions import EnqueueFailed, OutcomeUnknown
from runs.jobs.drift_repair import DriftRepaired, repair_drift
from runs.jobs.reconcile import Reconciled, reconcile
from runs.jobs.resend import Resent, resend
from runs.jobs.sweep import Swept, sweep
from runs.lifecycle import queue, submit, transitions
from runs.lifecycle.finalize import finish
from runs.lifecycle.outcomes import never_started
from runs.models import Run
from runs.reports.invariants import audit_ledger
from runs.states import Actor, Reason
from runs.worker.run_one import MessageOutcome
from tests.books import assert_balanced, everything_about, redis_balance
from tests.builders import Customer, fresh_key, request, submitted
from tests.owner import owner_cursor
from tests.race import passing_time
from tests.race.actors import Crash, at, die, fresh, submit_without_queue, unreachable_queue, work
from tests.race.row_lock import row_locked
from tests.race.test_endings import ended_once
from tests.race.threads import busy


def test_the_send_failed_but_had_arrived_and_a_worker_has_it(acme: Customer) -> None:
    """The give-up loses its claim: the caller gets the run, nothing is refunded."""
    at("submit.mapped", lambda: _worker_starts(Run.objects.get()))
    with unreachable_queue():
        run = submitted(acme)
    assert fresh(run).status == "PROCESSING"
    assert redis_balance(acme) == 9_500_000
    assert_balanced(acme, 9_500_000)


def _worker_starts(run: Run) -> None:
    at("run.started", die)
    with pytest.raises(Crash):
        work(run)


def test_the_send_failed_but_arrives_after_the_refund(acme: Customer) -> None:
    """The give-up wins; the worker finds the run claimed, then ended, and leaves it alone."""
    done: list[MessageOutcome] = []
    at("finalize.claimed", lambda: done.append(work(Run.objects.get())))
    submit_without_queue(acme)
    run = Run.objects.get()
    before = everything_about(run)
    done.append(work(run))
    assert done == [MessageOutcome.NOT_OURS, MessageOutcome.NOT_OURS]
    assert everything_about(run) == before
    ended_once(acme, run, reason="QUEUE_ENQUEUE_FAILED", charge=0)


def test_a_failed_enqueues_key_starts_a_fresh_run(acme: Customer) -> None:
    key = fresh_key()
    submit_without_queue(acme, key=key)
    given_up = Run.objects.get()
    again = submitted(acme, key=key)
    assert again.pk != given_up.pk
    work(again)
    ended_once(acme, again, reason=None, charge=50_000)


def test_while_a_run_is_being_given_up_its_key_gets_no_receipt(acme: Customer) -> None:
    """It would name one run now, and another one after the give-up: found by the clients' history under two faults."""
    key = fresh_key()
    at("finalize.claimed", die)
    with unreachable_queue(), pytest.raises(Crash):
        submitted(acme, key=key)
    given_up = Run.objects.get()
    with pytest.raises(EnqueueFailed):
        submitted(acme, key=key)
    passing_time.claim_is_abandoned(given_up)
    assert reconcile() == Reconciled(found=1, ended=1)
    again = submitted(acme, key=key)
    assert again.pk != given_up.pk
    work(again)
    ended_once(acme, again, reason=None, charge=50_000)


def test_a_run_with_a_second_receipt_is_not_given_up_for_want_of_its_message(acme: Customer) -> None:
    """Two submits of one key at once, of which the first cannot send: both name one run, and so does the key after."""
    key, receipts = fresh_key(), []
    at("submit.mapped", lambda: receipts.append(submitted(acme, key=key).pk))
    with unreachable_queue():
        receipts.append(submitted(acme, key=key).pk)
    run = Run.objects.get()
    assert (run.status, run.finalize_stage) == ("QUEUED", None)
    assert receipts == [run.pk, run.pk]
    assert submitted(acme, key=key).pk == run.pk
    passing_time.unsent_marker_ages(run.pk)
    assert resend(now=timezone.now()) == Resent(found=1, sent=1)
    work(run)
    ended_once(acme, run, reason=None, charge=50_000)


@pytest.mark.parametrize("then", ["goes on", "dies after its claim"])
def test_a_run_that_is_given_up_gets_no_second_receipt(acme: Customer, then: str) -> None:
    """The repeated submit has read the run as queued; before it answers, the first submit gives the run up."""
    key = fresh_key()
    at("submit.mapped", die)
    with pytest.raises(Crash):
        submitted(acme, key=key)
    run = Run.objects.get()
    at("submit.repeated", lambda: _first_submit_gives_up(run, then))
    with pytest.raises(EnqueueFailed):
        submitted(acme, key=key)
    if then != "goes on":
        passing_time.claim_is_abandoned(run)
        assert reconcile() == Reconciled(found=1, ended=1)
    again = submitted(acme, key=key)
    assert again.pk != run.pk
    work(again)
    ended_once(acme, again, reason=None, charge=50_000)


def _first_submit_gives_up(run: Run, then: str) -> None:
    outcome = never_started(Reason.QUEUE_ENQUEUE_FAILED, "", releases_key=True)
    transitions.claim_unsent(run, outcome)
    if then == "goes on":
        finish(run, actor=Actor.API)


def test_a_give_up_that_cannot_claim_is_not_told_as_refunded(acme: Customer) -> None:
    """Send failed, and the run's row is locked: nobody knows, so the caller is told to ask again with the same key."""
    key = fresh_key()
    with ExitStack() as until_answered:
        at("submit.mapped", lambda: until_answered.enter_context(row_locked(Run.objects.get())))
        with unreachable_queue(), pytest.raises(OutcomeUnknown):
            submitted(acme, key=key)
    run = Run.objects.get()
    assert (run.status, run.idempotency_released) == ("QUEUED", False)
    assert submitted(acme, key=key).pk == run.pk
    assert_balanced(acme, 9_500_000)


@pytest.mark.parametrize("then", ["goes on", "dies after its commit"])
def test_redis_forgets_between_reserve_and_commit_and_another_call_rebuilds(acme: Customer, then: str) -> None:
    def flushed_and_rebuilt() -> None:
        client().flushall()
        rebuild(acme.id)
        assert redis_balance(acme) == 10_000_000, "the database does not know the run yet"

    at("submit.reserved", flushed_and_rebuilt)
    if then == "goes on":
        submitted(acme)
    else:
        at("submit.committed", die)
        with pytest.raises(Crash):
            submitted(acme)
        assert [repair_drift(), repair_drift()] == [
            DriftRepaired(found=1, examined=1, suspected=1),
            DriftRepaired(found=1, examined=1, repaired=1),
        ]
    run = Run.objects.get()
    assert client().hget(redis_keys.hold(run.tenant_id, run.pk), "reserved_usd_micros") == "500000"
    assert redis_balance(acme) == 9_500_000
    work(run)
    ended_once(acme, run, reason=None, charge=50_000)


@pytest.mark.parametrize("then", ["goes on", "dies after its commit"])
def test_redis_forgets_between_settle_and_commit_and_a_rebuild_re_creates_the_hold(acme: Customer, then: str) -> None:
    run = submitted(acme)

    def flushed_and_rebuilt() -> None:
        client().flushall()
        rebuild(acme.id)
        assert client().exists(redis_keys.hold(run.tenant_id, run.pk))

    at("finalize.settled", flushed_and_rebuilt)
    if then == "goes on":
        assert work(run) == MessageOutcome.ENDED
    else:
        at("finalize.committed", die)
        with pytest.raises(Crash):
            work(run)
        assert_balanced(acme, 9_950_000)
        passing_time.hold_ages(run.pk)
        assert sweep() == Swept(found=1, holds_closed=1)
    assert not client().exists(redis_keys.hold(run.tenant_id, run.pk))
    assert redis_balance(acme) == 9_950_000
    ended_once(acme, run, reason=None, charge=50_000)


def test_the_api_sleeps_six_minutes_between_reserve_and_insert(acme: Customer) -> None:
    def swept_meanwhile() -> None:
        (orphan,) = scripts.snapshot(acme.id, []).holds
        passing_time.hold_ages(orphan, 360)
        assert sweep() == Swept(found=1, holds_voided=1)

    at("submit.reserved", swept_meanwhile)
    with pytest.raises(ReservationVoided):
        submitted(acme)
    assert not Run.objects.exists()
    assert redis_balance(acme) == 10_000_000
    assert_balanced(acme, 10_000_000)


def test_the_sweeper_comes_after_the_insert(acme: Customer) -> None:
    """It saw a hold without a run; under the row lock it sees the run."""
    at("submit.committed", lambda: passing_time.hold_ages(Run.objects.get().pk))
    at("submit.mapped", lambda: sweep())
    run = submitted(acme)
    assert redis_balance(acme) == 9_500_000
    work(run)
    ended_once(acme, run, reason=None, charge=50_000)


@contextmanager
def _commits_fail(sqlstate: str, times: int) -> Iterator[None]:
    """COMMIT itself fails, as often as asked: a deferred trigger raises when the transaction ends."""
    with owner_cursor() as cursor:
        cursor.execute(
            f"""
            CREATE SEQUENCE test_commits;
            CREATE FUNCTION test_fail_commit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
            BEGIN
                IF nextval('test_commits') <= {times} THEN
                    RAISE EXCEPTION 'the commit fails' USING ERRCODE = '{sqlstate}';
                END IF;
                RETURN NULL;
            END $$;
            CREATE CONSTRAINT TRIGGER test_fail_commit AFTER INSERT ON runs DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION test_fail_commit();
            """
        )
        try:
            yield
        finally:
            cursor.execute(
                "DROP TRIGGER test_fail_commit ON runs; DROP FUNCTION test_fail_commit; DROP SEQUENCE test_commits"
            )


def test_a_commit_of_unknown_outcome_refunds_nothing_and_the_sweeper_decides(acme: Customer) -> None:
    with _commits_fail("08006", times=1), pytest.raises(OutcomeUnknown):
        submitted(acme)
    (orphan,) = scripts.snapshot(acme.id, []).holds
    assert redis_balance(acme) == 9_500_000, "nothing is refunded on a guess"
    passing_time.hold_ages(orphan)
    assert sweep() == Swept(found=1, holds_voided=1)
    assert_balanced(acme, 10_000_000)
    assert redis_balance(acme) == 10_000_000


@pytest.mark.parametrize("sqlstate", ["40001", "40P01"])
def test_a_serialization_failure_or_deadlock_is_tried_three_times(acme: Customer, sqlstate: str) -> None:
    with _commits_fail(sqlstate, times=2):
        submitted(acme)
    assert (Run.objects.count(), redis_balance(acme)) == (1, 9_500_000)
    with _commits_fail(sqlstate, times=3), pytest.raises(OperationalError):
        submitted(acme)
    assert (Run.objects.count(), redis_balance(acme)) == (1, 9_500_000)
    assert_balanced(acme, 9_500_000)


def test_a_replay_is_answered_although_the_mapping_is_lost_and_the_balance_is_zero(acme: Customer) -> None:
    key = fresh_key()
    run = submitted(acme, key=key, max_cost="10.0000")
    client().flushall()
    accepted = submit.submit(acme.tenant, request(max_cost="10.0000"), key=key, trace_id="again", now=timezone.now())
    assert (accepted.run.pk, accepted.replayed, accepted.available) == (run.pk, True, 0)
    assert Run.objects.count() == 1
    assert audit_ledger().is_clean


def test_a_reserve_whose_answer_is_lost_twice_leaves_a_hold_that_comes_back(acme: Customer) -> None:
    """The caller got 503 and never came again."""
    orphan = uuid4()
    scripts.reserve(acme.id, orphan, Micros(500_000))
    passing_time.hold_ages(orphan)
    assert sweep() == Swept(found=1, holds_voided=1)
    assert_balanced(acme, 10_000_000)


def test_scripts_that_redis_forgot_are_loaded_again(acme: Customer) -> None:
    run = submitted(acme)
    client().script_flush()
    work(run)
    ended_once(acme, run, reason=None, charge=50_000)


def test_a_host_clock_an_hour_ahead_returns_no_money_of_live_runs(acme: Customer) -> None:
    """To Redis' new clock every hold is an hour old. Live runs keep theirs; a submit in flight is refused cleanly."""
    run = submitted(acme)

    def clock_jumps() -> None:
        for run_id in scripts.snapshot(acme.id, []).holds:
            passing_time.hold_ages(run_id, 3_600)
        assert sweep() == Swept(found=1, holds_voided=1)

    at("submit.reserved", clock_jumps)
    with pytest.raises(ReservationVoided):
        submitted(acme)
    assert redis_balance(acme) == 9_500_000
    work(run)
    ended_once(acme, run, reason=None, charge=50_000)


def test_rebuild_and_top_up_raced_with_reserve_and_settle(acme: Customer) -> None:
    """Everything that writes a tenant's money, at once, for a while. Afterwards Redis = journal, holds = live runs."""
    queued = Run.objects.filter(status="QUEUED")
    with busy(
        lambda: work(submitted(acme, max_cost="0.1000")),
        lambda: submitted(acme, max_cost="0.0500"),
        lambda: rebuild(acme.id),
        lambda: ledger.top_up(acme.id, Micros(150_000), reference=str(uuid4())),
    ):
        began = time.monotonic()
        while time.monotonic() < began + 1.5 or (queued.count() <= 6 and time.monotonic() < began + 60):
            time.sleep(0.1)
    live = set(queued.values_list("pk", flat=True))
    assert len(live) > 3
    snapshot = scripts.snapshot(acme.id, list(live))
    assert set(snapshot.holds) == live
    assert_balanced(acme, snapshot.balance or 0)
    assert audit_ledger().is_clean


def test_an_enqueue_that_fails_while_redis_forgets_is_ended_exactly(acme: Customer) -> None:
    at("finalize.claimed", lambda: client().flushall())
    with unreachable_queue(), pytest.raises(EnqueueFailed):
        submitted(acme)
    assert queue.depth() == 0
    ended_once(acme, Run.objects.get(), reason="QUEUE_ENQUEUE_FAILED", charge=0)
    assert redis_balance(acme) == 10_000_000
