"""One clock: whatever time a process believes it is, the database's decides what is old."""

import json
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection
from django.test import Client
from django.utils import timezone
from freezegun import freeze_time

from dpp_project import clock
from dpp_project.metrics import CLOCK_SKEW
from runs.jobs.runner import ClockSetWrong, run_job
from runs.jobs.table import JOBS
from runs.lifecycle import transitions
from runs.lifecycle.outcomes import failed
from runs.models import JobPass, Run, RunTransition
from runs.states import Actor, Reason
from tests.api.ended_runs import completed_run
from tests.books import everything_about
from tests.builders import Customer, fresh_key, processing, submitted
from tests.race import passing_time

_STEPS = [timedelta(days=31), timedelta(minutes=-61)]


@pytest.fixture(params=_STEPS, ids=["31 days ahead", "61 minutes behind"])
def wrong_clock(request: pytest.FixtureRequest) -> Iterator[timedelta]:
    """The clock of this process; servers have their own."""
    with freeze_time(timezone.now() + request.param, tick=True, ignore=["botocore", "urllib3", "dpp_project.logging"]):
        yield request.param


def test_no_job_deletes_sweeps_reaps_or_charges_by_a_wrong_clock(acme: Customer, wrong_clock: timedelta) -> None:
    runs = [completed_run(acme), submitted(acme), processing(acme)]
    before = [everything_about(run) for run in runs]
    for job in JOBS.values():
        job.one_pass()
    assert [everything_about(run) for run in runs] == before


def test_a_replay_finds_its_run_by_any_clock(acme: Customer, wrong_clock: timedelta) -> None:
    with freeze_time(timezone.now() - wrong_clock, tick=True):
        key = fresh_key()
        first = submitted(acme, key=key)
    assert submitted(acme, key=key).pk == first.pk
    assert Run.objects.count() == 1


def test_a_run_that_was_accepted_by_a_wrong_clock_has_the_databases_times(
    acme: Customer, wrong_clock: timedelta
) -> None:
    run = submitted(acme)
    row = Run.objects.get(pk=run.pk)
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now = cursor.fetchone()[0]
    assert now - timedelta(seconds=20) < row.created_at <= now
    assert row.retention_until - row.created_at == timedelta(days=30)
    assert (run.created_at, run.updated_at, run.retention_until) == (
        row.created_at,
        row.updated_at,
        row.retention_until,
    )


def test_what_is_kept_is_shown_by_any_clock(acme: Customer, api: Client, wrong_clock: timedelta) -> None:
    run = completed_run(acme)
    assert api.get(f"/v1/runs/{run.pk}", headers=acme.headers()).status_code == 200


def test_a_process_whose_clock_is_wrong_says_so_and_runs_no_job(
    acme: Customer, api: Client, wrong_clock: timedelta
) -> None:
    submitted(acme)
    before = list(JobPass.objects.filter(name="sweep").values())
    with pytest.raises(ClockSetWrong):
        run_job("sweep")
    assert list(JobPass.objects.filter(name="sweep").values()) == before
    ready = api.get("/readyz")
    assert ready.status_code == 503
    told = json.loads(ready.content)
    assert told["down"] == ["clock"]
    assert abs(told["checks"]["clock"]["skew_sec"] - wrong_clock.total_seconds()) < 5
    assert abs(CLOCK_SKEW._value.get() - wrong_clock.total_seconds()) < 5


def test_a_clock_that_is_right_is_no_reason_to_refuse(acme: Customer, api: Client) -> None:
    assert abs(clock.skew()) < clock.MOST_SKEW_SEC
    assert run_job("sweep")["found"] == 0
    assert json.loads(api.get("/readyz").content)["checks"]["clock"]["ok"] is True


def test_the_time_that_is_known_without_asking_follows_no_step_of_the_clock(platform: object) -> None:
    before = clock.now()
    with freeze_time(timezone.now() + timedelta(days=31)):
        assert timedelta(0) <= clock.now() - before < timedelta(seconds=20)


def test_the_database_itself_refuses_what_comes_before_its_time(acme: Customer) -> None:
    kept, running = completed_run(acme), processing(acme)
    with pytest.raises(IntegrityError, match="kept until"):
        Run.objects.filter(pk=kept.pk).update(status="EXPIRED", version=kept.version + 1)
    monkeyed = failed(running, Reason.WORKER_TIMEOUT, "")
    with pytest.raises(IntegrityError, match="its lease is good until"):
        transitions.claim_own(running, monkeyed, lease_token=running.lease_token)  # type: ignore[arg-type]
    passing_time.lease_expires(running)
    transitions.claim_zombie(running, monkeyed)
    assert RunTransition.objects.filter(run=running, actor=Actor.REAPER).exists()


def test_a_job_by_hand_is_refused_by_a_wrong_clock_too(acme: Customer, wrong_clock: timedelta) -> None:
    with pytest.raises(ClockSetWrong):
        call_command("sweep")
