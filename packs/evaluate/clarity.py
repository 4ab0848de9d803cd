"""Whether a reader can follow: sentence length, vague words, hedging, shouting. Rates: length is no fault."""

import re
from collections.abc import Callable
from functools import partial

from packs.claims.library import is_korean
from packs.claims.statements import Statement
from packs.claims.verdict import Status
from packs.evaluate import phrases
from packs.evaluate.coverage import Assessed
from packs.evaluate.lexicon import DOUBLE_NEGATIVES, HEDGES, SHOUTING, VAGUE_WORDS
from packs.evaluate.rubric import ScoreReason, Subscore, deducted
from packs.evaluate.submission import Submission

KOREAN_LONG_WORDS = 25
ENGLISH_LONG_WORDS = 32

_CAPITALS = re.compile(r"\b(?:[A-Z]{4,20} ){2}[A-Z]{4,20}\b")


def _long(sentence: Statement) -> bool:
    limit = KOREAN_LONG_WORDS if is_korean(sentence.text) else ENGLISH_LONG_WORDS
    return len(sentence.text.split()) > limit


def _shouts(sentence: Statement) -> bool:
    return SHOUTING.search(sentence.text) is not None or _CAPITALS.search(sentence.text) is not None


def _matches(pattern: re.Pattern[str]) -> Callable[[Statement], bool]:
    return lambda sentence: pattern.search(sentence.text) is not None


_CHECKS: tuple[tuple[str, int, Callable[[Statement], bool]], ...] = (
    ("LONG_SENTENCES", 60, _long),
    ("VAGUE_WORDS", 45, _matches(VAGUE_WORDS)),
    ("HEDGING", 35, _matches(HEDGES)),
    ("SHOUTING", 40, _shouts),
    ("DOUBLE_NEGATIVE", 30, _matches(DOUBLE_NEGATIVES)),
)


UNVERIFIED = 50
"""Of 100 for a sentence that no source supports: its wording neither earns nor costs anything."""


def score_clarity(submission: Submission, assessed: tuple[Assessed, ...]) -> Subscore:
    sentences, say = submission.sentences, partial(phrases.say, submission.language)
    if not sentences:
        return Subscore(None, (ScoreReason("NO_SENTENCES", say("NO_SENTENCES")),))
    limits = {"korean": KOREAN_LONG_WORDS, "english": ENGLISH_LONG_WORDS}
    unverified = _unverified(submission, assessed)
    judged = [each for place, each in enumerate(sentences) if place not in unverified]
    reasons = []
    if unverified:
        points = -(UNVERIFIED * len(unverified) // len(sentences))
        text = say("NOT_JUDGED", count=len(unverified), total=len(sentences))
        reasons.append(ScoreReason("NOT_JUDGED", text, points))
    for code, worst, concerns in _CHECKS:
        count = sum(map(concerns, judged))
        if count:
            points = -(worst * count // len(sentences))
            reasons.append(ScoreReason(code, say(code, count=count, total=len(sentences), **limits), points))
    if not reasons:
        reasons.append(ScoreReason("CLEAR", say("CLEAR", count=len(sentences))))
    return deducted(reasons)


def _unverified(submission: Submission, assessed: tuple[Assessed, ...]) -> set[int]:
    """The places of sentences that the sources could support and do not. Without source texts there are none."""
    if not any(source.text for source in submission.sources):
        return set()
    open_ones = {
        (each.claim.start, each.claim.text)
        for each in assessed
        if each.status is not Status.SUPPORTED and not each.unseen
    }
    return {place for place, each in enumerate(submission.sentences) if (each.start, each.text) in open_ones}
