"""Each beat job by itself: what it finds, what it leaves alone, and that a healthy system gives it nothing to do."""

import json
from dataclasses import asdict
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from budget import ledger, redis_keys, scripts
from budget.exceptions import ReservationTaken
from budget.models import LedgerEntry, VoidedReservation
from dpp_project.celery import DEAD_LETTER_QUEUE, RUNS_QUEUES, queue_url
from dpp_project.money import Micros
from dpp_project.redis import client
from runs.jobs.dead_letters import Buried, dead_letters
from runs.jobs.drift_repair import DriftRepaired, repair_drift
from runs.jobs.expire import ExpiredRuns, expire
from runs.jobs.reap import Reaped, reap
from runs.jobs.reconcile import Reconciled, reconcile
from runs.jobs.resend import Resent, resend
from runs.jobs.runner import run_job
from runs.jobs.sweep import Swept, sweep
from runs.jobs.table import JOBS
from runs.lifecycle import queue
from runs.lifecycle.queue import sqs
from runs.models import DeadLetter, Run, RunPayload
from runs.reports.invariants import audit_ledger
from runs.worker.run_one import MessageOutcome
from storage import store
from storage.exceptions import ObjectMissing
from storage.models import StoredObject
from tests.books import assert_balanced, everything_about, redis_balance
from tests.builders import Customer, fresh_key, processing, submitted
from tests.race import passing_time
from tests.race.actors import Crash, at, die, fresh, submit_without_queue, work
from tests.race.queue_messages import lose_to_dead_letters, send_to_dead_letters
from tests.race.test_endings import ended_once


def test_all_jobs_find_nothing_in_a_healthy_system(acme: Customer) -> None:
    submitted(acme)
    processing(acme)
    work(submitted(acme))
    before = client().dbsize()
    for name in JOBS:
        counts = run_job(name)
        looked_at = ("examined", "entries", "runs", "checked")
        assert not any(number for outcome, number in counts.items() if outcome not in looked_at), name
    assert client().dbsize() <= before + 1, "the audit's cursor"


# --- reaper ------------------------------------------------------------------------------------------------------


def test_the_reaper_leaves_a_living_lease_alone(processing_run: Run) -> None:
    before = everything_about(processing_run)
    assert reap() == Reaped()
    assert everything_about(processing_run) == before


def test_the_reaper_goes_on_past_a_run_it_cannot_finish(acme: Customer) -> None:
    """One zombie's money was moved otherwise (a dispute for reconcile); the next one is ended all the same."""
    odd, plain = processing(acme), processing(acme)
    for run in (odd, plain):
        passing_time.lease_expires(run)
    scripts.refund_full(acme.id, odd.pk)
    assert reap() == Reaped(found=2, ended=1, left=1)
    assert fresh(plain).status == "FAILED"


# --- sweeper -----------------------------------------------------------------------------------------------------


def test_the_sweeper_waits_an_hour(acme: Customer, queued_run: Run) -> None:
    passing_time.waits_in_queue(queued_run, 3_590)
    assert sweep() == Swept()
    passing_time.waits_in_queue(queued_run)
    assert sweep() == Swept(found=1, expired=1)
    assert not fresh(queued_run).idempotency_released
    ended_once(acme, queued_run, reason="RESERVATION_EXPIRED", charge=0)


def test_a_hold_without_a_run_comes_back_after_five_minutes(acme: Customer) -> None:
    at("submit.reserved", die)
    with pytest.raises(Crash):
        submitted(acme)
    (orphan,) = scripts.snapshot(acme.id, []).holds
    assert redis_balance(acme) == 9_500_000
    assert sweep() == Swept()
    passing_time.hold_ages(orphan)
    assert sweep() == Swept(found=1, holds_voided=1)
    assert redis_balance(acme) == 10_000_000
    assert VoidedReservation.objects.filter(run_id=orphan).exists()
    assert sweep() == Swept()
    assert_balanced(acme, 10_000_000)


def test_old_holds_of_live_runs_stay(acme: Customer) -> None:
    for run in (submitted(acme), processing(acme)):
        passing_time.hold_ages(run.pk)
    assert sweep() == Swept()
    assert redis_balance(acme) == 9_000_000


def test_a_hold_of_an_ended_run_is_closed_with_the_journals_charge(acme: Customer) -> None:
    """Redis went back a second: the run has ended and been charged, its hold is there again."""
    run = submitted(acme)
    work(run)
    _hold_again(acme, run)
    assert redis_balance(acme) == 9_500_000
    passing_time.hold_ages(run.pk)
    assert sweep() == Swept(found=1, holds_closed=1)
    assert redis_balance(acme) == 9_950_000
    ended_once(acme, run, reason=None, charge=50_000)


def test_the_sweeper_finds_an_orphan_behind_a_crowd_of_holds_made_in_one_millisecond(acme: Customer) -> None:
    """A rebuild gives every hold it restores the same moment; more of them than a batch must not block the way."""
    at("submit.reserved", die)
    with pytest.raises(Crash):
        submitted(acme)
    (orphan,) = scripts.snapshot(acme.id, []).holds
    crowd = {str(uuid4()): 1_000 for _ in range(1_100)}
    with client().pipeline(transaction=False) as pipe:
        for run_id in crowd:
            pipe.hset(redis_keys.hold(acme.id, run_id), mapping={"tenant_id": acme.id, "reserved_usd_micros": "0"})
        pipe.zadd(redis_keys.open_holds(acme.id), crowd)
        pipe.execute()
    # Theirs are live runs, as far as the sweeper can see.
    _copies_of(submitted(acme), list(crowd))
    passing_time.hold_ages(orphan)
    passes = [sweep() for _ in range(4)]
    assert sum(swept.holds_voided for swept in passes) == 1
    assert VoidedReservation.objects.filter(run_id=orphan).exists()


def test_one_hold_that_cannot_be_returned_does_not_end_the_pass(acme: Customer, rival: Customer) -> None:
    """Redis lost its amount since the sweeper looked: the next orphan is handled all the same."""
    orphans = []
    for owner in (acme, rival):
        at("submit.reserved", die)
        with pytest.raises(Crash):
            submitted(owner)
        orphans += list(scripts.snapshot(owner.id, []).holds)
    for orphan in orphans:
        passing_time.hold_ages(orphan)
    client().delete(redis_keys.hold(acme.id, orphans[0]))
    client().hset(redis_keys.hold(acme.id, orphans[0]), mapping={"tenant_id": acme.id})
    swept = sweep()
    assert swept.holds_voided == 1
    assert redis_balance(rival) == 10_000_000


def test_a_run_id_that_was_given_back_is_never_held_again(acme: Customer) -> None:
    """A reserve that was delayed on its way arrives after its refund: it must not make a hold nobody can return."""
    run_id = uuid4()
    ledger.reserve(acme.id, run_id, Micros(500_000))
    ledger.refund_full(acme.id, run_id)
    with pytest.raises(ReservationTaken):
        ledger.reserve(acme.id, run_id, Micros(500_000))
    assert redis_balance(acme) == 10_000_000
    assert_balanced(acme, 10_000_000)


# --- reconcile ---------------------------------------------------------------------------------------------------


def _abandoned(owner: Customer, boundary: str) -> Run:
    run = submitted(owner)
    at(boundary, die)
    with pytest.raises(Crash):
        work(run)
    passing_time.claim_is_abandoned(run)
    return fresh(run)


def _damage(run: Run, *, how: str) -> None:
    (envelope,) = run.intended_objects or []
    if how == "gone":
        store.delete([envelope["key"]])
    else:
        store.put(envelope["key"], b"{}", mime=store.JSON_MIME)


@pytest.mark.parametrize("how", ["gone", "other bytes"])
def test_a_success_without_its_object_and_receipt_becomes_a_failure(acme: Customer, how: str) -> None:
    run = _abandoned(acme, "finalize.claimed")
    _damage(run, how=how)
    assert reconcile() == Reconciled(found=1, ended=1)
    assert fresh(run).result_key is None
    ended_once(acme, run, reason="STORAGE_WRITE_FAILED", charge=10_000)


def test_a_success_that_was_charged_and_has_no_object_is_disputed(acme: Customer) -> None:
    run = _abandoned(acme, "finalize.settled")
    _damage(run, how="gone")
    assert reconcile() == Reconciled(found=1, disputed=1)
    assert (fresh(run).status, fresh(run).money_state) == ("PROCESSING", "DISPUTED")
    passing_time.claim_is_abandoned(run)
    assert reconcile() == Reconciled(), "a person decides"
    assert repair_drift() == DriftRepaired(examined=1), "disputed money is left alone"
    assert audit_ledger().is_clean


@pytest.mark.parametrize("moved", ["settled with another charge", "refunded"])
def test_money_that_moved_otherwise_is_disputed(acme: Customer, moved: str) -> None:
    run = _abandoned(acme, "finalize.claimed")
    if moved == "refunded":
        scripts.refund_full(acme.id, run.pk)
    else:
        scripts.settle(acme.id, run.pk, Micros(49_999))
    assert reconcile() == Reconciled(found=1, disputed=1)
    assert fresh(run).money_state == "DISPUTED"


def test_an_intended_failure_stays_one_whatever_objects_exist(acme: Customer) -> None:
    """The reaper claimed while the envelope was being uploaded, then died."""
    run = submitted(acme)
    at("run.uploaded", lambda: _claimed_by_a_reaper_that_dies(run))
    assert work(run) == MessageOutcome.NOT_OURS
    passing_time.claim_is_abandoned(run)
    assert reconcile() == Reconciled(found=1, ended=1)
    assert StoredObject.objects.count() == 0
    ended_once(acme, run, reason="WORKER_TIMEOUT", charge=10_000)


def _claimed_by_a_reaper_that_dies(run: Run) -> None:
    passing_time.lease_expires(run)
    at("finalize.claimed", die)
    with pytest.raises(Crash):
        reap()


def test_a_claim_without_hold_or_receipt_is_rebuilt_and_finished(acme: Customer) -> None:
    run = _abandoned(acme, "finalize.claimed")
    client().flushall()
    assert reconcile() == Reconciled(found=1, ended=1)
    ended_once(acme, run, reason=None, charge=50_000)


# --- dead letters ------------------------------------------------------------------------------------------------


def _dead_body(text: str) -> None:
    sqs().send_message(QueueUrl=queue_url(DEAD_LETTER_QUEUE), MessageBody=text)


def test_a_dead_letter_of_a_queued_run_ends_it_for_the_minimum_fee(acme: Customer, queued_run: Run) -> None:
    send_to_dead_letters(queued_run)
    assert dead_letters() == Buried(found=1, ended=1)
    assert dead_letters() == Buried()
    ended_once(acme, queued_run, reason="WORKER_CRASHED", charge=10_000)


def test_a_dead_letter_that_no_worker_ever_held_is_sent_again(acme: Customer, queued_run: Run) -> None:
    """SQS counts receives whose answers were lost; a brownout must cost nobody a fee."""
    lose_to_dead_letters(queued_run)
    assert dead_letters() == Buried(found=1, sent_again=1)
    assert dead_letters() == Buried()
    assert work(queued_run) == MessageOutcome.ENDED
    ended_once(acme, queued_run, reason=None, charge=50_000)


def test_a_dead_letter_of_a_run_that_a_healthy_worker_executes_is_only_acknowledged(acme: Customer) -> None:
    run = submitted(acme)
    seen: list[Buried] = []

    def message_dies_meanwhile() -> None:
        send_to_dead_letters(run)
        seen.append(dead_letters())

    at("run.executed", message_dies_meanwhile)
    assert work(run) == MessageOutcome.ENDED
    assert seen == [Buried(found=1, acknowledged=1)]
    ended_once(acme, run, reason=None, charge=50_000)


def test_dead_letters_of_ended_runs_change_nothing_however_often_they_are_redriven(acme: Customer) -> None:
    run = submitted(acme)
    work(run)
    before = everything_about(run)
    for _ in range(3):
        send_to_dead_letters(run)
        assert dead_letters() == Buried(found=1, acknowledged=1)
    assert everything_about(run) == before


def test_dead_letters_that_fit_no_run_are_kept_and_touch_none(acme: Customer, rival: Customer) -> None:
    run = submitted(acme)
    before = everything_about(run)
    for text in ("not JSON", "{}", json.dumps({"body": "AAAA"}), "\u0000" * 3 + "é", "x" * 100_000):
        _dead_body(text.replace("\u0000", "?"))
    stranger = Run(**{**Run.objects.filter(pk=run.pk).values().get(), "tenant_id": rival.id})
    send_to_dead_letters(stranger)
    nobody = Run(**{**Run.objects.filter(pk=run.pk).values().get(), "run_id": uuid4()})
    send_to_dead_letters(nobody)
    buried = [dead_letters(), dead_letters()]
    assert sum(count.kept for count in buried) == 7
    problems = sorted(DeadLetter.objects.values_list("problem", flat=True))
    assert problems[-2:] == ["tenant differs", "unknown run"]
    assert everything_about(run) == before


# --- retention ---------------------------------------------------------------------------------------------------


def test_after_thirty_days_the_result_is_gone_and_the_money_history_stays(acme: Customer) -> None:
    run = submitted(acme)
    work(run)
    ended = fresh(run)
    assert ended.result_key
    assert ended.retention_until - ended.created_at == timedelta(days=30)
    Run.objects.update(retention_until=timezone.now() + timedelta(seconds=60))
    assert expire() == ExpiredRuns()
    Run.objects.update(retention_until=timezone.now() - timedelta(seconds=1))
    assert expire() == ExpiredRuns(found=1, expired=1)
    assert expire() == ExpiredRuns()
    gone = fresh(run)
    assert (gone.status, gone.money_state, gone.result_key) == ("EXPIRED", "SETTLED", None)
    with pytest.raises(ObjectMissing):
        store.read(ended.result_key, sha256=ended.result_sha256 or "")
    assert not RunPayload.objects.filter(run=run).exists()
    assert not StoredObject.objects.filter(run=run).exists()
    assert LedgerEntry.objects.filter(run=run).count() == 2
    assert_balanced(acme, 9_950_000)
    assert audit_ledger().is_clean


def test_live_runs_are_never_expired(acme: Customer) -> None:
    runs = [submitted(acme), processing(acme)]
    passing_time.retention_ends()
    before = [everything_about(run) for run in runs]
    assert expire() == ExpiredRuns()
    assert [everything_about(run) for run in runs] == before


def test_an_expired_key_starts_a_fresh_run(acme: Customer) -> None:
    key = fresh_key()
    first = submitted(acme, key=key)
    work(first)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE runs SET retention_until = now() - interval '1 s'")
    second = submitted(acme, key=key)
    assert second.pk != first.pk
    assert fresh(first).status == "EXPIRED"
    assert audit_ledger().is_clean


# --- resend ------------------------------------------------------------------------------------------------------


def _died_at(owner: Customer, point: str) -> Run:
    at(point, die)
    with pytest.raises(Crash):
        submitted(owner)
    return Run.objects.get()


@pytest.mark.parametrize("point", ["submit.committed", "submit.mapped"])
def test_a_run_whose_message_was_never_sent_is_sent_once(acme: Customer, point: str) -> None:
    run = _died_at(acme, point)
    assert queue.depth() == 0
    assert resend(now=timezone.now()) == Resent(), "not before two minutes"
    passing_time.unsent_marker_ages(run.pk)
    assert resend(now=timezone.now()) == Resent(found=1, sent=1)
    assert resend(now=timezone.now()) == Resent()
    assert queue.depth() == 1


def test_a_forgotten_marker_costs_a_quarter_of_an_hour_and_no_more(acme: Customer) -> None:
    run = _died_at(acme, "submit.mapped")
    client().flushall()
    passing_time.waits_in_queue(run, 890)
    assert resend(now=timezone.now()) == Resent()
    passing_time.waits_in_queue(run, 901)
    assert resend(now=timezone.now()) == Resent(found=1, sent=1)
    assert resend(now=timezone.now()) == Resent(), "a deep backlog never multiplies messages"
    assert queue.depth() == 1


def test_confirmed_started_and_ended_runs_are_not_sent_again(acme: Customer) -> None:
    submitted(acme)
    processing(acme)
    work(submitted(acme))
    submit_without_queue(acme)
    for run_id in client().zrange(redis_keys.unsent(acme.id), 0, -1):
        client().zadd(redis_keys.unsent(acme.id), {str(run_id): 1})
    assert resend(now=timezone.now()) == Resent()


# --- audit -------------------------------------------------------------------------------------------------------


def test_drift_is_repaired_when_two_passes_saw_it_alike(acme: Customer, rival: Customer) -> None:
    submitted(acme)
    client().incrby(redis_keys.balance(acme.id), 7)
    assert repair_drift() == DriftRepaired(found=1, examined=2, suspected=1)
    assert redis_balance(acme) == 9_500_007
    assert repair_drift() == DriftRepaired(found=1, examined=2, repaired=1)
    assert redis_balance(acme) == 9_500_000
    assert repair_drift() == DriftRepaired(examined=2)


def test_a_drift_that_changes_between_two_passes_is_looked_at_again(acme: Customer) -> None:
    client().incrby(redis_keys.balance(acme.id), 7)
    repair_drift()
    client().incrby(redis_keys.balance(acme.id), 1)
    assert repair_drift() == DriftRepaired(found=1, examined=1, suspected=1)
    assert repair_drift() == DriftRepaired(found=1, examined=1, repaired=1)


def test_a_suspicion_that_did_not_come_true_is_forgotten(acme: Customer) -> None:
    client().incrby(redis_keys.balance(acme.id), 7)
    repair_drift()
    client().decrby(redis_keys.balance(acme.id), 7)
    assert repair_drift() == DriftRepaired(examined=1)
    client().incrby(redis_keys.balance(acme.id), 7)
    assert repair_drift() == DriftRepaired(found=1, examined=1, suspected=1)


def test_what_redis_forgot_is_rebuilt_at_once(acme: Customer, queued_run: Run) -> None:
    client().flushall()
    assert repair_drift() == DriftRepaired(found=1, examined=1, rebuilt=1)
    assert redis_balance(acme) == 9_500_000
    assert client().exists(redis_keys.hold(queued_run.tenant_id, queued_run.pk))


@pytest.mark.parametrize("lost", ["hold deleted by hand", "hold lost with its deduction"])
def test_a_lost_hold_is_back_after_two_passes(acme: Customer, queued_run: Run, lost: str) -> None:
    client().delete(redis_keys.hold(queued_run.tenant_id, queued_run.pk))
    if lost == "hold lost with its deduction":
        client().srem(redis_keys.tenant_holds(acme.id), str(queued_run.pk))
        client().incrby(redis_keys.balance(acme.id), 500_000)
    assert repair_drift() == DriftRepaired(found=1, examined=1, suspected=1)
    assert repair_drift() == DriftRepaired(found=1, examined=1, repaired=1)
    assert redis_balance(acme) == 9_500_000
    work(queued_run)
    ended_once(acme, queued_run, reason=None, charge=50_000)


def _hold_again(owner: Customer, run: Run) -> None:
    """Redis as it was before the run was settled."""
    receipt = scripts.receipt(run.tenant_id, run.pk)
    assert receipt
    client().delete(redis_keys.receipt(run.tenant_id, run.pk))
    client().decrby(redis_keys.balance(owner.id), receipt.refund)
    client().hset(
        redis_keys.hold(run.tenant_id, run.pk),
        mapping={"tenant_id": owner.id, "reserved_usd_micros": str(receipt.charge + receipt.refund)},
    )
    client().sadd(redis_keys.tenant_holds(owner.id), str(run.pk))
    client().zadd(redis_keys.open_holds(owner.id), {str(run.pk): client().time()[0] * 1000})


def _copies_of(run: Run, ids: list[str]) -> None:
    values = Run.objects.filter(pk=run.pk).values().get()
    Run.objects.bulk_create(Run(**{**values, "run_id": each, "idempotency_key": each}) for each in ids)


def test_counts_are_plain_numbers() -> None:
    """They become metrics."""
    for counts in (Reaped(), Swept(), Reconciled(), Buried(), ExpiredRuns(), Resent(), DriftRepaired()):
        assert all(type(value) is int for value in asdict(counts).values())


@pytest.mark.parametrize("name", RUNS_QUEUES)
def test_the_queues_are_bootstrapped_with_the_profiles_numbers(acme: Customer, name: str) -> None:
    attributes = sqs().get_queue_attributes(QueueUrl=queue_url(name), AttributeNames=["All"])["Attributes"]
    assert attributes["VisibilityTimeout"] == "120"
    assert json.loads(attributes["RedrivePolicy"])["maxReceiveCount"] in (3, "3")
