"""POST /v1/runs/{run_id}/cancel."""

import json
from uuid import uuid4

from budget import journal
from runs.lifecycle import transitions
from runs.lifecycle.outcomes import failed
from runs.models import Run
from runs.states import Reason
from tests.api.caller import Caller, costs, problem
from tests.api.ended_runs import completed_run
from tests.builders import Customer, processing, submitted


def test_a_queued_run_is_cancelled_for_free(acme_api: Caller, queued_run: Run) -> None:
    answer = acme_api.post(f"/v1/runs/{queued_run.pk}/cancel")

    assert answer.status_code == 202
    body = json.loads(answer.content)
    assert (body["status"], body["money_state"]) == ("FAILED", "REFUNDED")
    assert body["error"]["reason_code"] == "RUN_CANCELLED"
    assert costs(answer) == ("0.5000", "0.0000", "10.0000", "0")
    assert body["cost"]["budget_remaining_usd"] == "10.0000"
    assert journal.available("acme") == 10_000_000


def test_a_running_run_is_asked_to_stop_and_may_be_asked_again(acme_api: Caller, processing_run: Run) -> None:
    for _ in range(2):
        answer = acme_api.post(f"/v1/runs/{processing_run.pk}/cancel")
        assert answer.status_code == 202
        assert json.loads(answer.content)["status"] == "PROCESSING"
    assert Run.objects.get(pk=processing_run.pk).cancel_requested_at is not None


def test_an_ended_or_ending_run_cannot_be_cancelled(acme_api: Caller, acme: Customer) -> None:
    ended = completed_run(acme)
    refused = acme_api.post(f"/v1/runs/{ended.pk}/cancel")
    assert problem(refused, 409, "RUN_NOT_CANCELLABLE")["run_id"] == str(ended.pk)
    assert costs(refused) == ("0.5000", "0.0500", "9.9500", "0")

    claimed = processing(acme)
    assert claimed.lease_token
    transitions.claim_own(claimed, failed(claimed, Reason.PACK_FAILED, "x"), lease_token=claimed.lease_token)
    problem(acme_api.post(f"/v1/runs/{claimed.pk}/cancel"), 409, "RUN_NOT_CANCELLABLE")


def test_a_cancelled_run_keeps_its_key(acme_api: Caller, acme: Customer) -> None:
    run = submitted(acme, key="cancelled-key-1")
    acme_api.post(f"/v1/runs/{run.pk}/cancel")
    replay = acme_api.submit(key="cancelled-key-1")
    assert (replay.status_code, replay.headers["Idempotent-Replayed"]) == (202, "true")
    assert json.loads(replay.content)["run_id"] == str(run.pk)


def test_nobody_cancels_what_is_not_theirs(rival_api: Caller, queued_run: Run) -> None:
    problem(rival_api.post(f"/v1/runs/{queued_run.pk}/cancel"), 404, "RUN_NOT_FOUND_STEALTH")
    problem(rival_api.post(f"/v1/runs/{uuid4()}/cancel"), 404, "RUN_NOT_FOUND_STEALTH")
    problem(rival_api.post("/v1/runs/nonsense/cancel"), 404, "RUN_NOT_FOUND_STEALTH")
    assert Run.objects.get().status == "QUEUED"
