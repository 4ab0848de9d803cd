"""One text out of JSON that is not finished yet."""

import json

import pytest

from packs.llm.field_text import FieldText, seen


def read(document: str, size: int, name: str = "text") -> str:
    reading = FieldText(name)
    return "".join(reading.feed(document[start : start + size]) for start in range(0, len(document), size))


TEXTS = [
    "",
    "plain words",
    'quotes " and \\ slashes / and a brace } ] {',
    "two\nlines\tand a tab",
    "한국어 문장입니다.",
    "an emoji 🦊 of two halves",
    '{"text": "not the outer one"}',
]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1_000])
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_it_reads_what_json_reads(text: str, size: int, ascii_only: bool) -> None:
    value = {"first": "text", "list": ["text", {"text": "inner"}], "deep": {"text": "inner"}, "text": text, "last": 1}
    assert read(json.dumps(value, ensure_ascii=ascii_only, indent=1), size) == text


def test_a_part_gives_what_it_has() -> None:
    assert read('{"text": "so fa', 1) == "so fa"
    assert read('{"text": "half an escape \\u00', 1) == "half an escape "


def test_a_fence_and_words_before_the_object_do_no_harm() -> None:
    assert read('Here "text" it is:\n```json\n{"text": "hello"}\n```', 3) == "hello"


def test_the_text_ends_where_it_ends() -> None:
    assert read('{"text": "first", "text": "second"}', 4) == "first"


@pytest.mark.parametrize(
    "document",
    [
        "",
        "null",
        "[1]",
        '"text"',
        '{"text": 5}',
        '{"text": ["a"]}',
        '{"text": {"text": "a"}}',
        '["text", "a"]',
        "}}}]]",
    ],
)
def test_what_has_no_such_text_gives_none(document: str) -> None:
    assert read(document, 1) == ""


@pytest.mark.parametrize(
    ("document", "text"),
    [
        (r'{"text": "a\ud83d b"}', "a b"),
        (r'{"text": "a\udd8a b"}', "a b"),
        (r'{"text": "a\ud83dx\udd8a b"}', "ax b"),
        (r'{"text": "a\u0000\u001b[2Jb"}', "a[2Jb"),
        (r'{"text": "a\u202eb"}', "ab"),
        (r'{"text": "a\uzzzzb"}', "ab"),
    ],
)
def test_no_half_characters_and_none_that_nobody_sees(document: str, text: str) -> None:
    for size in (1, 4, 100):
        assert read(document, size) == text
    text.encode()


def test_a_whole_text_is_seen_as_its_pieces_are() -> None:
    text = "a\r\nb\x00\u200bc\ud800d"
    assert read(json.dumps({"text": text}), 5) == seen(text)
