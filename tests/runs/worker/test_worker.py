"""What a worker does with one message, in this process: only the queue's delivery is given."""

import json
from io import BytesIO
from typing import Any
from uuid import uuid4

import pytest
from PIL import Image

from runs.lifecycle import transitions
from runs.models import DeadLetter, Run
from runs.states import Actor, MoneyState, Reason, Status
from runs.worker.run_one import Delivery, MessageOutcome, run_one
from storage import store
from storage.s3 import S3ObjectStore
from tests.books import assert_balanced, entries, everything_about, history
from tests.builders import Customer, fresh_key, message, submitted
from tests.probe_pack import PACK as PROBE
from tests.runs.worker.deliveries import deliver, ended, envelope, probe
from tests.services import SessionServices
from tests.storage.rewriting_proxy import Answer, RewritingProxy


def test_a_completed_run_costs_what_was_metered(acme: Customer) -> None:
    run = probe(acme, "checkpoint:0.5", "fetch:3")
    assert deliver(run) == MessageOutcome.ENDED
    run = ended(run)
    assert (run.status, run.money_state, run.actual_cost_usd_micros) == ("COMPLETED", "SETTLED", 56_000)
    assert run.progress == 1.0
    document = envelope(run)
    assert document["cost"]["used_usd"] == document["meta"]["cost_usd_actual"] == "0.0560"
    assert [(item["item"], item["quantity"], item["cost_usd_micros"]) for item in document["cost"]["items"]] == [
        ("decision", 1, 50_000),
        ("fetch", 3, 6_000),
    ]
    assert document["pointers"]["result_object"] == f"s3://{run.result_bucket}/{run.result_key}"
    assert document["reliability"] == {"met": True, "required": 0.8, "score": 0.9}
    assert_balanced(acme, 9_944_000)


def test_the_base_price_is_capped_at_a_small_reservation(acme: Customer) -> None:
    run = probe(acme, max_cost="0.0100")
    deliver(run)
    assert ended(run).actual_cost_usd_micros == 10_000


def test_a_meter_that_would_pass_the_reservation_stops_cleanly(acme: Customer) -> None:
    run = probe(acme, "fetch:1000", max_cost="0.1000")
    deliver(run)
    run = ended(run)
    assert (run.status, run.actual_cost_usd_micros) == ("COMPLETED", 50_000)
    assert envelope(run)["data"]["budget_cap"] == "BUDGET_CAP_REACHED"


def test_artifacts_are_stored_and_listed(acme: Customer) -> None:
    run = probe(acme, inputs={"artifact": True})
    deliver(run)
    run = ended(run)
    stored = {item.name: item for item in run.objects_stored.all()}
    assert set(stored) == {"pack_envelope.json", "notes.txt"}
    assert store.read(stored["notes.txt"].key, sha256=stored["notes.txt"].sha256) == b"notes"
    assert envelope(run)["artifacts"]["extra_files"]["notes.txt"]["sha256"] == stored["notes.txt"].sha256


def test_inputs_above_64_kib_travel_through_object_storage(acme: Customer) -> None:
    echo = "가" * 40_000
    run = probe(acme, inputs={"echo": echo})
    assert run.payload.body is None
    assert run.payload.object_key
    deliver(run)
    assert envelope(ended(run))["data"]["echo"] == echo


@pytest.mark.parametrize(
    ("steps", "reason", "detail"),
    [
        (["fail:No such page."], Reason.PACK_FAILED, "No such page."),
        (["crash"], Reason.PACK_FAILED, "The pack could not process these inputs."),
        (["sleep:5"], Reason.TIMEBOX_EXCEEDED, "The pack did not finish within 1 seconds."),
        (["hang:5"], Reason.TIMEBOX_EXCEEDED, "The pack did not finish within 1 seconds."),
    ],
)
def test_a_failed_run_costs_the_minimum_fee_and_says_why(
    acme: Customer, steps: list[str], reason: str, detail: str
) -> None:
    run = probe(acme, *steps, timebox_sec=1)
    assert deliver(run) == MessageOutcome.ENDED
    run = ended(run)
    assert (run.status, run.last_error_reason_code, run.last_error_detail) == ("FAILED", reason, detail)
    assert entries(run) == [("RESERVE", -500_000), ("SETTLE", 490_000)]
    document = envelope(run)
    assert document["data"] == {"error": {"reason_code": reason, "detail": detail}}
    assert document["cost"]["used_usd"] == "0.0100"
    assert "secret internals" not in json.dumps(document)
    assert_balanced(acme, 9_990_000)


def test_a_run_that_was_stopped_keeps_its_logs(acme: Customer) -> None:
    run = probe(acme, "discard:STALE", "stop_with_log")
    deliver(run)
    assert ended(run).last_error_reason_code == Reason.TIMEBOX_EXCEEDED
    assert envelope(ended(run))["logs"] == {"discard_log": [{"reason_code": "STALE"}], "blocked_log": []}


def test_inputs_that_storage_does_not_give_are_asked_for_again(
    acme: Customer, services: SessionServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given an object storage that fails twice, Expect the run as if nothing had been; if it fails for good, Expect a
    reason of its own."""
    with RewritingProxy(services.ministack.port) as proxy:
        backend = S3ObjectStore(endpoint_url=proxy.url)
        monkeypatch.setattr(store, "object_store", lambda: backend)
        for failures, reason in ((2, None), (10, Reason.STORAGE_READ_FAILED)):
            left = [failures]

            def fail_reads(method: str, answer: Answer, left: list[int] = left) -> Answer:
                if method == "GET" and left[0] > 0:
                    left[0] -= 1
                    return 503, {}, b"<Error><Code>SlowDown</Code></Error>"
                return answer

            run = probe(acme, inputs={"echo": "가" * 40_000})
            proxy.answer = fail_reads
            deliver(run)
            assert ended(run).last_error_reason_code == reason
            assert left[0] == (0 if reason is None else failures - 4)


def test_a_running_run_that_is_cancelled_stops_at_its_next_checkpoint(acme: Customer) -> None:
    run = probe(acme, "checkpoint:0.1", "fail:too late")
    Run.objects.filter(pk=run.pk).update(cancel_requested_at="2026-01-01T00:00:00Z")
    deliver(run)
    run = ended(run)
    assert (run.last_error_reason_code, run.actual_cost_usd_micros) == (Reason.RUN_CANCELLED, 10_000)


@pytest.mark.parametrize("state", ["PROCESSING", "CLAIMED", "ENDED"])
def test_a_message_for_a_run_that_is_not_queued_changes_nothing(acme: Customer, state: str) -> None:
    run = probe(acme)
    if state == "PROCESSING":
        transitions.start(run, lease_token=uuid4())
    elif state == "CLAIMED":
        from runs.lifecycle.outcomes import never_started

        transitions.claim_queued(run, never_started(Reason.RUN_CANCELLED, ""), actor=Actor.API)
    else:
        deliver(run)
    before = everything_about(run)
    assert deliver(run) == MessageOutcome.NOT_OURS
    assert everything_about(run) == before


def test_a_message_of_another_tenant_touches_no_run(acme: Customer, rival: Customer) -> None:
    run = probe(acme)
    before = everything_about(run)
    assert deliver(run, tenant_id=rival.id) == MessageOutcome.DEAD_LETTER
    assert everything_about(run) == before
    assert DeadLetter.objects.get().problem == "tenant differs"


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"run_id": str(uuid4())}, "unknown run"),
        ({"run_id": "no-uuid"}, "run_id is not a UUID"),
        ({"schema_version": "2"}, "schema version '2' is unknown"),
        ({"extra": "x"}, "are not"),
    ],
)
def test_a_message_that_fits_no_run_is_kept_for_a_person(acme: Customer, changes: dict[str, str], problem: str) -> None:
    assert deliver(probe(acme), **changes) == MessageOutcome.DEAD_LETTER
    assert problem in DeadLetter.objects.get().problem


def test_a_worker_that_lost_its_lease_writes_nothing(acme: Customer) -> None:
    """The reaper ends the run while the pack is between two checkpoints."""
    from runs.jobs.reap import reap

    run = probe(acme, "checkpoint:0.1", "checkpoint:0.9")
    seen: list[dict[str, object]] = []

    def steal(inputs: dict[str, Any], context: Any) -> Any:
        Run.objects.filter(pk=run.pk).update(lease_expires_at="2020-01-01T00:00:00Z")
        assert reap().ended == 1
        seen.append(everything_about(run))
        return PROBE.execute(inputs, context)

    from dataclasses import replace

    thief = {"probe": replace(PROBE, execute=steal)}
    done = run_one(Delivery(message_id=fresh_key(), body=dict(message(run)), extend=lambda: None), packs=thief)
    assert done == MessageOutcome.NOT_OURS
    assert everything_about(run) == seen[0]
    assert history(run)[-1] == ("reaper", "FAILED", "SETTLED", "COMMITTED")
    assert ended(run).last_error_reason_code == Reason.WORKER_TIMEOUT
    assert_balanced(acme, 9_990_000)


def test_an_answer_below_the_promised_reliability_completes_and_says_so(acme: Customer) -> None:
    run = probe(acme, min_reliability_score=0.95)
    deliver(run)
    document = envelope(ended(run))
    assert document["reliability"] == {"met": False, "required": 0.95, "score": 0.9}
    assert [(item["id"], item["kind"]) for item in document["data"]["open"]] == [("RELIABILITY_NOT_MET",) * 2]
    assert (ended(run).status, ended(run).money_state) == (Status.COMPLETED, MoneyState.SETTLED)


def test_a_korean_answer_below_the_promised_reliability_says_so_in_korean(acme: Customer) -> None:
    run = submitted(
        acme, inputs={"question": "어느 업체를 고를까요?", "options": ["가온", "나래"], "criteria": ["가격"]}
    )
    deliver(run)
    (said,) = (entry for entry in envelope(ended(run))["data"]["open"] if entry["id"] == "RELIABILITY_NOT_MET")
    assert said["text"] == "신뢰도 0.0 — 요청한 0.8보다 낮으므로 잠정적인 답으로 보십시오."


def test_requested_reports_are_stored_beside_the_envelope_and_paid_for(acme: Customer) -> None:
    run = submitted(acme, include_markdown=True, include_docx=True)
    deliver(run)
    run = ended(run)
    assert {item.name for item in run.objects_stored.all()} == {"pack_envelope.json", "report.md", "report.docx"}
    assert run.actual_cost_usd_micros == 52_000
    listed = envelope(run)["artifacts"]
    assert listed["report_markdown"]["name"] == "report.md"
    assert listed["report_docx"]["size"] > 1_000


def test_data_beyond_the_soft_limit_becomes_an_artifact(acme: Customer) -> None:
    run = probe(acme, inputs={"echo": "x" * 1_100_000})
    deliver(run)
    run = ended(run)
    pointer = envelope(run)["data"]["echo"]
    stored = run.objects_stored.get(name=pointer["moved_to_artifact"])
    assert json.loads(store.read(stored.key, sha256=pointer["sha256"])) == "x" * 1_100_000


def test_an_ocr_run_reads_a_picture_of_the_tenant_and_no_stranger(acme: Customer, rival: Customer) -> None:
    picture = BytesIO()
    Image.new("L", (400, 120), 255).save(picture, "PNG")
    mine, theirs = (f"dpp/{owner.id}/2026/01/01/uploads/page.png" for owner in (acme, rival))
    for key in (mine, theirs):
        store.put(key, picture.getvalue(), mime="image/png")
    files = [{"kind": "s3", "key": mine}, {"kind": "s3", "key": theirs}]
    run = submitted(acme, pack_type="ocr", inputs={"images": files, "ocr_profile": "P1"})
    deliver(run)
    run = ended(run)
    assert run.status == "COMPLETED", run.last_error_detail
    told = [(file["status"], file.get("reason_code")) for file in envelope(run)["data"]["files"]]
    assert told[0][0] == "READ"
    assert told[1] == ("FAILED", "OBJECT_NOT_FOUND")
