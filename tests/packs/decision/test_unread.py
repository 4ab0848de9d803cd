"""What was not understood never leads to a sure recommendation: open, conditional, reliability below 0.8."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packs.decision import PACK
from tests.packs.llm.context import a_context

Json = dict[str, Any]

SURE = 0.8
NAMED = {"CONSTRAINT_UNREAD", "CONSTRAINT_UNCERTAIN", "CONSTRAINT_UNKNOWN", "SENTENCES_UNREAD"}
OPTIONS = [
    {"name": "Kite", "attributes": {"price": "10 USD", "weight": "3 kg", "sealed": "yes", "origin": "Peru"}},
    {"name": "Wren", "attributes": {"price": "25 USD", "weight": "9 kg", "sealed": "no", "origin": "Chad"}},
]
# Words that stand in no list of ours, in frames that people use for rules.
SUBJECTS = ("The marquess", "Whoever yodels", "Our falconers", "Any bidder", "Every such gizmo", "The tontine")
VERBS = ("frobnicates", "is loath to flummox", "had better gild", "brooks", "shuns", "dare not hallow", "abhors")
OBJECTS = ("the trellis", "a sixpence", "gewgaws", "what the vicar swore", "half-timbered eaves", "the kelpie")
SUBJECTS_KO = ("촌장은", "방짜 장인은", "누구든지", "우리 두레는", "모든 물레는")
REST_KO = (
    "이엉을 얹는다.",
    "너와를 삼간다.",
    "먹줄을 튕기라고 일렀다.",
    "봇짐을 마다한다.",
    "삿갓을 벗고 들라 하였다.",
)
READ = ("", "The price must not exceed 40 USD. ", "가격은 40 USD 이하여야 한다. ")


def decided(context: Any) -> Json:
    inputs = {"question": "Which one?", "options": OPTIONS, "criteria": ["price", "weight"], "context": context}
    return PACK.execute(inputs, a_context()).data


def is_in_doubt(data: Json) -> bool:
    kinds = {item["kind"] for item in data["open"]}
    return data["reliability"]["score"] < SURE and data["recommendation"]["conditional"] and bool(kinds & NAMED)


@settings(max_examples=60, deadline=None)
@given(
    before=st.sampled_from(READ),
    sentence=st.one_of(
        st.builds("{} {} {}.".format, *map(st.sampled_from, (SUBJECTS, VERBS, OBJECTS))),
        st.builds("{} {}".format, *map(st.sampled_from, (SUBJECTS_KO, REST_KO))),
    ),
    after=st.sampled_from(READ),
)
def test_a_rule_in_unknown_words_leaves_doubt(before: str, sentence: str, after: str) -> None:
    data = decided(f"{before}{sentence} {after}".strip())
    assert is_in_doubt(data), sentence
    assert any(sentence.rstrip(".") in entry["text"] for entry in data["residue"])


@pytest.mark.parametrize("context", [{"note": "Falconers abhor gewgaws."}, {"rules": ["Falconers abhor gewgaws."]}])
def test_so_does_one_in_an_object(context: Json) -> None:
    assert is_in_doubt(decided(context))


def test_a_context_that_was_read_leaves_none() -> None:
    data = decided("The price must not exceed 40 USD.")
    assert data["reliability"]["score"] >= SURE
    assert data["recommendation"]["conditional"] is False
    assert not NAMED & {item["kind"] for item in data["open"]}


@settings(max_examples=30, deadline=None)
@given(verb=st.sampled_from(("leave", "shun", "favour", "skirt", "quit", "eschew", "frequent", "hug", "flank")))
def test_a_verb_nobody_knows_makes_a_condition_uncertain(verb: str) -> None:
    """`must not leave Peru` and `must not enter Peru` want the opposite."""
    data = decided(f"The goods must not {verb} Peru.")
    if data["recommendation"] is not None:
        assert is_in_doubt(data), verb


def test_half_of_a_sentence_that_binds_is_missed_by_nobody() -> None:
    data = decided("The price must not exceed 40 USD, and the trellis must be gilded by the falconers.")
    assert [row["kind"] for row in data["constraints"]] == ["limit"]
    assert is_in_doubt(data)
    assert "CONSTRAINT_UNREAD" in {item["kind"] for item in data["open"]}


def test_names_of_options_in_records_are_no_unread_sentences() -> None:
    offers = [{"name": "Kite", "colour score": 4}, {"name": "Wren", "colour score": 2}]
    assert decided({"offers": offers})["residue"] == []
