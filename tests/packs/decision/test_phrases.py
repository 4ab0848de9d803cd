"""Both languages say the same things."""

import string

from packs.decision.phrases import WORDS
from packs.llm import Why


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_both_languages_have_every_sentence_with_the_same_values() -> None:
    assert set(WORDS["en"]) == set(WORDS["ko"])
    for key, text in WORDS["en"].items():
        assert fields(text) == fields(WORDS["ko"][key]), key


def test_every_failure_of_a_model_has_a_sentence() -> None:
    for why in Why:
        assert f"why_{why}" in WORDS["en"]
