"""Markdown that a real parser reads back as the plain texts that went in."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from packs.artifacts import Document, to_markdown
from packs.artifacts.document import Block, Bullets, Heading, Paragraph, Quote, Table, shown

AT = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)
# As the reader that is most willing to find markup: tables, strikethrough, bare links and HTML switched on.
PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])

HOSTILE = [
    "<script>alert(1)</script>",
    "[click](javascript:alert(1))",
    "![x](https://evil.example/p.png)",
    "# not a heading",
    "- not a list",
    "+ not a list",
    "1. not a list",
    "2) not a list",
    "> not a quote",
    "---",
    "===",
    "```\ncode\n```",
    "~~~",
    "    indented",
    "a | b | c",
    "**bold** _it_ ~~gone~~ `code`",
    "&lt;b&gt; &amp; &#x41; &copy;",
    "back\\slash \\* \\",
    "[ref]: https://evil.example",
    "line\n\n# heading after a gap",
    "a\r\n- b",
    "trailing #",
    "<https://evil.example>",
    "$x$ and $$y$$",
    "*",
    "_",
    "한국어 **강조** 1,200,000원 (99.9 %)",
]


def markdown(*blocks: Block) -> str:
    return to_markdown(Document("Report", AT, "en", blocks))


def visible(tokens: list[Token]) -> str:
    """What a reader sees; anything that is not text shows up as its type."""
    parts = []
    for token in tokens:
        for child in token.children or ():
            parts.append(child.content if child.type in ("text", "text_special") else f"<{child.type}>")
    return "".join(parts)


def one_line(text: str) -> str:
    return " ".join(shown(text).split())


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_in_a_paragraph_is_shown_not_obeyed(text: str) -> None:
    tokens = PARSER.parse(markdown(Paragraph(text)))[3:]
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    assert " ".join(visible(tokens).split()) == one_line(text)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_in_a_table_stays_in_its_cell(text: str) -> None:
    tokens = PARSER.parse(markdown(Table(("A", "B"), ((text, "next"), ("x", text)))))[3:]
    cells = [token.children for token in tokens if token.type == "inline"]
    assert len(cells) == 6
    assert sum(token.type == "tr_open" for token in tokens) == 3


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_in_lists_quotes_and_headings_is_text(text: str) -> None:
    tokens = PARSER.parse(markdown(Heading(1, f"h {text}"), Bullets((text, "second")), Quote(text, text)))
    types = {token.type for token in tokens}
    allowed = {"heading", "paragraph", "bullet_list", "list_item", "blockquote"}
    assert types <= {"inline"} | {f"{name}_{side}" for name in allowed for side in ("open", "close")}
    children = {child.type for token in tokens for child in token.children or ()}
    assert children <= {"text", "text_special"}


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="ab1 .-+=#>*_`~|[]()<>!&\\\n:/@가나", max_size=40))
def test_any_text_is_only_text(text: str) -> None:
    tokens = PARSER.parse(markdown(Paragraph(f"x{text}"), Paragraph("end")))[3:]
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"] * 2
    assert {child.type for token in tokens for child in token.children or ()} <= {"text", "text_special"}


def test_bare_addresses_are_not_links() -> None:
    text = markdown(Paragraph("see https://evil.example/a and www.evil.example and a@evil.example"))
    assert "https\\://" in text
    assert "www\\." in text
    assert "a\\@evil" in text


def test_numbers_are_not_escaped() -> None:
    assert "81.7" in markdown(Table(("x",), (("81.7",),)))
    assert "1,200,000원" in markdown(Paragraph("1,200,000원"))


def test_control_and_direction_characters_are_gone() -> None:
    text = markdown(Paragraph("a\x00b\x1bc\u202ed\u2066e\ufefff"))
    assert "abcdef" in text


def test_a_long_run_of_spaces_is_quick() -> None:
    assert len(markdown(Paragraph("a" + " " * 200_000 + "b"))) > 200_000
