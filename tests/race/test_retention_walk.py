"""Retention is a walk of many passes: it goes on where the last one stopped, soon, and past what cannot be deleted."""

from datetime import timedelta

import pytest
from django.utils import timezone

from dpp_project.celery import MAINTENANCE_QUEUE, queue_url
from dpp_project.redis import client
from runs.jobs import expire
from runs.jobs.expire import ExpiredRuns
from runs.lifecycle.queue import sqs
from runs.models import Run
from storage.models import StoredObject
from tests.builders import Customer, submitted
from tests.race import passing_time
from tests.race.actors import work
from tests.race.row_lock import row_locked

_NO_PASS = {"now": 0, "soon": 0}


@pytest.fixture
def no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pass has time for one run."""
    monkeypatch.setattr(expire, "_TIME_LIMIT_SEC", 0)


@pytest.fixture(autouse=True)
def batches_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expire, "_BATCH", 2)


def _ended(owner: Customer) -> Run:
    run = submitted(owner)
    work(run)
    return run


def _ended_for_good(owner: Customer) -> Run:
    """Its result cannot be deleted: the key is no text of XML 1.0, and the storage refuses the request."""
    run = _ended(owner)
    StoredObject.objects.filter(run=run).update(key=f"{run.pk}/\x01")
    return run


def _a_year_later() -> ExpiredRuns:
    passing_time.retention_ends()
    return expire.expire()


def _asked_for() -> dict[str, int]:
    """The passes that wait in the maintenance queue: those that may begin, and those that are to wait a little."""
    names = {"now": "ApproximateNumberOfMessages", "soon": "ApproximateNumberOfMessagesDelayed"}
    answer = sqs().get_queue_attributes(QueueUrl=queue_url(MAINTENANCE_QUEUE), AttributeNames=["All"])
    return {when: int(answer["Attributes"][name]) for when, name in names.items()}  # type: ignore[index]


def test_results_that_cannot_be_deleted_do_not_block_those_behind_them(acme: Customer) -> None:
    for _ in range(4):
        _ended_for_good(acme)
    behind = [_ended(acme) for _ in range(3)]
    assert _a_year_later() == ExpiredRuns(found=7, expired=3, left=4)
    assert set(Run.objects.filter(status="EXPIRED").values_list("pk", flat=True)) == {run.pk for run in behind}
    assert _a_year_later() == ExpiredRuns(found=4, left=4), "the next walk tries them again"


def test_a_run_whose_row_somebody_holds_does_not_either(acme: Customer) -> None:
    held, plain = _ended(acme), _ended(acme)
    passing_time.retention_ends()
    with row_locked(held):
        assert _a_year_later() == ExpiredRuns(found=2, expired=1, left=1)
    assert Run.objects.get(pk=plain.pk).status == "EXPIRED"
    assert _a_year_later() == ExpiredRuns(found=1, expired=1)


def test_not_even_when_they_take_all_the_time_of_a_pass(acme: Customer, no_time: None) -> None:
    stuck, plain = _ended_for_good(acme), _ended(acme)
    assert [_a_year_later(), _a_year_later()] == [ExpiredRuns(found=1, left=1), ExpiredRuns(found=1, expired=1)]
    assert set(Run.objects.values_list("pk", "status")) == {(stuck.pk, "COMPLETED"), (plain.pk, "EXPIRED")}


def test_runs_that_end_their_retention_in_one_moment_are_each_looked_at_once(acme: Customer) -> None:
    for _ in range(5):
        _ended_for_good(acme)
    Run.objects.update(retention_until=timezone.now() - timedelta(seconds=1))
    assert expire.expire() == ExpiredRuns(found=5, left=5)


def test_a_pass_that_ran_out_of_time_asks_for_another(acme: Customer, no_time: None) -> None:
    _ended(acme)
    _ended(acme)
    client().set(expire._GOES_ON, "")
    _a_year_later()
    assert _asked_for() == _NO_PASS, "another walk has just asked for its next pass"
    client().delete(expire._GOES_ON)
    _a_year_later()
    assert _asked_for() == {"now": 0, "soon": 1}


def test_a_pass_that_could_delete_nothing_waits_for_the_next_hour(acme: Customer, no_time: None) -> None:
    _ended_for_good(acme)
    _a_year_later()
    assert _asked_for() == _NO_PASS


def test_a_pass_that_had_time_for_all_asks_for_no_other(acme: Customer) -> None:
    for _ in range(3):
        _ended(acme)
    assert _a_year_later() == ExpiredRuns(found=3, expired=3)
    assert _asked_for() == _NO_PASS
