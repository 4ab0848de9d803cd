"""A limit that cannot pay for the least result is refused before any money is held."""

import json
from typing import Any

import pytest

from budget.holds import holds_of
from runs.models import Run
from tests.api.caller import Caller, problem
from tests.builders import Customer, body, fresh_key

_TEXT = {"text": "A text."}


@pytest.mark.parametrize(
    ("asked", "least"),
    [
        (body(), "0.0500"),
        (body(artifacts={"include_markdown": True, "include_docx": True}), "0.0520"),
        (body(pack_type="compliance", inputs=_TEXT), "0.0200"),
        (body(pack_type="eval", inputs=_TEXT), "0.0200"),
    ],
    ids=["decision", "decision with both reports", "compliance", "eval"],
)
def test_a_limit_below_the_least_price_is_refused_and_holds_nothing(
    acme_api: Caller, acme: Customer, asked: dict[str, Any], least: str
) -> None:
    below = f"{int(least[2:]) - 1:04}"
    refused = problem(
        acme_api.submit(json.dumps(asked | {"reservation": {"max_cost_usd": f"0.{below}"}})),
        402,
        "RESERVATION_TOO_SMALL",
    )

    assert refused["least_usd"] == refused["extensions"]["least_usd"] == least
    assert refused["retry_with"] == "none"
    assert not Run.objects.exists()
    assert holds_of(acme.id) == 0

    accepted = acme_api.submit(json.dumps(asked | {"reservation": {"max_cost_usd": least}}))
    assert accepted.status_code == 202, accepted.content


def test_a_run_that_was_accepted_is_replayed_whatever_its_limit(acme_api: Caller) -> None:
    """The replay comes first: what is refused is a fresh run."""
    key = fresh_key()
    first = acme_api.submit(json.dumps(body(reservation={"max_cost_usd": "0.0500"})), key=key)
    again = acme_api.submit(json.dumps(body(reservation={"max_cost_usd": "0.0400"})), key=key)

    assert first.status_code == 202
    problem(again, 409, "IDEMPOTENCY_CONFLICT")
