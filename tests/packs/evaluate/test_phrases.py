"""Both languages say the same things, and a text is spoken about in its own."""

import re
import string
from typing import Any

from packs.evaluate import assess
from packs.evaluate.phrases import PHRASES

_HANGUL = re.compile(r"[가-힣]")


def values(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_both_languages_have_every_sentence_with_the_same_values() -> None:
    assert set(PHRASES["en"]) == set(PHRASES["ko"])
    for key, text in PHRASES["en"].items():
        assert values(text) == values(PHRASES["ko"][key]), key


def said(data: dict[str, Any]) -> list[str]:
    reasons = [reason["text"] for part in data["subscores"].values() for reason in part["reasons"]]
    readings = [entry["reason"] for entry in data["interpretation"]]
    return reasons + readings + [entry["text"] for entry in data["open"] + data["asmp"]]


def test_what_is_said_about_a_korean_text_is_korean() -> None:
    source = {"id": "1", "text": "직원은 350명이다."}
    data = assess("매출은 120억 원이다 [2]. 직원은 530명이다 [1]. 전망은 아마 매우 밝은 것 같다.", [source])
    assert len(said(data)) >= 8
    assert [text for text in said(data) if not _HANGUL.search(text)] == []
    assert "출처와 다른 수치: 1건(본문 530명, 출처 350명)." in said(data)


def test_what_is_said_about_an_english_text_is_english() -> None:
    data = assess("It ran in 4 branches [1]. It was probably cheap.", [{"id": "1", "text": "It ran in 3 branches."}])
    assert [text for text in said(data) if _HANGUL.search(text)] == []
    assert "Figures that differ from the source: 1 (4 branches against 3 branches)." in said(data)
