"""What a call means: which request is sent, under which key, and what is refused without asking the API."""

import json
from datetime import date
from typing import Any

import pytest

from runs.api.problems import ProblemError
from runs.mcp.arguments import Submission, read_arguments

TODAY = date(2026, 3, 1)
ASK = {"question": "Which?", "max_cost_usd": "0.5"}


def read(arguments: dict[str, Any], *, day: date = TODAY) -> Submission:
    return read_arguments("decision", arguments, utc_day=day)


def test_flat_and_nested_fields_are_the_same_request() -> None:
    flat = read({"question": "Which?", "mode": "full", "max_cost_usd": "0.5"})
    nested = read({"inputs": {"mode": "full", "question": "Which?"}, "max_cost_usd": "0.5"})
    mixed = read({"mode": "full", "inputs": {"question": "Which?"}, "max_cost_usd": "0.5"})
    twice = read({"mode": "full", "inputs": {"question": "Which?", "mode": "full"}, "max_cost_usd": "0.5"})

    for other in (nested, mixed, twice):
        assert json.loads(other.body) == json.loads(flat.body)
        assert other.idempotency_key == flat.idempotency_key


def test_the_body_is_the_apis_flat_shape() -> None:
    given = {
        "timebox_sec": 30,
        "min_reliability_score": 0.5,
        "artifacts": {"include_docx": True},
    }

    assert json.loads(read({**ASK, **given}).body) == {
        "pack_type": "decision",
        "inputs": {"question": "Which?"},
        "max_cost_usd": "0.5",
        **given,
    }


def test_a_derived_key_follows_the_meaning_and_the_day() -> None:
    key = read(ASK).idempotency_key

    assert key.startswith("mcp-2026-03-01-")
    assert len(key) <= 64
    same: list[dict[str, Any]] = [
        {**ASK, "max_cost_usd": "0.5000"},
        {**ASK, "timebox_sec": 90},
        {**ASK, "min_reliability_score": 0.8},
        {**ASK, "artifacts": {"include_markdown": False}},
        {**ASK, "on_unmet": "accept"},
        {**ASK, "wait_sec": 45},
    ]
    assert {read(arguments).idempotency_key for arguments in same} == {key}
    other: list[dict[str, Any]] = [
        {**ASK, "question": "Which one?"},
        {**ASK, "max_cost_usd": "0.6"},
        {**ASK, "timebox_sec": 89},
        {**ASK, "min_reliability_score": 0.9},
        {**ASK, "artifacts": {"include_markdown": True}},
    ]
    keys = {read(arguments).idempotency_key for arguments in other}
    keys |= {read(ASK, day=date(2026, 3, 2)).idempotency_key}
    keys |= {read_arguments("url", ASK, utc_day=TODAY).idempotency_key}
    assert key not in keys
    assert len(keys) == len(other) + 2


def test_a_call_waits_twenty_seconds_unless_it_says_otherwise() -> None:
    assert read(ASK).wait_sec == 20
    assert [read({**ASK, "wait_sec": seconds}).wait_sec for seconds in (0, 45)] == [0, 45]
    assert "wait_sec" not in json.loads(read({**ASK, "wait_sec": 5}).body)["inputs"]


def test_a_given_key_is_used_as_it_is() -> None:
    assert read({**ASK, "idempotency_key": "order-00017"}).idempotency_key == "order-00017"


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"max_cost_usd": "0.0099"}, "/max_cost_usd"),
        ({"max_cost_usd": "0"}, "/max_cost_usd"),
        ({"idempotency_key": "short"}, "/idempotency_key"),
        ({"idempotency_key": "x" * 65}, "/idempotency_key"),
        ({"idempotency_key": "with a space"}, "/idempotency_key"),
        ({"idempotency_key": "line\nbreak-in-it"}, "/idempotency_key"),
        ({"idempotency_key": "ends-with-newline\n"}, "/idempotency_key"),
        ({"idempotency_key": "열쇠열쇠열쇠열쇠"}, "/idempotency_key"),
        ({"idempotency_key": None}, "/idempotency_key"),
        ({"inputs": {"question": "Another?"}}, "/question"),
        ({"wait_sec": 46}, "/wait_sec"),
        ({"wait_sec": -1}, "/wait_sec"),
        ({"wait_sec": "20"}, "/wait_sec"),
        ({"wait_sec": True}, "/wait_sec"),
    ],
)
def test_what_cannot_be_passed_on_is_refused_with_its_pointer(changes: dict[str, Any], pointer: str) -> None:
    with pytest.raises(ProblemError) as refused:
        read({**ASK, **changes})

    assert refused.value.problem.reason_code == "INVALID_PARAMS"
    assert [error["pointer"] for error in refused.value.extra["errors"]] == [pointer]


@pytest.mark.parametrize(
    "changes",
    [
        {"max_cost_usd": 0.001},
        {"max_cost_usd": "much"},
        {"inputs": ["a", "list"]},
        {"artifacts": "docx"},
        {"context": {"n": 2**60}},
        {"context": float("nan")},
    ],
)
def test_what_the_api_refuses_is_left_to_the_api(changes: dict[str, Any]) -> None:
    submission = read({**ASK, **changes})

    assert 8 <= len(submission.idempotency_key) <= 64
    assert submission.body
