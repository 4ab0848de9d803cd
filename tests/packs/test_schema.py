"""Errors of inputs: where each is, in our own words, and never more work than the answer is worth."""

import time
from typing import Any

import pytest

from packs.base import InputError, Pack
from packs.registry import PACKS
from packs.schema import MAX_ERRORS, count_values, input_errors
from packs.schema_patterns import EXPECTATIONS

_Q = {"question": "Which?"}
_WEIGHTS = PACKS["eval"].input_schema["properties"]["rubric"]["properties"]["weights"]["properties"]


def _any_url(url: str) -> None:
    """No URL is refused on sight."""


_WRONG: list[tuple[str, Any, str, str]] = [
    ("decision", [], "/inputs", "inputs must be an object."),
    ("decision", {}, "/inputs/question", "One of decision_question and question must be given."),
    ("decision", {"question": 5}, "/inputs/question", "question must be a string."),
    ("decision", {"question": ""}, "/inputs/question", "question must not be empty."),
    ("decision", {"question": " \n"}, "/inputs/question", "question must contain more than white space."),
    ("decision", {"question": "x" * 4_001}, "/inputs/question", "question must have at most 4000 characters."),
    (
        "decision",
        {**_Q, "decision_question": "Which?"},
        "/inputs/question",
        "question must not be given together with decision_question.",
    ),
    ("decision", {**_Q, "mode": "loud"}, "/inputs/mode", "mode must be one of brief or full."),
    ("decision", {**_Q, "options": ["A"]}, "/inputs/options", "options must have at least 2 items."),
    ("decision", {**_Q, "options": ["A", 5]}, "/inputs/options/1", "Item 2 of options must be a string or an object."),
    ("decision", {**_Q, "options": ["A", {}]}, "/inputs/options/1/name", "name is required."),
    (
        "decision",
        {**_Q, "options": ["A", {"name": "B", "a/b": 1}]},
        "/inputs/options/1/a~1b",
        "a/b is not known here. Known are name, description and attributes.",
    ),
    (
        "decision",
        {**_Q, "options": ["A", {"name": "B", "attributes": {"": 1}}]},
        "/inputs/options/1/attributes/",
        "The name of this member must not be empty.",
    ),
    (
        "decision",
        {**_Q, "evidence_urls": ["https://a.example/", "https://b.example/", "https://a.example/"]},
        "/inputs/evidence_urls/2",
        "Item 3 of evidence_urls repeats an earlier item; each may be given once.",
    ),
    (
        "decision",
        {**_Q, "evidence_urls": ["ftp://a.example"]},
        "/inputs/evidence_urls/0",
        "Item 1 of evidence_urls must begin with https:// and hold no password and no space.",
    ),
    ("ocr", {}, "/inputs", "inputs must have at least one of images, pdf_url and input_files."),
    ("ocr", {"images": [5]}, "/inputs/images/0", "Item 1 of images must be an object."),
    ("ocr", {"images": [{"kind": "url"}]}, "/inputs/images/0/url", "url is required."),
    ("ocr", {"images": [{"kind": "x"}]}, "/inputs/images/0/kind", "kind must be one of base64, url, s3 or upload."),
    (
        "url",
        {"urls": ["https://a.example"], "gates": {"access": False}},
        "/inputs/gates/access",
        "access must be true.",
    ),
    (
        "url",
        {"urls": ["https://a.example"], "max_urls": 0},
        "/inputs/max_urls",
        "max_urls must be at least 1.",
    ),
    ("decision", {**_Q, "mode": None}, "/inputs/mode", "mode must be one of brief or full."),
    (
        "decision",
        {**_Q, "options": ["A", {"name": "B", "attributes": {"x": None}}]},
        "/inputs/options/1/attributes/x",
        "x must be a string, a number, true or false.",
    ),
    ("ocr", {"input_files": [5]}, "/inputs/input_files/0", "Item 1 of input_files must be a string or an object."),
    (
        "url",
        {"urls": ["https://a.example"], "gates": {"quality": {"deny_hosts": ["http://x"]}}},
        "/inputs/gates/quality/deny_hosts/0",
        "Item 1 of deny_hosts must be a host name in small letters, such as example.com.",
    ),
    (
        "compliance",
        {"text": "a", "document": "b"},
        "/inputs/document",
        "document must not be given together with text.",
    ),
    (
        "eval",
        {"text": "a", "rubric": {"weights": dict.fromkeys(_WEIGHTS, 0)}},
        "/inputs/rubric/weights",
        "weights must not be such that all weights are 0.",
    ),
]


@pytest.mark.parametrize(("pack", "inputs", "pointer", "detail"), _WRONG)
def test_an_error_says_where_and_what_is_expected(pack: str, inputs: Any, pointer: str, detail: str) -> None:
    assert input_errors(PACKS[pack], inputs, _any_url) == [InputError(pointer, detail)]


def test_all_errors_are_told_at_once_in_the_order_of_the_document() -> None:
    options = ["A", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, {"nam": "x"}]
    errors = input_errors(PACKS["decision"], {"mode": "loud", "question": "", "options": options, "x": 1}, _any_url)
    assert [error.pointer for error in errors] == [
        "/inputs/mode",
        *[f"/inputs/options/{index}" for index in range(1, 11)],
        "/inputs/options/11/nam",
        "/inputs/options/11/name",
        "/inputs/question",
        "/inputs/x",
    ]


def test_a_refused_url_is_told_beside_the_errors_of_other_members() -> None:
    inputs = {**_Q, "mode": "loud", "evidence_urls": ["https://10.0.0.1/"]}
    errors = input_errors(PACKS["decision"], inputs, lambda url: "It is not public.")
    assert errors == [
        InputError("/inputs/mode", "mode must be one of brief or full."),
        InputError("/inputs/evidence_urls/0", "It is not public."),
    ]


def test_no_url_is_looked_for_in_a_member_that_does_not_fit() -> None:
    unfit: list[Any] = [5, [5], ["https://a.example/", {}], {}]
    for wrong in unfit:
        for pack, member in (("decision", "evidence_urls"), ("url", "urls"), ("ocr", "images"), ("ocr", "pdf_url")):
            errors = input_errors(PACKS[pack], {**_Q, member: wrong}, _any_url)
            assert any(error.pointer.startswith(f"/inputs/{member}") for error in errors)


@pytest.mark.parametrize("pack", PACKS.values(), ids=lambda pack: pack.name)
def test_every_pattern_has_words(pack: Pack) -> None:
    assert _patterns(pack.input_schema) <= EXPECTATIONS.keys()


def _patterns(schema: Any) -> set[str]:
    if isinstance(schema, list):
        return set().union(*map(_patterns, schema))
    if not isinstance(schema, dict):
        return set()
    own = {schema["pattern"]} if isinstance(schema.get("pattern"), str) else set()
    return own.union(*map(_patterns, schema.values()))


def test_a_long_name_or_value_is_not_repeated() -> None:
    (error,) = input_errors(PACKS["decision"], {**_Q, "n" * 1_000_000: "v" * 1_000_000}, _any_url)
    assert len(error.pointer) + len(error.detail) < 500


@pytest.mark.parametrize("pack", PACKS.values(), ids=lambda pack: pack.name)
def test_there_are_never_more_than_fifty_errors(pack: Pack) -> None:
    inputs: dict[str, Any] = {name: [{"x": 1}] * 2_000 for name in pack.input_schema["properties"]}
    inputs |= {f"unknown{number}": [1] for number in range(2_000)}
    assert 0 < len(input_errors(pack, inputs, _any_url)) <= MAX_ERRORS


@pytest.mark.parametrize("pack", PACKS.values(), ids=lambda pack: pack.name)
def test_a_list_that_is_too_long_is_refused_without_a_look_at_its_items(pack: Pack) -> None:
    for name in pack.input_schema["properties"]:
        began = time.process_time()
        input_errors(pack, {name: [{"x": [index]} for index in range(pack.max_values // 3)]}, _any_url)
        assert time.process_time() - began < 2, name


def test_values_are_counted_wherever_they_stand_and_not_beyond_the_limit() -> None:
    assert count_values({"a": [1, "x", None, {"b": True}]}, most=100) == 7
    assert count_values([[]] * 1_000_000, most=10) < 1_000_100
