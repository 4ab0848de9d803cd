"""The declared rubric: what is scored, with which weight, and how a sub-score reports itself."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
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
    {EVIDENCE: 50, NUMBERS: 10, CONTRADICTIONS: 20, CITATIONS: 10, CLARITY: 10}
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
class ScoreReason:
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
    reasons: tuple[ScoreReason, ...]


def deducted(reasons: list[ScoreReason]) -> Subscore:
    """A sub-score that starts at 100 and loses what its reasons take, until nothing is left to take."""
    left, kept = 100, []
    for reason in reasons:
        taken = min(left, -reason.points)
        kept.append(replace(reason, points=-taken))
        left -= taken
    return Subscore(left, tuple(kept))


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


def weighted(scores: Mapping[str, int | None], weights: Mapping[str, int]) -> dict[str, int]:
    """The points of every sub-score that applies; their sum is the weighted mean, rounded half up in integers.

    The weight of a sub-score that does not apply goes to the evidence: leaving figures out must not raise a score.
    """
    shares = {name: weights[name] for name, score in scores.items() if score is not None}
    if EVIDENCE in shares:
        shares[EVIDENCE] += sum(weights[name] for name, score in scores.items() if score is None)
    total = sum(shares.values())
    if total == 0:
        return {}
    exact = {name: weight * (scores[name] or 0) for name, weight in shares.items()}
    mean = (2 * sum(exact.values()) + total) // (2 * total)
    return dict(zip(exact, shared_out(mean, list(exact.values())), strict=True))


def shared_out(total: int, sizes: list[int]) -> list[int]:
    """Whole numbers in proportion to `sizes` that add up to `total`: the largest remainders are rounded up."""
    whole = sum(sizes)
    if not whole:
        return [0] * len(sizes)
    parts = [total * size // whole for size in sizes]
    remainders = sorted(range(len(sizes)), key=lambda place: (-(total * sizes[place] % whole), place))
    for place in remainders[: total - sum(parts)]:
        parts[place] += 1
    return parts


@dataclass(frozen=True)
class Cap:
    """The most an answer can score, whatever else is good about it."""

    code: str
    limit: int


def caps(claims: int, supported: int, contradicted: int) -> list[Cap]:
    """With source texts at hand: 30 points plus 70 for the supported share, and 60 for the share not contradicted.

    Both fall when a supported claim is replaced by a contradicted one, so such a change never raises a score.
    """
    if not claims:
        return []
    found = [Cap("CAP_VERIFIED", 30 + 70 * supported // claims)]
    if contradicted:
        found.append(Cap("CAP_CONTRADICTED", 60 * (claims - contradicted) // claims))
    return found
