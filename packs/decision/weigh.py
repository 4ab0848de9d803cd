"""Weights, totals, ranking, and which change of one weight would turn the answer. Exact fractions
throughout: the same inputs give the same digits on every machine.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from packs.decision.brief import Criterion
from packs.decision.cells import Column

ZERO = Fraction(0)
ONE = Fraction(1)


class WeightSource(StrEnum):
    GIVEN = "given"
    MEAN_OF_GIVEN = "mean_of_given"  # the others have weights, this one does not
    EQUAL = "equal"  # no weights given, or all zero


@dataclass(frozen=True)
class Weight:
    share: Fraction
    source: WeightSource


@dataclass(frozen=True)
class Flip:
    """The smallest change of one criterion's share, all others scaled with it, that brings another option
    level.
    """

    criterion: int
    share: Fraction
    at: Fraction
    rival: int

    @property
    def distance(self) -> Fraction:
        return abs(self.at - self.share)


@dataclass(frozen=True)
class Weighing:
    weights: tuple[Weight, ...]
    totals: tuple[Fraction, ...]
    lowest: tuple[Fraction, ...]
    """Totals if every unsupported score were 0; `highest`: if it were 100."""
    highest: tuple[Fraction, ...]
    order: tuple[int, ...]
    """Option indices, best first; ties keep the caller's order. Excluded options come last."""
    coverage: Fraction
    """0-1: how much of the weight rests on evidence, averaged over the options that may be chosen."""
    flips: tuple[Flip, ...]
    excluded: frozenset[int] = frozenset()
    doubtful: frozenset[int] = frozenset()
    """Options of which a hard condition is not known: behind those that are known to meet all."""
    same: Mapping[int, int] = field(default_factory=dict)
    """Options that are another one under a second name: never its rival."""

    @property
    def admissible(self) -> tuple[int, ...]:
        return tuple(i for i in self.order if i not in self.excluded)

    @property
    def candidates(self) -> tuple[int, ...]:
        """Who may be recommended, best first: known to meet every hard condition, or, where nobody is, not known to
        break one. A second name is no second candidate.
        """
        known = [i for i in self.admissible if i not in self.doubtful and i not in self.same]
        return tuple(known or [i for i in self.admissible if i not in self.same])

    @property
    def tied(self) -> bool:
        best = self.candidates
        return len(best) > 1 and self.totals[best[0]] == self.totals[best[1]]

    @property
    def winner(self) -> int | None:
        """None when nothing supports an answer, or the first two are level. One option left over needs no points."""
        best = self.candidates
        if not best or self.tied:
            return None
        if len(best) == 1 and self.excluded:
            return best[0]
        return None if self.coverage == 0 else best[0]

    @property
    def rival(self) -> int | None:
        """The best of the others that may be chosen; where none is left, the best of the excluded."""
        best = self.winner if self.winner is not None else self.order[0] if self.order else None
        others = [i for i in self.order if i != best and i not in self.same]
        allowed = [i for i in others if i not in self.excluded]
        ranked = allowed or others
        return ranked[0] if ranked else None

    @property
    def margin(self) -> Fraction:
        best, rival = self.winner, self.rival
        if best is None or rival is None or rival in self.excluded:
            return ZERO if best is None else Fraction(100)
        return self.totals[best] - self.totals[rival]

    @property
    def shown_margin(self) -> Fraction:
        """The difference of the totals as they are shown: 83.3 and 51.9 are 31.4 apart to whoever reads them."""
        best, rival = self.winner, self.rival
        if best is None or rival is None:
            return ZERO
        return round(self.totals[best], 1) - round(self.totals[rival], 1)

    @property
    def gap_proof(self) -> bool:
        """The winner stays ahead even if every gap turns out against it."""
        best = self.winner
        return best is not None and all(
            self.lowest[best] > self.highest[other]
            for other in self.admissible
            if other != best and self.same.get(other) != best
        )


def weights(criteria: tuple[Criterion, ...]) -> tuple[Weight, ...]:
    given = [criterion.weight for criterion in criteria if criterion.weight is not None]
    if not given or sum(given) == 0:
        return tuple(Weight(Fraction(1, len(criteria)), WeightSource.EQUAL) for _ in criteria)
    mean = Fraction(sum(given, ZERO), len(given))
    raw = [(mean if c.weight is None else c.weight) for c in criteria]
    total = sum(raw, ZERO)
    return tuple(
        Weight(value / total, WeightSource.MEAN_OF_GIVEN if c.weight is None else WeightSource.GIVEN)
        for value, c in zip(raw, criteria, strict=True)
    )


def weigh(
    columns: tuple[Column, ...],
    weighted: tuple[Weight, ...],
    options: int,
    *,
    excluded: frozenset[int] = frozenset(),
    doubtful: frozenset[int] = frozenset(),
    same: Mapping[int, int] | None = None,
) -> Weighing:
    """Options without criteria, or criteria without options, weigh nothing: all totals are 0."""
    scores = [[column.cells[i].score for column in columns] for i in range(options)]
    shares = [weight.share for weight in weighted]
    totals = tuple(_total(row, shares) for row in scores)
    order = tuple(sorted(range(options), key=lambda i: (i in excluded, -totals[i])))
    allowed = [i for i in order if i not in excluded]
    return Weighing(
        weights=weighted,
        totals=totals,
        lowest=tuple(_total(_bounds(columns, i, ZERO), shares) for i in range(options)),
        highest=tuple(_total(_bounds(columns, i, Fraction(100)), shares) for i in range(options)),
        order=order,
        coverage=_coverage(columns, shares, allowed or list(order)),
        flips=_flips(scores, shares, tuple(i for i in allowed if i not in (same or {}))),
        excluded=excluded,
        doubtful=doubtful - excluded,
        same=dict(same or {}),
    )


def answer_if(
    columns: tuple[Column, ...],
    shares: tuple[Fraction, ...],
    candidates: tuple[int, ...],
    override: Mapping[tuple[int, int], Fraction],
) -> int | None:
    """Who of the candidates would lead under other shares or with other scores (keyed by option and criterion). None
    on a tie.
    """
    totals = {
        i: _total([override.get((i, j), column.cells[i].score) for j, column in enumerate(columns)], list(shares))
        for i in candidates
    }
    best = max(totals.values(), default=ZERO)
    leading = [i for i, total in totals.items() if total == best]
    return leading[0] if len(leading) == 1 else None


def with_share(shares: tuple[Fraction, ...], index: int, share: Fraction) -> tuple[Fraction, ...]:
    """One share changed, the others scaled so that they still sum to one."""
    rest = ONE - shares[index]
    if rest == 0:
        return shares
    return tuple(share if i == index else old * (ONE - share) / rest for i, old in enumerate(shares))


def _total(row: list[Fraction], shares: list[Fraction]) -> Fraction:
    return sum((score * share for score, share in zip(row, shares, strict=True)), ZERO)


def _bounds(columns: tuple[Column, ...], option: int, unsupported: Fraction) -> list[Fraction]:
    return [column.cells[option].score if column.cells[option].strength else unsupported for column in columns]


def _coverage(columns: tuple[Column, ...], shares: list[Fraction], options: list[int]) -> Fraction:
    if not columns or not options:
        return ZERO
    supported = sum(
        (column.cells[i].strength * share for column, share in zip(columns, shares, strict=True) for i in options),
        ZERO,
    )
    return supported / len(options)


def _flips(scores: list[list[Fraction]], shares: list[Fraction], order: tuple[int, ...]) -> tuple[Flip, ...]:
    """At most one flip per criterion and side: the rival that is met first."""
    if len(order) < 2 or len(shares) < 2:
        return ()
    best = order[0]
    found: list[Flip] = []
    for j, share in enumerate(shares):
        if share == 1:
            continue
        meetings = [
            Flip(j, share, at, rival)
            for rival in order[1:]
            if (at := _meeting(scores[best], scores[rival], shares, j)) is not None
        ]
        sides = [m for m in meetings if m.at > share], [m for m in meetings if m.at < share]
        found += [min(side, key=lambda flip: flip.distance) for side in sides if side]
    return tuple(sorted(found, key=lambda flip: flip.distance))


def _meeting(best: list[Fraction], rival: list[Fraction], shares: list[Fraction], j: int) -> Fraction | None:
    """The share x of criterion j at which both totals are equal: (1 - x) * rest + x * here = 0.

    0 means "level once the criterion is dropped"; 1 would mean "level if nothing else counted" and tells
    nothing.
    """
    rest_share = ONE - shares[j]
    rest = sum(((best[k] - rival[k]) * shares[k] for k in range(len(shares)) if k != j), ZERO) / rest_share
    here = best[j] - rival[j]
    if rest == here:
        return None
    at = rest / (rest - here)
    return at if 0 <= at < 1 else None
