"""`assess`: the five sub-scores, their weighted mean, and what could not be settled."""

from collections.abc import Mapping, Sequence
from typing import Any

from packs.base import JsonObject
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

MAX_OPEN_CLAIMS = 20


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
        EVIDENCE: score_evidence(supports),
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
        "interpretation": [interpretation_json(each) for each in supports],
        "open": _open(material, supports),
        "asmp": _assumptions(supports, scores, weights),
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
    points: list[tuple[str, str, int | None]] = []
    if not material.sources:
        points.append(("NO_SOURCES", "No sources were given: nothing could be verified.", None))
    elif not material.passages:
        points.append(("SOURCES_WITHOUT_TEXT", "The sources came without text: nothing could be verified.", None))
    if material.claims_left_out:
        points.append(("CLAIMS_LEFT_OUT", f"{material.claims_left_out} further claims were not assessed.", None))
    if material.passages_left_out:
        points.append(("SOURCES_CUT", f"{material.passages_left_out} source sentences were not read.", None))
    texts = {
        CONTRADICTED: "Which is right, the claim or the source that says the opposite?",
        DIFFERS: "Which figure is right, the claim's or the source's?",
        UNSUPPORTED: "Where does this claim come from?",
        CITED: "Does the named source say this?",
    }
    concerned = [each for status in texts for each in supports if each.status == status]
    points += [(each.status.upper(), texts[each.status], each.claim.index) for each in concerned[:MAX_OPEN_CLAIMS]]
    if len(concerned) > MAX_OPEN_CLAIMS:
        points.append(("MORE", f"{len(concerned) - MAX_OPEN_CLAIMS} further claims are open as well.", None))
    return [
        {"id": f"OPEN-{number}", "code": code, "text": text, "claim_index": index}
        for number, (code, text, index) in enumerate(points, start=1)
    ]


def _assumptions(
    supports: tuple[Support, ...], scores: Mapping[str, int | None], weights: Mapping[str, int]
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
            "text": "Claims that name a source whose text was not given count half.",
            "base": score_if(CREDIT[CITED]),
            "optimistic": score_if(100),
            "pessimistic": score_if(0),
        }
    ]
