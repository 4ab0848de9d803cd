"""The eval pack as the platform runs it: schema, money, progress, reliability."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from dpp_project.canonical import canonical_bytes
from dpp_project.prices import EVAL_BASE, PRICES
from packs.base import PackResult
from packs.evaluate import PACK, WEIGHTS
from packs.evaluate.schema import MAX_SOURCES, MAX_TEXT_CHARS
from tests.packs.compliance.context import remembering_context

VALIDATOR = Draft202012Validator(PACK.input_schema)
TEXT = "2024년 매출은 120억 원이다 [1]. 직원은 350명이다 [1]."
SOURCE = {"id": "1", "title": "사업보고서", "text": "2024년 매출은 120억 원이다. 직원은 350명이다."}


def run(inputs: dict[str, Any]) -> PackResult:
    assert not list(VALIDATOR.iter_errors(inputs))
    context, _ = remembering_context()
    return PACK.execute(inputs, context)


def test_the_schema_is_valid_and_explains_every_field() -> None:
    Draft202012Validator.check_schema(PACK.input_schema)
    assert all("description" in field for field in PACK.input_schema["properties"].values())
    assert set(PACK.prices) <= set(PRICES)
    assert PACK.name == "eval"


@pytest.mark.parametrize(
    "inputs",
    [
        {},
        {"text": "a", "claims": ["b"]},
        {"text": "\n"},
        {"claims": []},
        {"claims": [{"source_ids": ["1"]}]},
        {"text": "a" * (MAX_TEXT_CHARS + 1)},
        {"text": "a", "sources": ["s"] * (MAX_SOURCES + 1)},
        {"text": "a", "sources": [{}]},
        {"text": "a", "rubric": {"weights": {"beauty": 1}}},
        {"text": "a", "rubric": {"weights": {"clarity": 1.5}}},
        {"text": "a", "rubric": {"weights": dict.fromkeys(WEIGHTS, 0)}},
    ],
)
def test_wrong_inputs_are_refused(inputs: dict[str, Any]) -> None:
    assert list(VALIDATOR.iter_errors(inputs))


def test_a_run_charges_the_base_price_once_and_reports_progress() -> None:
    context, memory = remembering_context()
    PACK.execute({"text": TEXT}, context)
    assert memory.based == [EVAL_BASE]
    assert memory.progress == [("execute", 0.1), ("execute", 1.0)]


@pytest.mark.parametrize(
    ("inputs", "reliability"),
    [
        ({"text": TEXT, "sources": [SOURCE]}, 0.7),
        ({"text": TEXT + " 경영진은 낙관적이다 [1]. 주주는 배당을 기대한다 [1].", "sources": [SOURCE]}, 0.35),
        ({"text": TEXT, "sources": [{"title": "사업보고서"}]}, 0.0),
        ({"text": TEXT}, 0.0),
        ({"claims": ["직원은 530명이다."], "sources": ["직원은 350명이다."]}, 0.8),
    ],
)
def test_reliability_is_how_much_could_be_verified(inputs: dict[str, Any], reliability: float) -> None:
    assert run(inputs).reliability == reliability


def test_the_same_inputs_give_the_same_bytes() -> None:
    inputs = {"text": TEXT, "sources": [SOURCE], "rubric": {"weights": {"clarity": 50}}}
    assert canonical_bytes(run(inputs).data) == canonical_bytes(run(inputs).data)
