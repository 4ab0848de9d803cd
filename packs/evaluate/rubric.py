"""The declared rubric: what is scored, with which weight, and how a sub-score reports itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from packs.base import JsonObject

EVIDENCE, NUMBERS, CONTRADICTIONS, CITATIONS, CLARITY = (
    "evidence_coverage",
    "number_consistency",
    "contradictions",
    "citation_hygiene",
    "clarity",
)

WEIGHTS: Mapping[str, int] = MappingProxyType(
    {EVIDENCE: 30, NUMBERS: 20, CONTRADICTIONS: 20, CITATIONS: 15, CLARITY: 15}
)
MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        EVIDENCE: "How much of what is claimed is found in the sources, figures included.",
        NUMBERS: "Whether figures, units and dates agree with the sources and with each other.",
        CONTRADICTIONS: "Whether statements say the opposite of each other or of a source.",
        CITATIONS: "Whether citations lead somewhere, quotations are exact and short, and attributions name someone.",
        CLARITY: "Whether sentences are short, definite and free of vague words.",
    }
)
MAX_PLACES = 10


@dataclass(frozen=True)
class Reason:
    """Why a sub-score is what it is: points given or taken, and the claims concerned."""

    code: str
    text: str
    points: int = 0
    claims: tuple[int, ...] = ()

    def as_json(self) -> JsonObject:
        return {"code": self.code, "text": self.text, "points": self.points, "claims": list(self.claims[:MAX_PLACES])}


@dataclass(frozen=True)
class Subscore:
    score: int | None
    """0-100, or None where the text offers nothing to judge: then its weight falls to the others."""
    reasons: tuple[Reason, ...]


def deducted(reasons: list[Reason]) -> Subscore:
    """A sub-score that starts at 100 and loses what its reasons take."""
    return Subscore(max(0, 100 + sum(reason.points for reason in reasons)), tuple(reasons))


def weights_of(rubric: Mapping[str, Any] | None) -> dict[str, int]:
    """The caller's weights over the declared ones. All zero would leave nothing to score by."""
    given = (rubric or {}).get("weights", {})
    unknown = sorted(set(given) - set(WEIGHTS))
    if unknown:
        raise ValueError(f"unknown in rubric.weights: {', '.join(unknown)}")
    weights = {name: int(given.get(name, weight)) for name, weight in WEIGHTS.items()}
    if min(weights.values()) < 0 or not any(weights.values()):
        raise ValueError("rubric.weights must be 0 or more, and not all 0")
    return weights


def weighted(scores: Mapping[str, int | None], weights: Mapping[str, int]) -> int:
    """The weighted mean of the sub-scores that apply, rounded half up in integers."""
    applied = [(weights[name], score) for name, score in scores.items() if score is not None]
    total = sum(weight for weight, _ in applied)
    if total == 0:
        return 0
    return (2 * sum(weight * score for weight, score in applied) + total) // (2 * total)
