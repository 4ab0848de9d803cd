"""Whether citations lead somewhere, quotations are exact and short, and attributions name someone."""

import re
from collections.abc import Iterator
from itertools import islice

from dpp_project.profile import PROFILE
from packs.evaluate.coverage import CITATION
from packs.evaluate.lexicon import NOBODY_IN_PARTICULAR
from packs.evaluate.phrases import say
from packs.evaluate.rubric import ScoreReason, Subscore, deducted
from packs.evaluate.submission import Claim, Submission
from packs.text.folding import fold
from packs.text.quotations import quoted_passages

_QUOTE_WORTH_CHECKING = 4
_MAX_QUOTES = 100  # each is looked for in every source
_SPACE = re.compile(r"\s+")
_EDGES = " .,;:!?…'\"“”"


def score_citations(submission: Submission) -> Subscore:
    reasons = [*_attributions(submission), *_marks(submission), *_quotes(submission), *_sources(submission)]
    if submission.claims and not _cited(submission):
        reasons.append(ScoreReason("NO_CITATIONS", _say(submission, "NO_CITATIONS"), -50))
    if not submission.claims and not submission.sources:
        return Subscore(None, (ScoreReason("NOTHING_TO_CITE", _say(submission, "NOTHING_TO_CITE")),))
    if not reasons:
        reasons.append(ScoreReason("IN_ORDER", _say(submission, "IN_ORDER")))
    return deducted(reasons)


def _say(submission: Submission, key: str, **values: int | str) -> str:
    return say(submission.language, key, **values)


def _cited(submission: Submission) -> tuple[Claim, ...]:
    return tuple(claim for claim in submission.claims if claim.given_sources or CITATION.search(claim.text))


def _marks_of(claim: Claim) -> Iterator[str]:
    yield from claim.given_sources
    yield from (match["mark"] for match in CITATION.finditer(claim.text) if match["mark"])


def _attributions(submission: Submission) -> Iterator[ScoreReason]:
    vague = tuple(claim.index for claim in submission.claims if NOBODY_IN_PARTICULAR.search(claim.text))
    if vague:
        text = _say(submission, "VAGUE_ATTRIBUTION", count=len(vague))
        yield ScoreReason("VAGUE_ATTRIBUTION", text, -min(45, 20 * len(vague)), vague)


def _marks(submission: Submission) -> Iterator[ScoreReason]:
    known = {source.id for source in submission.sources}
    dangling = tuple(claim.index for claim in submission.claims if any(mark not in known for mark in _marks_of(claim)))
    if dangling:
        text = _say(submission, "DANGLING_CITATION", count=len(dangling))
        yield ScoreReason("DANGLING_CITATION", text, -min(60, 25 * len(dangling)), dangling)
    used = {mark for claim in submission.claims for mark in _marks_of(claim)}
    unused = [source.id for source in submission.sources if source.id not in used]
    if used and unused:
        text = _say(submission, "UNUSED_SOURCE", count=len(unused), shown=", ".join(unused[:5]))
        yield ScoreReason("UNUSED_SOURCE", text, -min(15, 5 * len(unused)))


def _quotes(submission: Submission) -> Iterator[ScoreReason]:
    quotes = [submission.text[start:end] for start, end in islice(quoted_passages(submission.text), _MAX_QUOTES)]
    overlong = [quote for quote in quotes if len(quote.split()) > PROFILE.quote_max_words]
    if overlong:
        text = _say(submission, "LONG_QUOTATION", words=PROFILE.quote_max_words, count=len(overlong))
        yield ScoreReason("LONG_QUOTATION", text, -min(30, 15 * len(overlong)))
    bodies = [_plain(source.text) for source in submission.sources if source.text]
    wrong = [
        quote
        for quote in quotes
        if bodies and len(quote.split()) >= _QUOTE_WORTH_CHECKING and not any(_plain(quote) in body for body in bodies)
    ]
    if wrong:
        text = _say(submission, "INEXACT_QUOTATION", count=len(wrong))
        yield ScoreReason("INEXACT_QUOTATION", text, -min(60, 30 * len(wrong)))


def _plain(text: str) -> str:
    return _SPACE.sub(" ", fold(text).lower).strip(_EDGES)


def _sources(submission: Submission) -> Iterator[ScoreReason]:
    nameless = [source.id for source in submission.sources if not (source.title or source.url)]
    if nameless:
        text = _say(submission, "NAMELESS_SOURCE", count=len(nameless), shown=", ".join(nameless[:5]))
        yield ScoreReason("NAMELESS_SOURCE", text, -min(20, 5 * len(nameless)))
