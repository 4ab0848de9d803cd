"""Stored results are compared with their hashes: damage rings, is listed, and is told instead of a dead link."""

import logging

import pytest
from django.test import Client

from runs.jobs import scrub as job
from runs.jobs.expire import ExpiredRuns, expire
from runs.jobs.scrub import Scrubbed, scrub
from runs.models import Run
from runs.reports.live_metrics import LiveCollector
from storage import store
from storage.exceptions import StorageError
from storage.models import DamagedObject, StoredObject
from tests.api.ended_runs import completed_run
from tests.builders import Customer
from tests.race import passing_time


def _get(api: Client, owner: Customer, run: Run) -> tuple[int, str | None]:
    answer = api.get(f"/v1/runs/{run.pk}", headers=owner.headers())
    return answer.status_code, answer.json().get("reason_code")


def _damage(run: Run, how: str) -> bytes:
    """What was there before."""
    body = store.read(run.result_key or "", sha256=run.result_sha256 or "")
    if how == "missing":
        store.delete([run.result_key or ""])
    else:
        store.put(run.result_key or "", body + b" ", mime=store.JSON_MIME)
    return body


def _gauge() -> float:
    return next(m.samples[0].value for m in LiveCollector().collect() if m.name == "dpp_results_damaged")


@pytest.mark.parametrize("how", ["missing", "differs"])
def test_damage_is_found_told_and_forgotten_once_it_is_mended(
    acme: Customer, api: Client, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    sound, run = completed_run(acme), completed_run(acme)
    assert scrub() == Scrubbed(checked=2)
    body = _damage(run, how)
    assert _get(api, acme, run) == (200, None), "nobody has looked yet"

    with caplog.at_level(logging.ERROR, "dpp.jobs"):
        assert scrub() == Scrubbed(found=1, checked=2, damaged=1)

    assert "result_damaged" in caplog.messages
    damaged = DamagedObject.objects.get()
    assert (damaged.stored.run_id, damaged.problem) == (run.pk, how)
    assert _get(api, acme, run) == (503, "RESULT_UNAVAILABLE")
    assert _get(api, acme, sound) == (200, None)
    assert _gauge() == 1
    assert scrub() == Scrubbed(checked=2), "it rings once"

    store.put(run.result_key or "", body, mime=store.JSON_MIME)
    assert scrub() == Scrubbed(found=1, checked=3, restored=1), "then with all others"
    assert _get(api, acme, run) == (200, None)
    assert _gauge() == 0


def test_a_damaged_artifact_is_no_dead_link_either(acme: Customer, api: Client) -> None:
    run = completed_run(acme, include_markdown=True)
    store.delete([StoredObject.objects.get(run=run, name="report.md").key])

    assert scrub().damaged == 1

    assert _get(api, acme, run) == (503, "RESULT_UNAVAILABLE")


def test_a_walk_goes_on_where_the_last_pass_stopped(acme: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [completed_run(acme) for _ in range(5)]
    _damage(runs[4], "missing")
    monkeypatch.setattr(job, "_BATCH", 2)

    assert [scrub().damaged for _ in range(3)] == [0, 0, 1]
    assert [scrub().checked for _ in range(2)] == [3, 3], "from the beginning, and the known one each time"


def test_a_storage_that_does_not_answer_is_no_damage(acme: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
    completed_run(acme)

    def silent(*_: object, **__: object) -> bytes:
        raise StorageError("no answer")

    with monkeypatch.context() as patched:
        patched.setattr(type(store.object_store()), "get", silent)
        assert scrub() == Scrubbed(left=1)
    with monkeypatch.context() as patched:
        patched.setattr(type(store.object_store()), "reachable", silent)
        assert scrub() == Scrubbed(left=1)
    assert not DamagedObject.objects.exists()


def test_one_bad_answer_is_no_damage(acme: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
    completed_run(acme)
    read, answers = type(store.object_store()).get, [b"half of it"]
    monkeypatch.setattr(type(store.object_store()), "get", lambda *a, **k: answers.pop() if answers else read(*a, **k))

    assert scrub() == Scrubbed(checked=1)


def test_what_retention_deletes_is_not_missing(acme: Customer) -> None:
    run = completed_run(acme)
    passing_time.retention_ends()
    store.delete([run.result_key or ""])

    assert scrub() == Scrubbed()


def test_retention_takes_a_damaged_result_with_it(acme: Customer) -> None:
    run = completed_run(acme)
    _damage(run, "missing")
    assert scrub().damaged == 1
    passing_time.retention_ends()

    assert expire() == ExpiredRuns(found=1, expired=1)
    assert not DamagedObject.objects.exists()
