"""The compliance pack as the platform runs it: schema, money, progress, documents, reliability."""

import json
import logging
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from dpp_project.canonical import canonical_bytes
from dpp_project.logging import JsonFormatter
from dpp_project.prices import COMPLIANCE_BASE, PRICES
from packs.compliance import PACK
from packs.compliance.reliability import measured
from packs.compliance.schema import MAX_TEXT_CHARS
from tests.packs.compliance.context import remembering_context

VALIDATOR = Draft202012Validator(PACK.input_schema)
AD = "국내 최고의 효과! 문의 010-7364-8192"


def run(inputs: dict[str, Any]) -> Any:
    assert not list(VALIDATOR.iter_errors(inputs))
    context, _ = remembering_context()
    return PACK.execute(inputs, context)


def test_the_schema_is_valid_and_explains_every_field() -> None:
    Draft202012Validator.check_schema(PACK.input_schema)
    assert all("description" in field for field in PACK.input_schema["properties"].values())
    assert set(PACK.prices) <= set(PRICES)


@pytest.mark.parametrize(
    "inputs",
    [
        {},
        {"text": "a", "document": "b"},
        {"text": ""},
        {"text": " \n"},
        {"text": "a", "kind": "novel"},
        {"text": "a", "language": "jp"},
        {"text": "a", "extra": 1},
        {"text": "a" * (MAX_TEXT_CHARS + 1)},
        {"document": {"title": "t"}},
        {"document": {"sections": []}},
        {"document": 3},
    ],
)
def test_wrong_inputs_are_refused(inputs: dict[str, Any]) -> None:
    assert list(VALIDATOR.iter_errors(inputs))


def test_a_run_charges_the_base_price_once_and_reports_progress() -> None:
    context, memory = remembering_context()
    PACK.execute({"text": AD, "kind": "ad"}, context)
    assert memory.based == [COMPLIANCE_BASE]
    assert [stage for stage, _ in memory.progress] == ["execute"] * 4
    assert [fraction for _, fraction in memory.progress] == sorted(fraction for _, fraction in memory.progress)


def test_findings_say_which_string_they_are_in() -> None:
    sections = [{"heading": "업계 1위", "text": AD}, {"text": ""}, {"text": "전화 010-7364-8192"}]
    document = {"title": "세계 최초 공개", "sections": sections}
    findings = run({"document": document, "kind": "ad"}).data["findings"]
    places = {(each["rule_id"], each["pointer"]): each["span"] for each in findings}
    assert sorted(places) == [
        ("AD-SUPERLATIVE", "/document/sections/0/heading"),
        ("AD-SUPERLATIVE", "/document/sections/0/text"),
        ("AD-SUPERLATIVE", "/document/title"),
        ("PD-MOBILE", "/document/sections/0/text"),
        ("PD-MOBILE", "/document/sections/2/text"),
    ]
    span = places["PD-MOBILE", "/document/sections/2/text"]
    assert "전화 010-7364-8192"[span["start"] : span["end"]] == "010-7364-8192"


def test_text_and_plain_document_agree() -> None:
    as_text, as_document = run({"text": AD}).data, run({"document": AD}).data
    assert [each["span"] for each in as_text["findings"]] == [each["span"] for each in as_document["findings"]]
    assert {each["pointer"] for each in as_document["findings"]} == {"/document"}


def test_a_document_beyond_the_limit_is_cut_and_says_so() -> None:
    result = run({"document": {"sections": [{"text": "가 " * (MAX_TEXT_CHARS // 2)}, {"text": AD}]}, "kind": "ad"})
    assert result.data["findings"] == []
    assert result.data["notices"][-1]["code"] == "TRUNCATED"
    assert result.reliability < run({"text": AD, "kind": "ad"}).reliability


def test_reliability_is_the_measured_recall_of_such_texts() -> None:
    recall, length = measured()["recall"], measured()["length"]
    share = min(length["short"] / length["all"], 1.0)
    english = "Come and see our new autumn collection in the shop."
    assert run({"text": AD, "kind": "ad"}).reliability == round(recall["ko"]["ad"] * share, 2)
    assert run({"text": english, "kind": "policy"}).reliability == round(recall["en"]["policy"] * share, 2)


@pytest.mark.parametrize(
    ("inputs", "than"),
    [
        ({"text": AD}, {"text": AD, "kind": "general"}),
        ({"text": "짧다", "kind": "ad"}, {"text": AD, "kind": "ad"}),
        ({"text": "오늘 회의록입니다. " * 300, "kind": "ad"}, {"text": AD, "kind": "ad"}),
        ({"text": "これは日本語の長い文章です。広告ではありません。", "kind": "ad"}, {"text": AD, "kind": "ad"}),
    ],
    ids=["without_kind", "short", "long", "another_script"],
)
def test_reliability_falls_with_what_was_not_measured(inputs: dict[str, Any], than: dict[str, Any]) -> None:
    assert run(inputs).reliability < run(than).reliability


def test_the_language_of_the_answer_can_be_chosen() -> None:
    assert run({"text": AD, "kind": "ad"}).data["verdict"].startswith("고친 뒤")
    english = run({"text": AD, "kind": "ad", "language": "en"}).data
    assert english["language"] == "en"
    assert english["verdict"].startswith("Revise before publishing")
    assert not any("가" <= letter <= "힣" for letter in english["findings"][0]["rewrite"])


def test_the_log_holds_counts_and_no_content(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        run({"text": AD, "kind": "ad"})
    (line,) = [json.loads(JsonFormatter().format(record)) for record in caplog.records]
    assert set(line) == {"ts", "level", "service", "logger", "event", "chars", "found", "by_model"}
    assert (line["event"], line["chars"], line["found"]) == ("compliance_reviewed", len(AD), 2)


def test_the_same_inputs_give_the_same_bytes() -> None:
    inputs = {"document": {"title": "세계 최초", "sections": [{"text": AD * 3}]}, "kind": "ad"}
    assert canonical_bytes(run(inputs).data) == canonical_bytes(run(inputs).data)
