"""The worker's surroundings fail: its heartbeat dies, its clock is wrong, strangers name files."""

import os
import subprocess
import sys
import threading
import time
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone
from freezegun import freeze_time

from dpp_project.profile import PROFILE
from runs.exceptions import LostRace
from runs.jobs.reap import Reaped, reap
from runs.lifecycle import transitions
from runs.lifecycle.outcomes import failed
from runs.models import Run
from runs.states import Reason
from runs.worker.heartbeat import Heartbeat
from runs.worker.run_one import MessageOutcome
from storage.object_keys import RunFolder
from tests.books import everything_about
from tests.builders import Customer, submitted
from tests.race import passing_time
from tests.race.actors import at, fresh, work
from tests.race.test_endings import ended_once


def test_a_heartbeat_extends_the_lease_and_never_moves_the_version(processing_run: Run) -> None:
    before = fresh(processing_run)
    passing_time.lease_expires(processing_run)
    assert before.lease_token
    beat = Heartbeat(before.pk, before.lease_token, extend_message=lambda: None)
    beat.beat()
    after = fresh(processing_run)
    assert after.version == before.version
    assert after.lease_expires_at
    assert after.lease_expires_at > timezone.now() + timedelta(seconds=PROFILE.lease_ttl_sec - 10)
    assert reap() == Reaped()


def test_a_heartbeat_of_another_token_extends_nothing_and_says_so(processing_run: Run) -> None:
    before = everything_about(processing_run)
    beat = Heartbeat(processing_run.pk, uuid4(), extend_message=lambda: None)
    beat.beat()
    assert beat.lost.is_set()
    assert everything_about(processing_run) == before


def test_a_heartbeat_of_a_claimed_run_extends_nothing(acme: Customer) -> None:
    run = submitted(acme)

    def beats_once_more() -> None:
        claimed = fresh(run)
        assert claimed.lease_token
        before = everything_about(run)
        beat = Heartbeat(run.pk, claimed.lease_token, extend_message=lambda: None)
        beat.beat()
        assert beat.lost.is_set()
        assert everything_about(run) == before

    at("finalize.claimed", beats_once_more)
    assert work(run) == MessageOutcome.ENDED


def test_a_heartbeat_whose_hints_fail_still_keeps_the_lease(processing_run: Run) -> None:
    def refused() -> None:
        raise OSError("SQS does not answer")

    passing_time.lease_expires(processing_run)
    token = fresh(processing_run).lease_token
    assert token
    Heartbeat(processing_run.pk, token, extend_message=refused).beat()
    assert reap() == Reaped()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_heartbeat_thread_that_dies_leaves_a_run_that_is_reaped(processing_run: Run, acme: Customer) -> None:
    """Killed by an error nobody thought of. The lease runs out; the worker's claim then finds it gone."""

    def unthinkable() -> None:
        raise RuntimeError("unthinkable")

    token = fresh(processing_run).lease_token
    assert token
    beat = Heartbeat(processing_run.pk, token, extend_message=unthinkable)
    thread = threading.Thread(target=beat.beat)
    thread.start()
    thread.join()
    passing_time.lease_expires(processing_run)
    assert reap() == Reaped(found=1, ended=1)
    before = everything_about(processing_run)
    with pytest.raises(LostRace):
        transitions.claim_own(processing_run, failed(processing_run, Reason.PACK_FAILED, "late"), lease_token=token)
    assert everything_about(processing_run) == before
    ended_once(acme, processing_run, reason="WORKER_TIMEOUT", charge=10_000)


@pytest.mark.parametrize("minutes", [-10, 10])
def test_a_worker_whose_clock_is_wrong_keeps_its_lease_and_ends_its_run(acme: Customer, minutes: int) -> None:
    run = submitted(acme)
    at("run.executed", lambda: _not_reaped(run))
    with freeze_time(timezone.now() + timedelta(minutes=minutes), tick=True):
        assert work(run) == MessageOutcome.ENDED
    ended_once(acme, run, reason=None, charge=50_000)


def _not_reaped(run: Run) -> None:
    with freeze_time(timezone.now() + timedelta(minutes=30)):
        assert reap() == Reaped(), "leases are judged by the database's clock"
    assert fresh(run).status == "PROCESSING"


@pytest.mark.parametrize("name", ["../x", "a/b", "a\x00b", "a\nb", "", ".", "..", "A.md", "x" * 80, "é.md"])
def test_a_name_that_is_not_plain_never_becomes_a_key(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be the name"):
        RunFolder("acme", uuid4(), timezone.now(), PROFILE.retention).artifact(name)


def test_a_thread_that_beats_ends_with_its_run(acme: Customer) -> None:
    work(submitted(acme))
    time.sleep(0.05)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("heartbeat-")]


@pytest.mark.parametrize("variable", ["DPP_CRASH_POINTS", "DPP_CRASH_POINTS_FILE"])
def test_production_refuses_to_start_with_an_armed_crash_point(variable: str) -> None:
    program = [sys.executable, "-c", "import dpp_project.faults"]
    environment = {**os.environ, variable: "finalize.settled"}
    assert subprocess.run(program, env={**environment, "DPP_ENV": "test"}, check=False).returncode == 0
    refused = subprocess.run(
        program, env={**environment, "DPP_ENV": "production"}, check=False, capture_output=True, text=True
    )
    assert refused.returncode == 1
    assert "DPP_CRASH_POINTS" in refused.stderr
