"""The tools follow the registry, and their schemas the packs'."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from dpp_project.profile import PROFILE
from packs.base import Pack
from packs.registry import PACKS
from packs.url.schema import INPUT_SCHEMA as URL_SCHEMA
from runs.api.serializers.fields import SchemaField
from runs.api.submission import ARTIFACTS, RESERVATION
from runs.mcp.http import PATH
from runs.mcp.tools import input_schema, tools_for
from tests.processes import CLONE

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


def test_every_pack_of_the_registry_is_a_tool() -> None:
    assert list(tools_for(PACKS)) == [
        f"dpp_{name}_run_submit" for name in ("ocr", "url", "decision", "compliance", "eval")
    ]
    assert list(tools_for({"decision": DECISION})) == ["dpp_decision_run_submit"]
    assert list(tools_for({"new": pack("new", {}), "url": URL})) == ["dpp_url_run_submit", "dpp_new_run_submit"]


def test_every_tool_says_what_it_costs_how_to_wait_on_and_how_to_retry() -> None:
    for _, tool in tools_for(PACKS).values():
        assert tool.description
        assert "Prices in USD" in tool.description
        assert "Call again with the same arguments" in tool.description
        assert "not charged twice" in tool.description
        assert "same idempotency_key" in tool.description


def test_no_tool_polls() -> None:
    assert all(name.endswith("_run_submit") for name in tools_for(PACKS))


# Measured with the vocabularies cl100k_base and o200k_base (rs-bpe 0.1.0): 2,363 and 2,402 tokens for 9,379 bytes.
# So four bytes of this list are at least a token; the vocabularies are too large to install for one number.
_BYTES_PER_TOKEN = 3.8
_MOST_TOKENS = 2_500


def test_the_list_of_tools_costs_a_model_few_tokens() -> None:
    tools = [tool.model_dump(by_alias=True, exclude_none=True, mode="json") for _, tool in tools_for(PACKS).values()]
    text = json.dumps({"tools": tools}, ensure_ascii=False, separators=(",", ":"))
    print(len(text.encode()), "bytes")
    assert len(text.encode()) / _BYTES_PER_TOKEN <= _MOST_TOKENS


@pytest.mark.parametrize("offered", PACKS.values(), ids=PACKS.keys())
def test_schemas_are_valid_and_no_client_meets_a_combinator_at_the_top(offered: Pack) -> None:
    schema = input_schema(offered)

    Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert not {"oneOf", "anyOf", "allOf", "not", "enum", "if"} & schema.keys()
    assert {"max_cost_usd", "wait_sec", "idempotency_key", "timebox_sec"} <= set(schema["properties"])
    assert set(schema["required"]) <= set(schema["properties"])


@pytest.mark.parametrize("offered", PACKS.values(), ids=PACKS.keys())
def test_a_schema_refuses_nothing_that_the_pack_takes(offered: Pack) -> None:
    """It says less than the pack's own, never something else."""
    for example in offered.input_schema.get("examples", []):
        if set(example) & {"decision_question"} and offered.name == "decision":
            continue  # the other name of `question`
        Draft202012Validator(input_schema(offered)).validate({**example, "max_cost_usd": "0.5"})


@pytest.mark.parametrize(
    "arguments",
    [
        ASK,
        {**ASK, "options": ["A", {"name": "B", "attributes": {"price": "3 USD"}}], "criteria": [{"name": "price"}]},
        {**ASK, "timebox_sec": 1, "min_reliability_score": 1, "artifacts": {"include_docx": True}},
        {**ASK, "idempotency_key": "order-00017", "wait_sec": 45},
    ],
)
def test_the_decision_schema_takes(arguments: dict[str, Any]) -> None:
    Draft202012Validator(input_schema(DECISION)).validate(arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        {"question": "Which?"},
        {"max_cost_usd": "0.5"},
        {**ASK, "question": 7},
        {**ASK, "mode": "long"},
        {**ASK, "criteria": [{"weight": 3}]},
        {**ASK, "max_cost_usd": 0.5},
        {**ASK, "wait_sec": 46},
    ],
)
def test_the_decision_schema_refuses(arguments: dict[str, Any]) -> None:
    assert list(Draft202012Validator(input_schema(DECISION)).iter_errors(arguments))


def test_the_cases_of_an_item_stand_side_by_side() -> None:
    images = input_schema(PACKS["ocr"])["properties"]["images"]["items"]["properties"]
    assert {"kind", "data", "url", "name"} <= images.keys()


def test_a_pack_cannot_take_the_name_of_an_argument() -> None:
    with pytest.raises(AssertionError, match="artifacts"):
        input_schema(pack("ocr", {"properties": {"artifacts": {}}}))


def test_the_runs_own_arguments_are_those_that_the_api_declares() -> None:
    properties = input_schema(DECISION)["properties"]
    for name, field in RESERVATION.fields.items():
        assert isinstance(field, SchemaField)
        declared = field.described()
        assert {key: properties[name].get(key) for key in ("type", "enum")} == {
            key: declared.get(key) for key in ("type", "enum")
        }
    assert all(name in properties["artifacts"]["description"] for name in ARTIFACTS.fields)


def test_the_registry_entry_names_this_server() -> None:
    entry = json.loads((CLONE / "server.json").read_text())
    assert entry["version"] == PROFILE.envelope_schema_version
    assert len(entry["description"]) <= 100
    (remote,) = entry["remotes"]
    assert remote["url"].endswith(PATH)
    assert [header["name"] for header in remote["headers"] if header["isSecret"]] == ["Authorization"]
