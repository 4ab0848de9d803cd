"""`assess`: the five sub-scores, their weighted mean, and what could not be settled."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from packs.base import JsonObject
from packs.evaluate import sayings
from packs.evaluate.citations import score_citations
from packs.evaluate.clarity import score_clarity
from packs.evaluate.consistency import score_contradictions, score_numbers
from packs.evaluate.evidence import (
    CITED,
    CONTRADICTED,
    CREDIT,
    DIFFERS,
    UNSUPPORTED,
    Support,
    coverage,
    evidence_json,
    find_support,
    interpretation_json,
    score_evidence,
)
from packs.evaluate.material import Material, read_material
from packs.evaluate.rubric import (
    CITATIONS,
    CLARITY,
    CONTRADICTIONS,
    EVIDENCE,
    NUMBERS,
    Subscore,
    weighted,
    weights_of,
)
from packs.evaluate.sayings import Language

MAX_OPEN_CLAIMS = 20

_TO_SETTLE = (CONTRADICTED, DIFFERS, UNSUPPORTED, CITED)


def assess(
    text_or_claims: str | Sequence[str | Mapping[str, Any]],
    sources: Sequence[str | Mapping[str, Any]] = (),
    rubric: Mapping[str, Any] | None = None,
) -> JsonObject:
    """Score a text, or claims given one by one, against sources by a declared rubric."""
    weights = weights_of(rubric)
    material = read_material(text_or_claims, sources)
    supports = find_support(material)
    subscores = {
        EVIDENCE: score_evidence(supports, material.language),
        NUMBERS: score_numbers(material, supports),
        CONTRADICTIONS: score_contradictions(material, supports),
        CITATIONS: score_citations(material),
        CLARITY: score_clarity(material),
    }
    scores = {name: each.score for name, each in subscores.items()}
    return {
        "score": weighted(scores, weights),
        "subscores": {name: _subscore_json(each, weights[name]) for name, each in subscores.items()},
        "evidence": [evidence_json(each) for each in supports],
        "interpretation": [interpretation_json(each, material.language) for each in supports],
        "open": _open(material, supports),
        "asmp": _assumptions(supports, scores, weights, material.language),
        "rubric": {"weights": weights, "overridden": weights != weights_of(None)},
    }


def _subscore_json(subscore: Subscore, weight: int) -> JsonObject:
    return {
        "score": subscore.score,
        "weight": weight,
        "applies": subscore.score is not None,
        "reasons": [reason.as_json() for reason in subscore.reasons],
    }


def _open(material: Material, supports: tuple[Support, ...]) -> list[JsonObject]:
    """What a person would have to settle: gaps of the input first, then claim by claim."""
    say = partial(sayings.say, material.language)
    points: list[tuple[str, str, int | None]] = []
    if not material.sources:
        points.append(("NO_SOURCES", say("open_NO_SOURCES"), None))
    elif not material.passages:
        points.append(("SOURCES_WITHOUT_TEXT", say("open_SOURCES_WITHOUT_TEXT"), None))
    if material.claims_left_out:
        points.append(("CLAIMS_LEFT_OUT", say("open_CLAIMS_LEFT_OUT", count=material.claims_left_out), None))
    if material.passages_left_out:
        points.append(("SOURCES_CUT", say("open_SOURCES_CUT", count=material.passages_left_out), None))
    concerned = [each for status in _TO_SETTLE for each in supports if each.status == status]
    for each in concerned[:MAX_OPEN_CLAIMS]:
        code = each.status.upper()
        points.append((code, say(f"open_{code}"), each.claim.index))
    if len(concerned) > MAX_OPEN_CLAIMS:
        points.append(("MORE", say("open_MORE", count=len(concerned) - MAX_OPEN_CLAIMS), None))
    return [
        {"id": f"OPEN-{number}", "code": code, "text": text, "claim_index": index}
        for number, (code, text, index) in enumerate(points, start=1)
    ]


def _assumptions(
    supports: tuple[Support, ...],
    scores: Mapping[str, int | None],
    weights: Mapping[str, int],
    language: Language,
) -> list[JsonObject]:
    """What the score takes for granted, and what it would be if that turned out better or worse."""
    if not any(each.status == CITED for each in supports):
        return []

    def score_if(credit: int) -> int:
        return weighted({**scores, EVIDENCE: coverage(supports, credit)}, weights)

    return [
        {
            "id": "ASMP-1",
            "code": "CITED_SOURCES_UNSEEN",
            "text": sayings.say(language, "asmp_CITED_SOURCES_UNSEEN"),
            "base": score_if(CREDIT[CITED]),
            "optimistic": score_if(100),
            "pessimistic": score_if(0),
        }
    ]
