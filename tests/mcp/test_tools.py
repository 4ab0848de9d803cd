"""The tools follow the registry, and their schemas the packs'."""

from datetime import date
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from packs.base import Pack
from packs.registry import PACKS
from packs.url.schema import INPUT_SCHEMA as URL_SCHEMA
from runs.api.serializers.fields import SchemaField
from runs.api.serializers.receipt import RECEIPT
from runs.api.submission import ARTIFACTS, RESERVATION
from runs.mcp.arguments import LEAST_MAX_COST, read_arguments
from runs.mcp.tools import input_schema, tools_for

DECISION = PACKS["decision"]
ASK = {"question": "Which?", "max_cost_usd": "0.5"}


def pack(name: str, schema: dict[str, Any]) -> Pack:
    return Pack(
        name=name,
        title=name,
        input_schema=schema,
        prices=("fetch",),
        execute=DECISION.execute,
        estimate=DECISION.estimate,
    )


URL = pack("url", URL_SCHEMA)


def test_only_registered_packs_of_the_three_are_offered() -> None:
    ocr = pack("ocr", {"type": "object", "properties": {}})
    every = {"eval": pack("eval", {}), "decision": DECISION, "url": URL, "ocr": ocr}

    assert list(tools_for(every)) == ["dpp_ocr_run_submit", "dpp_url_run_submit", "dpp_decision_run_submit"]
    assert list(tools_for({"decision": DECISION})) == ["dpp_decision_run_submit"]
    assert tools_for({"eval": every["eval"]}) == {}


def test_every_pack_of_the_registry_that_is_offered_has_a_tool_that_says_what_it_costs_and_how_to_retry() -> None:
    for offered, tool in tools_for(PACKS).values():
        assert offered.title in (tool.description or "")
        assert "Prices in USD" in (tool.description or "")
        assert "not charged twice" in (tool.description or "")
        assert "same idempotency_key" in (tool.description or "")


@pytest.mark.parametrize("offered", [DECISION, URL, *(found for found, _ in tools_for(PACKS).values())])
def test_schemas_are_valid_and_no_client_meets_a_combinator_at_the_top(offered: Pack) -> None:
    schema = input_schema(offered)

    Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert not {"oneOf", "anyOf", "allOf", "not", "enum"} & schema.keys()
    assert {"inputs", "max_cost_usd", "idempotency_key", *offered.input_schema["properties"]} <= set(
        schema["properties"]
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ASK,
        {"inputs": {"question": "Which?"}, "max_cost_usd": "0.5"},
        {"decision_question": "Which?", "max_cost_usd": "12"},
        {**ASK, "timebox_sec": 1, "min_reliability_score": 1, "artifacts": {"include_docx": True}},
        {**ASK, "idempotency_key": "order-00017"},
    ],
)
def test_the_decision_schema_takes(arguments: dict[str, Any]) -> None:
    Draft202012Validator(input_schema(DECISION)).validate(arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        {"question": "Which?"},
        {"max_cost_usd": "0.5"},
        {"inputs": {}, "max_cost_usd": "0.5"},
        {"inputs": {"question": "Which?", "surprise": 1}, "max_cost_usd": "0.5"},
        {"inputs": {"question": 7}, "max_cost_usd": "0.5"},
        {**ASK, "decision_question": "Twice?"},
        {**ASK, "surprise": 1},
        {**ASK, "options": ["only one"]},
        {**ASK, "max_cost_usd": 0.5},
        {**ASK, "timebox_sec": 91},
        {**ASK, "idempotency_key": "short"},
        {**ASK, "artifacts": {"include_pdf": True}},
    ],
)
def test_the_decision_schema_refuses(arguments: dict[str, Any]) -> None:
    assert list(Draft202012Validator(input_schema(DECISION)).iter_errors(arguments))


def test_the_rules_of_a_pack_hold_wherever_its_fields_stand() -> None:
    """A pack whose schema has definitions and a choice at its top."""
    schema = {
        "type": "object",
        "$defs": {"text": {"type": "string", "minLength": 1}},
        "properties": {"text": {"$ref": "#/$defs/text"}, "file/name": {"type": "string"}},
        "oneOf": [{"required": ["text"]}, {"required": ["file/name"]}],
    }
    validator = Draft202012Validator(input_schema(pack("ocr", schema)))

    for fields in ({"text": "a"}, {"file/name": "b"}):
        validator.validate({**fields, "max_cost_usd": "1"})
        validator.validate({"inputs": fields, "max_cost_usd": "1"})
    for wrong in ({}, {"text": ""}, {"text": "a", "file/name": "b"}, {"file/name": 1}):
        assert list(validator.iter_errors({**wrong, "max_cost_usd": "1"}))
        assert list(validator.iter_errors({"inputs": wrong, "max_cost_usd": "1"}))


def test_a_pack_cannot_take_the_name_of_an_argument() -> None:
    with pytest.raises(AssertionError, match="artifacts"):
        input_schema(pack("ocr", {"properties": {"artifacts": {}}}))


def test_the_runs_own_arguments_are_those_that_the_api_declares() -> None:
    properties = input_schema(DECISION)["properties"]
    for name, field in RESERVATION.fields.items():
        assert isinstance(field, SchemaField)
        declared = field.described()
        assert {key: properties[name][key] for key in ("type", "minimum", "maximum", "default") if key in declared} == {
            key: declared[key] for key in ("type", "minimum", "maximum", "default") if key in declared
        }
    assert set(properties["artifacts"]["properties"]) == set(ARTIFACTS.fields)
    (tool, *_) = [tool for _, tool in tools_for({"decision": DECISION}).values()]
    assert tool.output_schema is not None
    assert set(tool.output_schema["properties"]) == set(RECEIPT.fields)


def test_the_schema_and_the_gateway_agree_on_the_least_cost() -> None:
    amount = Draft202012Validator(input_schema(DECISION)["properties"]["max_cost_usd"])
    assert LEAST_MAX_COST == 10_000

    for text in ("0.01", "0.0100", "0.1", "0.9999", "1", "10", "1000000000"):
        assert amount.is_valid(text), text
        read_arguments("decision", {**ASK, "max_cost_usd": text}, utc_day=date(2026, 3, 1))
    for tenths_of_mills in range(100):
        assert not amount.is_valid(f"0.{tenths_of_mills:04d}")
        assert amount.is_valid(f"0.{tenths_of_mills + 100:04d}")
    for text in ("0", "0.0", "0.00", "00", "00.01", "010.5", "1.", ".5", "1.00001", "-1", "1e3", " 1", "1 ", ""):
        assert not amount.is_valid(text), text
