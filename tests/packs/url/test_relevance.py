"""The relevance gate: terms in the page's own script, names by their sound, and the bars on the labelled pages."""

import json
from pathlib import Path

import pytest

from bench.packs.url import KINDS, relevance_counts
from packs.url.relevance import MIN_SCORE, Passages, is_specific
from packs.url.terms import Kind, terms_of
from packs.url.transliteration import stands_for

CASES = json.loads(
    (Path(__file__).parents[3] / "bench" / "packs" / "cases" / "url_relevance.json").read_text(encoding="utf-8")
)["cases"]


def found(question: str, text: str) -> set[str]:
    passages = Passages("", text, terms_of(question))
    return {term.text for term in passages.terms if passages.places[term]}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", ["en", "ko"])
def test_own_pages_are_kept_and_foreign_ones_are_not(kind: str, language: str) -> None:
    own, foreign, foreign_asked = relevance_counts(CASES, kind, language)
    assert len(CASES) == 24
    assert own >= 23
    assert foreign <= 0.03 * foreign_asked


def test_terms_are_found_whatever_is_glued_to_them() -> None:
    assert found("전기차 보조금은 얼마인가요?", "전기차의 보조금이 늘었다") == {"전기차", "보조금"}
    assert "subsidy" in found("How do subsidies change?", "The subsidy changed.")
    assert found("Slack 요금제", "Slack은 요금제를 바꿨다") == {"slack", "요금제"}


def test_a_term_is_not_found_inside_another_word() -> None:
    assert found("자동 확장", "자동차 공장의 확장") == {"확장"}
    assert found("the art of war", "We start toward the harbour.") == set()


@pytest.mark.parametrize(
    "question",
    ["어떻게 무엇을 해야 할까요?", "the of what should we do", "wie ist das und was sind die"],
)
def test_words_without_a_subject_are_no_terms(question: str) -> None:
    assert [term.text for term in terms_of(question) if term.kind is not Kind.GENERAL] == []


def test_accented_letters_are_letters() -> None:
    assert "förderung" in {term.text for term in terms_of("Förderung für Elektroautos")}
    assert found("La réforme à Besançon", "Besançon attend la réforme.") == {"réforme", "besançon"}


def test_a_question_without_spaces_is_looked_for_in_pairs() -> None:
    assert len(found("電気自動車の補助金", "電気自動車の購入には補助金が出る。")) >= 5


@pytest.mark.parametrize(
    ("hangul", "latin", "same"),
    [
        ("테슬라", "Tesla", True),
        ("쿠버네티스", "Kubernetes", True),
        ("넷플릭스", "Netflix", True),
        ("바르셀로나", "Barcelona", True),
        ("테슬라", "Tunisia", False),
        ("보조금", "Boeing", False),
        ("줌", "Zoom", False),
        ("", "x", False),
    ],
)
def test_names_are_known_by_their_sound(hangul: str, latin: str, same: bool) -> None:
    assert stands_for(hangul, latin) is same


def test_a_page_without_the_name_that_was_asked_for_is_another_page() -> None:
    text = "The warranty of the battery covers eight years or 160,000 kilometres, says {0}. {0} repairs it."
    terms = terms_of("How long is the battery warranty of Tesla?")
    asked, other = (Passages("Warranty", text.format(name), terms).judged().score for name in ("Tesla", "Renault"))
    assert asked is not None
    assert other is not None
    assert asked >= MIN_SCORE > other


def test_a_question_is_specific_when_a_page_can_miss_it() -> None:
    assert is_specific(terms_of("전기차 구매 보조금은 얼마인가요?"))
    assert not is_specific(terms_of("소식"))
    assert not is_specific(())
