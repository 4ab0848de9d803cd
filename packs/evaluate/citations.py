"""Whether citations lead somewhere, quotations are exact and short, and attributions name someone."""

import re
from collections.abc import Iterator
from itertools import islice

from dpp_project.profile import PROFILE
from packs.evaluate.evidence import CITATION
from packs.evaluate.lexicon import NOBODY_IN_PARTICULAR
from packs.evaluate.material import Claim, Material
from packs.evaluate.rubric import Reason, Subscore, deducted
from packs.evaluate.sayings import say
from packs.text.folding import fold
from packs.text.quotations import quoted_passages

_QUOTE_WORTH_CHECKING = 4
_MAX_QUOTES = 100  # each is looked for in every source
_SPACE = re.compile(r"\s+")
_EDGES = " .,;:!?…'\"“”"


def score_citations(material: Material) -> Subscore:
    reasons = [*_attributions(material), *_marks(material), *_quotes(material), *_sources(material)]
    if material.claims and not _cited(material):
        reasons.append(Reason("NO_CITATIONS", _say(material, "NO_CITATIONS"), -50))
    if not material.claims and not material.sources:
        return Subscore(None, (Reason("NOTHING_TO_CITE", _say(material, "NOTHING_TO_CITE")),))
    if not reasons:
        reasons.append(Reason("IN_ORDER", _say(material, "IN_ORDER")))
    return deducted(reasons)


def _say(material: Material, key: str, **values: int | str) -> str:
    return say(material.language, key, **values)


def _cited(material: Material) -> tuple[Claim, ...]:
    return tuple(claim for claim in material.claims if claim.cites or CITATION.search(claim.text))


def _marks_of(claim: Claim) -> Iterator[str]:
    yield from claim.cites
    yield from (match["mark"] for match in CITATION.finditer(claim.text) if match["mark"])


def _attributions(material: Material) -> Iterator[Reason]:
    vague = tuple(claim.index for claim in material.claims if NOBODY_IN_PARTICULAR.search(claim.text))
    if vague:
        text = _say(material, "VAGUE_ATTRIBUTION", count=len(vague))
        yield Reason("VAGUE_ATTRIBUTION", text, -min(45, 20 * len(vague)), vague)


def _marks(material: Material) -> Iterator[Reason]:
    known = {source.id for source in material.sources}
    dangling = tuple(claim.index for claim in material.claims if any(mark not in known for mark in _marks_of(claim)))
    if dangling:
        text = _say(material, "DANGLING_CITATION", count=len(dangling))
        yield Reason("DANGLING_CITATION", text, -min(60, 25 * len(dangling)), dangling)
    used = {mark for claim in material.claims for mark in _marks_of(claim)}
    unused = [source.id for source in material.sources if source.id not in used]
    if used and unused:
        text = _say(material, "UNUSED_SOURCE", count=len(unused), shown=", ".join(unused[:5]))
        yield Reason("UNUSED_SOURCE", text, -min(15, 5 * len(unused)))


def _quotes(material: Material) -> Iterator[Reason]:
    quotes = [material.text[start:end] for start, end in islice(quoted_passages(material.text), _MAX_QUOTES)]
    overlong = [quote for quote in quotes if len(quote.split()) > PROFILE.quote_max_words]
    if overlong:
        text = _say(material, "LONG_QUOTATION", words=PROFILE.quote_max_words, count=len(overlong))
        yield Reason("LONG_QUOTATION", text, -min(30, 15 * len(overlong)))
    bodies = [_plain(source.text) for source in material.sources if source.text]
    wrong = [
        quote
        for quote in quotes
        if bodies and len(quote.split()) >= _QUOTE_WORTH_CHECKING and not any(_plain(quote) in body for body in bodies)
    ]
    if wrong:
        text = _say(material, "INEXACT_QUOTATION", count=len(wrong))
        yield Reason("INEXACT_QUOTATION", text, -min(60, 30 * len(wrong)))


def _plain(text: str) -> str:
    return _SPACE.sub(" ", fold(text).lower).strip(_EDGES)


def _sources(material: Material) -> Iterator[Reason]:
    nameless = [source.id for source in material.sources if not (source.title or source.url)]
    if nameless:
        text = _say(material, "NAMELESS_SOURCE", count=len(nameless), shown=", ".join(nameless[:5]))
        yield Reason("NAMELESS_SOURCE", text, -min(20, 5 * len(nameless)))
