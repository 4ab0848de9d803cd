"""GET /v1/runs/{id}/inputs: what the owner asked, as long as it is kept, and nobody else's."""

import json

from dpp_project.profile import PROFILE
from runs.jobs.purge_inputs import purge_inputs
from runs.lifecycle.cancel import cancel
from runs.models import RunPayload
from tests.api.caller import Caller, costs, problem
from tests.api.ended_runs import completed_run
from tests.builders import QUESTION, Customer, submitted


def test_the_owner_reads_what_is_executed(acme_api: Caller, acme: Customer) -> None:
    run = completed_run(acme, include_markdown=True)
    answer = acme_api.get(f"/v1/runs/{run.pk}/inputs")
    assert answer.status_code == 200
    stored = json.loads(answer.content)
    assert stored["run_id"] == str(run.pk)
    assert stored["request"] == json.loads(RunPayload.objects.get(run=run).body or "")
    assert stored["request"]["inputs"] == QUESTION
    assert stored["request"]["artifacts"]["include_markdown"] is True
    assert "0.5000" in costs(answer)


def test_inputs_that_lie_in_object_storage_are_read_from_there(acme_api: Caller, acme: Customer) -> None:
    long = {**QUESTION, "context": "Context. " * (PROFILE.inline_payload_max_bytes // 9 + 1)}
    run = submitted(acme, inputs=long)
    assert RunPayload.objects.get(run=run).object_key
    stored = json.loads(acme_api.get(f"/v1/runs/{run.pk}/inputs").content)
    assert stored["request"]["inputs"] == long


def test_a_stranger_gets_the_answer_for_no_run(rival_api: Caller, acme: Customer) -> None:
    """(That it is the same bytes in the same time is in tests/security.)"""
    problem(rival_api.get(f"/v1/runs/{submitted(acme).pk}/inputs"), 404, "RUN_NOT_FOUND_STEALTH")


def test_what_was_deleted_is_gone(acme_api: Caller, acme: Customer) -> None:
    run = completed_run(acme)
    acme_api.delete(f"/v1/runs/{run.pk}")
    problem(acme_api.get(f"/v1/runs/{run.pk}/inputs"), 410, "RUN_EXPIRED")


def test_inputs_of_a_cancelled_run_are_gone_soon(acme_api: Caller, acme: Customer) -> None:
    run = submitted(acme)
    cancel(run)
    assert purge_inputs().purged == 1
    told = problem(acme_api.get(f"/v1/runs/{run.pk}/inputs"), 410, "RUN_EXPIRED")
    assert "not kept" in told["detail"]
