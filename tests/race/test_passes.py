"""A pass of a job does not end with its first batch: it goes on while batches come full, help, and there is time."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from budget import scripts
from dpp_project.celery import DEAD_LETTER_QUEUE, queue_url
from dpp_project.profile import LOCKED
from runs.jobs import dead_letters, drift_repair, expire, purge_inputs, reap, reconcile, resend, scrub, sweep
from runs.jobs.dead_letters import Buried
from runs.jobs.expire import ExpiredRuns
from runs.jobs.reap import Reaped
from runs.jobs.reconcile import Reconciled
from runs.jobs.resend import Resent
from runs.jobs.sweep import Swept
from runs.lifecycle.queue import sqs
from runs.models import Run
from tests.books import assert_balanced, redis_balance
from tests.builders import Customer, processing, submitted
from tests.race import passing_time
from tests.race.actors import Crash, at, die, work

_JOBS = (dead_letters, reap, reconcile, resend, expire, sweep, purge_inputs, scrub)


@pytest.fixture(autouse=True)
def batches_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    for job in (reap, reconcile, resend, expire, sweep, purge_inputs):
        monkeypatch.setattr(job, "_BATCH", 2)


def _zombie(owner: Customer) -> None:
    passing_time.lease_expires(processing(owner))


def _waited_too_long(owner: Customer) -> None:
    passing_time.waits_in_queue(submitted(owner))


def _orphan(owner: Customer, age_sec: int) -> None:
    known = scripts.snapshot(owner.id, []).holds.keys()
    at("submit.reserved", die)
    with pytest.raises(Crash):
        submitted(owner)
    (orphan,) = scripts.snapshot(owner.id, []).holds.keys() - known
    passing_time.hold_ages(orphan, age_sec)


def _abandoned(owner: Customer) -> None:
    run = processing(owner)
    passing_time.lease_expires(run)
    at("finalize.claimed", die)
    with pytest.raises(Crash):
        reap.reap()
    passing_time.claim_is_abandoned(run)


def _never_sent(owner: Customer) -> None:
    known = set(Run.objects.values_list("pk", flat=True))
    at("submit.mapped", die)
    with pytest.raises(Crash):
        submitted(owner)
    passing_time.unsent_marker_ages(Run.objects.exclude(pk__in=known).get().pk)


def _ended(owner: Customer) -> None:
    work(submitted(owner))


def _a_year_later() -> ExpiredRuns:
    passing_time.retention_ends()
    return expire.expire()


def _resend() -> Resent:
    return resend.resend(now=timezone.now())


_BACKLOGS: list[tuple[Callable[[Customer], object], Callable[[], object], object, object]] = [
    (_zombie, reap.reap, Reaped(found=5, ended=5), Reaped(found=1, ended=1)),
    (_abandoned, reconcile.reconcile, Reconciled(found=5, ended=5), Reconciled(found=1, ended=1)),
    (_waited_too_long, sweep.sweep, Swept(found=5, expired=5), Swept(found=1, expired=1)),
    (_never_sent, _resend, Resent(found=5, sent=5), Resent(found=1, sent=1)),
    (_ended, _a_year_later, ExpiredRuns(found=5, expired=5), ExpiredRuns(found=1, expired=1)),
]
_NAMES = ["reap", "reconcile", "sweep", "resend", "retain"]


@pytest.mark.parametrize(("make", "job", "all_of_it", "first_of_it"), _BACKLOGS, ids=_NAMES)
def test_a_backlog_of_several_batches_is_gone_after_one_pass(
    acme: Customer,
    make: Callable[[Customer], object],
    job: Callable[[], object],
    all_of_it: object,
    first_of_it: object,
) -> None:
    for _ in range(5):
        make(acme)
    assert job() == all_of_it
    assert job() == type(all_of_it)(), "nothing is left"


@pytest.mark.parametrize(("make", "job", "all_of_it", "first_of_it"), _BACKLOGS, ids=_NAMES)
def test_a_pass_ends_with_its_time(
    acme: Customer,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[Customer], object],
    job: Callable[[], object],
    all_of_it: object,
    first_of_it: object,
) -> None:
    for each in _JOBS:
        monkeypatch.setattr(each, "_TIME_LIMIT_SEC", 0)
    for _ in range(2):
        make(acme)
    assert [job(), job(), job()] == [first_of_it, first_of_it, type(first_of_it)()], "the next pass does the rest"


def test_holds_without_a_run_come_back_however_many_batches_are_before_them(acme: Customer) -> None:
    """The first batch are holds that stay. One right behind a batch may be left to the next pass."""
    for _ in range(3):
        passing_time.hold_ages(submitted(acme).pk, 900)
    for number in range(5):
        _orphan(acme, 800 - number)
    assert redis_balance(acme) == 6_000_000
    voided = [sweep.sweep().holds_voided for _ in range(3)]
    assert (voided[0] > sweep._BATCH, sum(voided)) == (True, 5)
    assert redis_balance(acme) == 8_500_000
    assert_balanced(acme, 8_500_000)


def test_runs_that_nobody_sent_for_long_are_all_sent(acme: Customer) -> None:
    for _ in range(5):
        passing_time.waits_in_queue(submitted(acme), 901)
    assert _resend() == Resent(found=5, sent=5)


def test_hundreds_of_dead_letters_are_buried_in_one_pass(acme: Customer) -> None:
    letters = [{"Id": str(number), "MessageBody": f"letter {number}"} for number in range(10)]
    for _ in range(21):
        sqs().send_message_batch(QueueUrl=queue_url(DEAD_LETTER_QUEUE), Entries=letters)  # type: ignore[arg-type]
    assert dead_letters.dead_letters() == Buried(found=210, kept=210)


def test_dead_letters_that_time_did_not_suffice_for_stay_for_the_next_pass(
    acme: Customer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dead_letters, "_TIME_LIMIT_SEC", 0)
    for number in range(12):
        sqs().send_message(QueueUrl=queue_url(DEAD_LETTER_QUEUE), MessageBody=f"letter {number}")
    assert [dead_letters.dead_letters().kept for _ in range(2)] == [10, 2]


def test_a_full_batch_that_nothing_can_be_done_about_ends_the_pass(acme: Customer) -> None:
    """Their money was moved otherwise: a dispute each, for reconcile."""
    odd = [processing(acme) for _ in range(4)]
    for run in odd:
        passing_time.lease_expires(run)
        scripts.refund_full(acme.id, run.pk)
    assert reap.reap() == Reaped(found=2, left=2)


def test_no_pass_takes_as_long_as_the_reaper_may_wait() -> None:
    """The maintenance worker does one at a time."""
    for job in _JOBS:
        assert 0 < job._TIME_LIMIT_SEC < LOCKED.reaper_interval_sec, job.__name__
    assert 0 < drift_repair._CHANGES_SEC + drift_repair._WALK_SEC < LOCKED.reaper_interval_sec
