"""DELETE /v1/runs/{id}: the owner's data is gone now; what it cost stays."""

import pytest
from django.utils import timezone

from budget import journal
from runs.models import Run, RunPayload
from runs.states import Status
from storage import store
from storage.exceptions import ObjectMissing
from storage.models import StoredObject
from tests.api.caller import Caller, costs, problem
from tests.api.ended_runs import completed_run
from tests.books import assert_balanced, history
from tests.builders import Customer, fresh_key, json_body, submitted


def test_result_and_inputs_are_gone_and_the_journal_stays(acme_api: Caller, acme: Customer) -> None:
    run = completed_run(acme)
    key, sha256 = run.result_key, run.result_sha256
    assert key
    assert sha256

    deleted = acme_api.delete(f"/v1/runs/{run.pk}")

    assert (deleted.status_code, deleted.content) == (204, b"")
    assert "0.0500" in costs(deleted)
    problem(acme_api.get(f"/v1/runs/{run.pk}"), 410, "RUN_EXPIRED")
    with pytest.raises(ObjectMissing):
        store.read(key, sha256=sha256)
    assert not RunPayload.objects.filter(run=run).exists()
    assert not StoredObject.objects.filter(run=run).exists()
    gone = Run.objects.get(pk=run.pk)
    assert (gone.status, gone.actual_cost_usd_micros, gone.result_key) == (Status.EXPIRED, 50_000, None)
    assert gone.retention_until <= timezone.now()
    assert history(gone)[-1][0] == "api"
    assert_balanced(acme, 9_950_000)


def test_its_key_is_free_again(acme_api: Caller, acme: Customer) -> None:
    key = fresh_key()
    run = completed_run(acme, key=key)
    acme_api.delete(f"/v1/runs/{run.pk}")

    fresh = acme_api.submit(json_body(), key=key)

    assert fresh.status_code == 202
    assert str(run.pk) not in fresh.content.decode()


def test_a_run_that_has_not_ended_is_left_alone(acme_api: Caller, acme: Customer) -> None:
    run = submitted(acme)
    problem(acme_api.delete(f"/v1/runs/{run.pk}"), 409, "RUN_NOT_ENDED")
    assert Run.objects.get(pk=run.pk).status == Status.QUEUED
    assert journal.available(acme.id) == 9_500_000


def test_a_second_delete_finds_it_gone(acme_api: Caller, acme: Customer) -> None:
    run = completed_run(acme)
    acme_api.delete(f"/v1/runs/{run.pk}")
    problem(acme_api.delete(f"/v1/runs/{run.pk}"), 410, "RUN_EXPIRED")


def test_nobody_deletes_another_tenants_run(rival_api: Caller, acme: Customer) -> None:
    run = completed_run(acme)
    problem(rival_api.delete(f"/v1/runs/{run.pk}"), 404, "RUN_NOT_FOUND_STEALTH")
    assert Run.objects.get(pk=run.pk).status == Status.COMPLETED
