"""Charged is what was delivered, and the bill adds up to what was charged."""

import pytest

from dpp_project.money import Micros, format_usd
from runs.models import Run
from runs.states import Reason
from tests.books import assert_balanced
from tests.builders import Customer
from tests.runs.worker.deliveries import deliver, ended, envelope, probe


def items(run: Run) -> list[tuple[str, int, int, str]]:
    return [
        (line["item"], line["quantity"], line["cost_usd_micros"], line.get("reason", ""))
        for line in envelope(run)["cost"]["items"]
    ]


@pytest.mark.parametrize(
    "steps",
    [
        [],
        ["fetch:3", "vain:ACCESS_TIMEOUT"],
        ["fetch:1000"],
        ["fetch:2", "fail:Broken."],
        ["nothing:No page came."],
        ["fetch:2", "undecided"],
    ],
    ids=["base", "fetches", "cap", "failure", "nothing", "undecided"],
)
def test_the_lines_of_the_bill_add_up_to_what_was_charged(acme: Customer, steps: list[str]) -> None:
    run = probe(acme, *steps, include_markdown=True)
    deliver(run)
    run = ended(run)

    charged = sum(cost for _, _, cost, _ in items(run))
    assert charged == run.actual_cost_usd_micros
    assert envelope(run)["cost"]["used_usd"] == format_usd(Micros(charged))
    assert_balanced(acme, 10_000_000 - charged)


def test_what_was_tried_in_vain_is_a_line_of_nothing_with_its_reason(acme: Customer) -> None:
    run = probe(acme, "fetch:1", "vain:ACCESS_TIMEOUT", "vain:ACCESS_TIMEOUT", "vain:PAYWALL")
    deliver(run)

    assert items(ended(run)) == [
        ("decision", 1, 50_000, ""),
        ("fetch", 1, 2_000, ""),
        ("fetch", 2, 0, "ACCESS_TIMEOUT"),
        ("fetch", 1, 0, "PAYWALL"),
    ]


def test_a_run_that_delivered_nothing_fails_for_the_minimum_fee_and_keeps_its_logs(acme: Customer) -> None:
    run = probe(acme, "vain:ACCESS_TIMEOUT", "nothing:No page came.", inputs={"echo": "what became of each"})
    deliver(run)
    run = ended(run)

    assert (run.status, run.last_error_reason_code, run.last_error_detail) == (
        "FAILED",
        Reason.NOTHING_DELIVERED,
        "No page came.",
    )
    assert items(run) == [
        ("minimum_fee", 1, 10_000, ""),
        ("decision", 1, 0, "NOTHING_DELIVERED"),
        ("fetch", 1, 0, "ACCESS_TIMEOUT"),
    ]
    document = envelope(run)
    assert document["data"]["echo"] == "what became of each"
    assert document["logs"]["discard_log"] == [{"reason_code": "ACCESS_TIMEOUT"}]


def test_an_undecided_run_is_delivered_for_the_minimum_fee_and_its_bill_says_why(acme: Customer) -> None:
    run = probe(acme, "fetch:1", "undecided", inputs={"echo": "what is missing"})
    deliver(run)
    run = ended(run)

    assert (run.status, run.actual_cost_usd_micros) == ("COMPLETED", 10_000)
    assert items(run) == [("minimum_fee", 1, 10_000, ""), ("decision", 1, 0, "UNDECIDED"), ("fetch", 1, 0, "UNDECIDED")]
    assert envelope(run)["data"]["echo"] == "what is missing"


def test_an_undecided_run_never_costs_more_than_was_metered(acme: Customer) -> None:
    """The fee follows the reservation; a large one would make it dearer than the decision."""
    run = probe(acme, "undecided", max_cost="5.0000")
    deliver(run)

    assert run.minimum_fee_usd_micros == 100_000
    assert ended(run).actual_cost_usd_micros == 50_000


def test_with_refund_a_result_below_the_promise_is_withheld_for_the_minimum_fee(acme: Customer) -> None:
    run = probe(acme, "discard:STALE", "reliability:0.7", on_unmet="refund", inputs={"echo": "the answer"})
    deliver(run)
    run = ended(run)

    assert (run.status, run.last_error_reason_code) == ("FAILED", Reason.RELIABILITY_NOT_MET)
    assert run.actual_cost_usd_micros == run.minimum_fee_usd_micros == 10_000
    document = envelope(run)
    assert document["reliability"] == {"score": 0.7, "required": 0.8, "met": False}
    assert "the answer" not in str(document)
    assert document["logs"]["discard_log"] == [{"reason_code": "STALE"}]
    assert {stored.name for stored in run.objects_stored.all()} == {"pack_envelope.json"}


@pytest.mark.parametrize(("on_unmet", "score"), [("accept", "0.7"), ("refund", "0.8")])
def test_otherwise_the_result_is_sold(acme: Customer, on_unmet: str, score: str) -> None:
    run = probe(acme, f"reliability:{score}", on_unmet=on_unmet)
    deliver(run)
    run = ended(run)

    assert (run.status, run.actual_cost_usd_micros) == ("COMPLETED", 50_000)
    assert envelope(run)["reliability"]["met"] == (score == "0.8")


def test_reports_that_were_asked_for_are_not_eaten_up_by_the_work(acme: Customer) -> None:
    """The pack would spend everything; what the reports cost was set aside before it began."""
    run = probe(acme, *["fetch:1"] * 40, max_cost="0.1000", include_markdown=True, include_docx=True)
    deliver(run)
    run = ended(run)

    assert {stored.name for stored in run.objects_stored.all()} == {"pack_envelope.json", "report.md", "report.docx"}
    assert ("report", 2, 2_000, "") in items(run)
    assert run.actual_cost_usd_micros == 100_000
