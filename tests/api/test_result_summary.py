"""What a poll tells of a result before it is read: reliability, warnings, whether the limit was reached."""

import json
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection

from packs.base import JsonObject, PackContext, PackResult
from packs.registry import PACKS
from runs.lifecycle import finalize, transitions
from runs.lifecycle.outcomes import completed, failed
from runs.lifecycle.result_summary import MAX_TEXT_CHARS, MAX_WARNINGS, summary_of
from runs.models import Run
from runs.states import Actor, Reason
from runs.worker.run_one import Delivery, run_one
from tests.api.caller import Caller
from tests.builders import Customer, message, micros, processing, submitted
from tests.race import passing_time


def ended_with(owner: Customer, result: PackResult, **changes: Any) -> Run:
    """A run whose pack gave this result."""

    def execute(inputs: JsonObject, context: PackContext) -> PackResult:
        return result

    run = submitted(owner, **changes)
    packs = {**PACKS, run.pack_type: replace(PACKS[run.pack_type], execute=execute)}
    run_one(Delivery(message_id="in-process", body=message(run), extend=lambda: None), packs=packs)
    run.refresh_from_db()
    return run


def shown(caller: Caller, run: Run) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(caller.get(f"/v1/runs/{run.pk}").content)
    return body


def test_a_poll_tells_reliability_warnings_and_the_cap(acme_api: Caller, acme: Customer) -> None:
    result = PackResult(
        {"open": [{"id": "OPEN-1", "kind": "NO_EVIDENCE", "text": "Nothing is known of Beta."}]},
        reliability=0.61234567,
        discard_log=({"url": "https://a.example", "reason_code": "PAYWALL", "reason_detail": "Behind a paywall."},),
        warnings=(("READ_WITH_DOUBT", "Page 2 was read with doubt."),),
        budget_cap_reached=True,
    )
    body = shown(acme_api, ended_with(acme, result))
    assert body["reliability"] == {"score": 0.6123, "required": 0.8, "met": False}
    assert body["budget_cap"] == "BUDGET_CAP_REACHED"
    assert [warning["code"] for warning in body["warnings"]] == [
        "RELIABILITY_NOT_MET",
        "BUDGET_CAP_REACHED",
        "NO_EVIDENCE",
        "READ_WITH_DOUBT",
        "PAYWALL",
    ]
    assert body["warnings"][-1]["text"] == "https://a.example: Behind a paywall."


def test_a_good_result_has_no_warnings(acme_api: Caller, acme: Customer) -> None:
    body = shown(acme_api, ended_with(acme, PackResult({}, reliability=0.9)))
    assert body["reliability"] == {"score": 0.9, "required": 0.8, "met": True}
    assert (body["warnings"], body["budget_cap"]) == ([], None)


def test_what_a_poll_tells_is_what_the_envelope_says(acme_api: Caller, acme: Customer) -> None:
    run = submitted(acme, inline=True)
    run_one(Delivery(message_id="in-process", body=message(run), extend=lambda: None))
    body = shown(acme_api, run)
    assert body["reliability"] == body["result"]["inline"]["reliability"]


def test_no_object_is_read_for_it(acme_api: Caller, acme: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
    run = ended_with(acme, PackResult({}, reliability=0.9))
    monkeypatch.setattr("storage.store.read", None)
    assert shown(acme_api, run)["reliability"]["score"] == 0.9


def test_a_result_that_was_withheld_tells_why(acme_api: Caller, acme: Customer) -> None:
    run = ended_with(acme, PackResult({}, reliability=0.3), on_unmet="refund")
    body = shown(acme_api, run)
    assert (body["status"], body["error"]["reason_code"]) == ("FAILED", "RELIABILITY_NOT_MET")
    assert body["reliability"] == {"score": 0.3, "required": 0.8, "met": False}


def test_a_run_that_never_had_a_result_tells_nothing(acme_api: Caller, acme: Customer) -> None:
    run = processing(acme)
    assert run.lease_token
    transitions.claim_own(run, failed(run, Reason.PACK_FAILED, "No."), lease_token=run.lease_token)
    finalize.finish(run, actor=Actor.WORKER)
    assert not {"reliability", "warnings", "budget_cap"} & shown(acme_api, run).keys()


def test_a_claim_that_is_not_committed_shows_nothing_yet(acme_api: Caller, acme: Customer) -> None:
    run = processing(acme)
    assert run.lease_token
    summary = summary_of(run, PackResult({}, reliability=0.9))
    outcome = completed(run, actual=micros("0.0500"), objects=(), summary=summary)
    transitions.claim_own(run, outcome, lease_token=run.lease_token)
    live = shown(acme_api, run)
    assert live["status"] == "PROCESSING"
    assert not {"reliability", "warnings", "budget_cap"} & live.keys()
    finalize.finish(run, actor=Actor.WORKER)
    assert shown(acme_api, run)["reliability"]["met"] is True


def test_an_outcome_that_is_replaced_takes_its_summary_with_it(acme: Customer) -> None:
    run = processing(acme)
    assert run.lease_token
    outcome = completed(run, actual=micros("0.0500"), objects=(), summary={"budget_cap": None})
    transitions.claim_own(run, outcome, lease_token=run.lease_token)
    transitions.rewrite_intent(run, failed(run, Reason.STORAGE_WRITE_FAILED, "The object is gone."))
    assert Run.objects.get(pk=run.pk).result_summary is None


def test_at_retention_the_summary_goes_with_the_result(acme: Customer) -> None:
    run = ended_with(acme, PackResult({"open": [{"kind": "X", "text": "quotes the inputs"}]}, reliability=0.9))
    assert run.result_summary
    passing_time.retention_ends()
    run.refresh_from_db()
    transitions.expire(run, actor=Actor.RETENTION)
    with connection.cursor() as cursor:
        cursor.execute("SELECT result_summary FROM runs WHERE run_id = %s", [run.pk])
        assert cursor.fetchone() == (None,)


def test_warnings_are_bounded_and_said_once(acme: Customer) -> None:
    run = Run(min_reliability_score=0.5)
    texts = [f"{number} {'x' * 1_000}" for number in range(100)]
    result = PackResult({"open": [{"code": "A", "text": text} for text in (*texts, *texts)]}, reliability=0.9)
    warnings = summary_of(run, result)["warnings"]
    assert len(warnings) == MAX_WARNINGS
    assert warnings[-1] == {"code": "MORE_WARNINGS", "text": "81 more warnings stand in the result."}
    assert max(len(warning["text"]) for warning in warnings) == MAX_TEXT_CHARS
    assert len(json.dumps(warnings)) < 8_192


def test_warnings_are_in_the_language_of_the_answer(acme: Customer) -> None:
    run = Run(min_reliability_score=0.5)
    result = PackResult({"language": "ko"}, reliability=0.4, budget_cap_reached=True)
    assert all("가" <= warning["text"][0] <= "힣" for warning in summary_of(run, result)["warnings"])
