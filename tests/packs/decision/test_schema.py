"""What the pack accepts, and what it refuses before any money moves."""

from typing import Any

import jsonschema
import pytest

from dpp_project.prices import PRICES
from packs.decision import PACK

VALIDATOR = jsonschema.Draft202012Validator(PACK.input_schema)
Q = {"question": "Which?"}


def errors(inputs: object) -> list[str]:
    return [error.message for error in VALIDATOR.iter_errors(inputs)]


def test_the_schema_is_a_schema_and_its_examples_fit_it() -> None:
    jsonschema.Draft202012Validator.check_schema(PACK.input_schema)
    for example in PACK.input_schema["examples"]:
        assert errors(example) == []


def test_the_top_level_has_no_combinator_that_tool_schemas_refuse() -> None:
    assert not {"oneOf", "anyOf", "allOf"} & set(PACK.input_schema)


def test_every_price_is_on_the_list() -> None:
    assert set(PACK.prices) <= set(PRICES)


@pytest.mark.parametrize(
    "inputs",
    [
        {"question": "Which?"},
        {"decision_question": "Which?"},
        {**Q, "options": ["A", "B"]},
        {**Q, "options": ["A", {"name": "B", "attributes": {"price": 1, "sla": True, "note": "x"}}]},
        {**Q, "criteria": ["price", {"name": "risk", "weight": 0, "scale": {"min": 0, "max": 5}}]},
        {**Q, "context": "text"},
        {**Q, "context": {"deep": {"er": [1, None, {"x": "y"}]}}},
        {**Q, "mode": "full", "language": "ko", "evidence_urls": ["https://a.example/"]},
    ],
)
def test_both_forms_are_accepted(inputs: dict[str, Any]) -> None:
    assert errors(inputs) == []


@pytest.mark.parametrize(
    "inputs",
    [
        {},
        {"question": ""},
        {"question": "  \n"},
        {"question": 5},
        {"question": "x" * 4_001},
        {"question": "Which?", "decision_question": "Which?"},
        {**Q, "options": ["A"]},
        {**Q, "options": [f"O{i}" for i in range(21)]},
        {**Q, "options": ["A", {"attributes": {}}]},
        {**Q, "options": ["A", {"name": "B", "colour": "red"}]},
        {**Q, "options": ["A", {"name": "B", "attributes": {"x": [1]}}]},
        {**Q, "options": ["A", {"name": "B", "attributes": {"x": None}}]},
        {**Q, "criteria": []},
        {**Q, "criteria": [{"name": "x", "weight": -1}]},
        {**Q, "criteria": [{"name": "x", "direction": "sideways"}]},
        {**Q, "criteria": [{"name": "x", "scale": {"min": 0}}]},
        {**Q, "context": 5},
        {**Q, "context": "x" * 100_001},
        {**Q, "mode": "long"},
        {**Q, "language": "fr"},
        {**Q, "evidence_urls": []},
        {**Q, "evidence_urls": ["file:///etc/passwd"]},
        {**Q, "evidence_urls": [f"https://a.example/{i}" for i in range(31)]},
        {**Q, "answer": "A"},
    ],
)
def test_anything_else_is_refused(inputs: dict[str, Any]) -> None:
    assert errors(inputs)
