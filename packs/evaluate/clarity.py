"""Whether a reader can follow: sentence length, vague words, hedging, shouting. Rates: length is no fault."""

import re
from collections.abc import Callable

from packs.evaluate.lexicon import DOUBLE_NEGATIVES, HEDGES, SHOUTING, VAGUE_WORDS
from packs.evaluate.material import Material, Sentence
from packs.evaluate.rubric import Reason, Subscore, deducted
from packs.evaluate.words import is_korean

KOREAN_LONG_WORDS = 25
ENGLISH_LONG_WORDS = 32

_CAPITALS = re.compile(r"\b(?:[A-Z]{4,20} ){2}[A-Z]{4,20}\b")


def _long(sentence: Sentence) -> bool:
    limit = KOREAN_LONG_WORDS if is_korean(sentence.text) else ENGLISH_LONG_WORDS
    return len(sentence.text.split()) > limit


def _shouts(sentence: Sentence) -> bool:
    return SHOUTING.search(sentence.text) is not None or _CAPITALS.search(sentence.text) is not None


def _matches(pattern: re.Pattern[str]) -> Callable[[Sentence], bool]:
    return lambda sentence: pattern.search(sentence.text) is not None


_CHECKS: tuple[tuple[str, str, int, Callable[[Sentence], bool]], ...] = (
    ("LONG_SENTENCES", "Long sentences (over 25 words in Korean, 32 in English)", 60, _long),
    ("VAGUE_WORDS", "Sentences with vague words", 45, _matches(VAGUE_WORDS)),
    ("HEDGING", "Sentences that hedge", 35, _matches(HEDGES)),
    ("SHOUTING", "Sentences that shout", 40, _shouts),
    ("DOUBLE_NEGATIVE", "Sentences with a double negative", 30, _matches(DOUBLE_NEGATIVES)),
)


def score_clarity(material: Material) -> Subscore:
    sentences = material.sentences
    if not sentences:
        return Subscore(None, (Reason("NO_SENTENCES", "There is nothing to read."),))
    reasons = []
    for code, text, worst, concerns in _CHECKS:
        count = sum(map(concerns, sentences))
        if count:
            points = -(worst * count // len(sentences))
            reasons.append(Reason(code, f"{text}: {count} of {len(sentences)}.", points))
    if not reasons:
        reasons.append(Reason("CLEAR", f"Sentences, all of them short and definite: {len(sentences)}."))
    return deducted(reasons)
