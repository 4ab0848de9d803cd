"""The reaper has a process of its own: nothing that the other jobs, beat or the queue do keeps a dead worker's run."""

import json
import os
import signal
import sys
import time
from collections.abc import Iterator

import pytest

from runs.models import JobPass, Run
from tests.builders import Customer, processing
from tests.owner import owner_cursor
from tests.ports import free_port
from tests.processes import _Process, children_of
from tests.race import passing_time
from tests.services import SessionServices

_EVERY_SEC = 1


class ReaperProcess(_Process):
    name = "reaper"

    def command(self) -> list[str]:
        return [sys.executable, "-m", "manage", "reap", "--forever"]


@pytest.fixture
def reaper(platform: SessionServices) -> Iterator[ReaperProcess]:
    # No queue answers, no beat and no maintenance worker is there: as if they were busy for ever.
    nobody = f"http://127.0.0.1:{free_port()}"
    process = ReaperProcess(
        {"AWS_ENDPOINT_URL": nobody, "DPP_PROFILE_OVERRIDES": json.dumps({"reaper_interval_sec": _EVERY_SEC})}
    )
    process.start()
    yield process
    process.stop()


def _zombie(owner: Customer) -> Run:
    run = processing(owner)
    passing_time.lease_expires(run)
    return run


def _until_ended(run: Run, reaper: ReaperProcess, *, seconds: float) -> None:
    ends = time.monotonic() + seconds
    while Run.objects.get(pk=run.pk).status != "FAILED":
        assert time.monotonic() < ends, reaper.lines()[-3000:]
        time.sleep(0.05)


def test_zombies_end_at_the_reapers_interval_whatever_else_stands_still(acme: Customer, reaper: ReaperProcess) -> None:
    _until_ended(_zombie(acme), reaper, seconds=60)
    for _ in range(3):
        _until_ended(_zombie(acme), reaper, seconds=_EVERY_SEC + 5)

    assert '"service": "reaper"' in reaper.lines()
    assert JobPass.objects.filter(pk="reap").exists()


def test_a_pass_that_fails_is_followed_by_the_next(acme: Customer, reaper: ReaperProcess) -> None:
    _until_ended(_zombie(acme), reaper, seconds=60)
    with owner_cursor() as cursor:
        cursor.execute("ALTER TABLE runs RENAME TO runs_away")
    try:
        ends = time.monotonic() + 20
        while '"event": "job_failed"' not in reaper.lines():
            assert time.monotonic() < ends, reaper.lines()[-3000:]
            time.sleep(0.05)
    finally:
        with owner_cursor() as cursor:
            cursor.execute("ALTER TABLE runs_away RENAME TO runs")
    _until_ended(_zombie(acme), reaper, seconds=_EVERY_SEC + 10)


def test_it_ends_when_told_to(acme: Customer, reaper: ReaperProcess) -> None:
    _until_ended(_zombie(acme), reaper, seconds=60)
    (told,) = children_of(reaper.pid)
    os.kill(told, signal.SIGTERM)

    assert reaper._program.wait(15) == 0, reaper.lines()[-2000:]
