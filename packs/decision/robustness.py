"""How firmly the recommended option leads: under ten thousand other weightings, and by a second method.

Both are deterministic: the draws come from a generator whose stream is frozen, with a fixed seed.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from packs.base import JsonObject
from packs.decision.run_state import Outcome

DRAWS = 10_000
SEED = 20_261_116
# Totals are rounded to this many places before they are compared: the last bits differ between processors.
PLACES = 9


@dataclass(frozen=True)
class Robustness:
    wins: dict[int, float]
    """Per candidate: the share of all weightings in which it leads alone."""
    second: tuple[int, ...]
    """The candidates as TOPSIS ranks them, best first."""


def robustness(outcome: Outcome) -> Robustness | None:
    """None where there is nothing to weigh: no decision, one candidate, or no criteria."""
    candidates = outcome.weighing.candidates
    if outcome.winner is None or len(candidates) < 2 or not outcome.columns:
        return None
    scores = np.array([[float(column.cells[i].score) for column in outcome.columns] for i in candidates])
    shares = np.array([float(weight.share) for weight in outcome.weighing.weights])
    return Robustness(_wins(candidates, scores), _topsis(candidates, scores, shares))


def _wins(candidates: tuple[int, ...], scores: NDArray[np.float64]) -> dict[int, float]:
    """Weightings drawn evenly from all that are possible: exponential draws, divided by their sum."""
    drawn = np.random.RandomState(SEED).standard_exponential((DRAWS, scores.shape[1]))
    weightings = drawn / drawn.sum(axis=1, keepdims=True)
    totals = np.round(np.einsum("dk,ok->do", weightings, scores), PLACES)
    alone = (totals == totals.max(axis=1, keepdims=True)).sum(axis=1) == 1
    leaders = totals.argmax(axis=1)[alone]
    return {option: round(float((leaders == place).sum()) / DRAWS, 4) for place, option in enumerate(candidates)}


def _topsis(candidates: tuple[int, ...], scores: NDArray[np.float64], shares: NDArray[np.float64]) -> tuple[int, ...]:
    """Nearness to the best values of all criteria, against the distance from the worst ones."""
    lengths = np.sqrt((scores**2).sum(axis=0))
    weighted = np.divide(scores, lengths, out=np.zeros_like(scores), where=lengths > 0) * shares
    to_best = np.sqrt(((weighted - weighted.max(axis=0)) ** 2).sum(axis=1))
    to_worst = np.sqrt(((weighted - weighted.min(axis=0)) ** 2).sum(axis=1))
    span = to_best + to_worst
    nearness = np.round(np.divide(to_worst, span, out=np.full(len(candidates), 0.5), where=span > 0), PLACES)
    order = sorted(range(len(candidates)), key=lambda place: -nearness[place])
    return tuple(candidates[place] for place in order)


def as_json(outcome: Outcome, found: Robustness | None) -> JsonObject:
    """The members of `sensitivity` that say how firm the lead is."""
    if found is None or outcome.winner is None:
        return {"weightings": None, "second_method": None}
    names = outcome.brief.options
    return {
        "weightings": {
            "draws": DRAWS,
            "seed": SEED,
            "wins": [{"option": names[i].name, "share": share} for i, share in found.wins.items()],
            "recommended_wins": found.wins.get(outcome.winner, 0.0),
        },
        "second_method": {
            "name": "TOPSIS",
            "ranking": [names[i].name for i in found.second],
            "agrees": found.second[0] == outcome.winner,
        },
    }
