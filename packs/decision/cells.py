"""One score per option and criterion, each with the evidence it rests on. Pure.

Order of trust: a value given for this option and criterion, a "criterion: value" line in a text, a
sentence that leans one way, and else nothing: then the score is a declared 50, to be shown between 0 and
100.
"""

from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from fractions import Fraction

from packs.decision.brief import Criterion, Direction, Scalar
from packs.decision.comparing import NO_RATES, Rates, family, in_one_unit
from packs.decision.directions import derived_direction
from packs.decision.evidence import Evidence, Material
from packs.decision.facts import Fact, FactBook
from packs.decision.polarity import lean
from packs.decision.readings import Amount, Day, Flag, Judgement, Level, Reading, period_of
from packs.text.quantities import Quantity

FULL = Fraction(100)
NEUTRAL = Fraction(50)
STEP = Fraction(25)
MAX_CITED = 3


class Basis(StrEnum):
    SCALE = "scale"  # position on the scale the criterion declares
    COMPARED = "compared"  # ratio to the best option's value
    SPREAD = "spread"  # position between worst and best: zero or negative values allow no ratio
    GRADE = "grade"
    YES_NO = "yes_no"
    TEXT = "text"
    ASSUMED = "assumed"


STRENGTH = {
    Basis.SCALE: Fraction(1),
    Basis.COMPARED: Fraction(1),
    Basis.SPREAD: Fraction(1),
    Basis.GRADE: Fraction(1),
    Basis.YES_NO: Fraction(1),
    Basis.TEXT: Fraction(1, 2),
    Basis.ASSUMED: Fraction(0),
}
"""How much of a score is supported by what was given; a reading of prose counts half."""


class Gap(StrEnum):
    """Why a cell has no evidence."""

    NOTHING = "nothing"  # no statement about this option and criterion
    PROSE = "prose"  # a value is given, but it is not one quantity, grade or yes/no
    UNITS = "units"  # a quantity is given, but in another unit than the others
    ALONE = "alone"  # a quantity is given, but there is nothing to compare it with
    UNCLEAR = "unclear"  # sentences speak of it, but not clearly one way


@dataclass(frozen=True)
class Cell:
    score: Fraction
    basis: Basis
    evidence: tuple[Evidence, ...] = ()
    value: Scalar | None = None
    """The caller's own value, unchanged."""
    gap: Gap | None = None
    spread: Fraction | None = None
    """Where a compared value stands if the best were 100 and the worst 0: the other way to read the same
    numbers.
    """
    clamped: bool = False
    """The value lies outside the declared scale."""
    quantity: Quantity | None = None
    """The value as read, in the caller's own unit."""
    compared_as: Quantity | None = None
    """The same in the unit that the column was compared in, where that is another one."""

    @property
    def strength(self) -> Fraction:
        return STRENGTH[self.basis]


@dataclass(frozen=True)
class Conflict:
    """Two values given for the same option and criterion; the first is used."""

    option: str
    criterion: str
    used: Evidence
    other: Evidence


@dataclass(frozen=True)
class Column:
    """A criterion's cells, one per option, in the order of the options."""

    criterion: Criterion
    direction: Direction
    direction_assumed: bool
    cells: tuple[Cell, ...]
    conflicts: tuple[Conflict, ...] = ()


@dataclass(frozen=True)
class Table:
    """What a column is scored from: the facts, who may still be chosen, and the rates that the input gives."""

    material: Material
    book: FactBook
    admissible: frozenset[int]
    directions: tuple[tuple[int, Direction], ...] = ()
    """Directions that the text states, by criterion."""
    rates: Rates = NO_RATES

    def stated_direction(self, index: int) -> Direction | None:
        return dict(self.directions).get(index)


def column(table: Table, index: int, *, reverse: bool = False) -> Column:
    """Score every option on the criterion `index`. `reverse` asks what the other direction would give.

    The best and the worst value are those of options that may be chosen: an excluded bargain is no yardstick.
    """
    criterion = table.material.brief.criteria[index]
    attribute = table.book.matching(criterion.name)
    found = [table.book.of(i, attribute) for i in range(len(table.material.brief.options))]
    facts = [given[0] if given else None for given in found]
    stated = criterion.direction or table.stated_direction(index)
    direction = stated or derived_direction(criterion.name, _family(facts))
    if reverse:
        direction = "lower_is_better" if direction == "higher_is_better" else "higher_is_better"
    scorer = _Scorer(criterion, direction, facts, table)
    cells = [
        _from_text(table.material, i, index, direction) if fact is None else scorer.cell(i, fact)
        for i, fact in enumerate(facts)
    ]
    return Column(criterion, direction, stated is None, tuple(cells), tuple(_conflicts(table, criterion, found)))


def _conflicts(table: Table, criterion: Criterion, found: list[list[Fact]]) -> list[Conflict]:
    names = [option.name for option in table.material.brief.options]
    return [
        Conflict(names[i], criterion.name, given[0].evidence, other.evidence)
        for i, given in enumerate(found)
        for other in given[1:]
        if _differ(given[0].reading, other.reading)
    ]


def _differ(one: Reading | None, other: Reading | None) -> bool:
    if isinstance(one, Amount) and isinstance(other, Amount):
        first, second = one.quantity, other.quantity
        if not second.per and first.per:
            second = replace(second, per=first.per)
        elif not first.per and second.per:
            first = replace(first, per=second.per)
        moved = in_one_unit([first, second])
        if moved is None or moved[0] is None or moved[1] is None:
            return True
        return moved[0].high < moved[1].low or moved[1].high < moved[0].low
    return one != other and one is not None and other is not None


def _family(facts: list[Fact | None]) -> str:
    for fact in facts:
        if fact is not None and isinstance(fact.reading, Amount):
            return family(fact.reading.quantity.unit)
    return ""


class _Scorer:
    def __init__(self, criterion: Criterion, direction: Direction, facts: list[Fact | None], table: Table) -> None:
        self.criterion, self.direction, self.admissible = criterion, direction, table.admissible
        self.quantities = [
            fact.reading.quantity if fact is not None and isinstance(fact.reading, Amount) else None for fact in facts
        ]
        self.days = [
            fact.reading.span.first if fact is not None and isinstance(fact.reading, Day) else None for fact in facts
        ]
        self.amounts = in_one_unit(self.quantities, period_of(criterion.name), table.rates)

    def cell(self, index: int, fact: Fact) -> Cell:
        match fact.reading:
            case Level(step):
                score = STEP * step
                return _given(fact, score if self.direction == "higher_is_better" else FULL - score, Basis.GRADE)
            case Judgement(step):
                return _given(fact, STEP * step, Basis.GRADE)
            case Flag(present):
                good = present is (self.direction == "higher_is_better")
                return _given(fact, FULL if good else Fraction(0), Basis.YES_NO)
            case Amount(quantity):
                return self._amount(index, fact, quantity)
            case Day():
                return self._day(index, fact)
            case _:
                return Cell(NEUTRAL, Basis.ASSUMED, (fact.evidence,), fact.value, Gap.PROSE)

    def _amount(self, index: int, fact: Fact, quantity: Quantity) -> Cell:
        own = None if self.amounts is None else self.amounts[index]
        if self.amounts is None or own is None:
            cell = Cell(NEUTRAL, Basis.ASSUMED, (fact.evidence,), fact.value, Gap.UNITS)
            return replace(cell, quantity=quantity)
        moved = own if (own.unit, own.per) != (quantity.unit, quantity.per) and own.low != quantity.low else None
        cell = self._scored(
            fact, Fraction(own.middle), [Fraction(each.middle) for each in self._yardstick(self.amounts)]
        )
        return replace(cell, quantity=quantity, compared_as=moved)

    def _yardstick(self, amounts: list[Quantity | None]) -> list[Quantity]:
        chosen = [each for i, each in enumerate(amounts) if each is not None and i in self.admissible]
        return chosen if len(chosen) >= 2 else [each for each in amounts if each is not None]

    def _scored(self, fact: Fact, own: Fraction, amounts: list[Fraction]) -> Cell:
        if self.criterion.scale is not None:
            low, high = self.criterion.scale
            inside = min(max(own, low), high)
            score = _towards(inside, low, high, self.direction)
            return _given(fact, score, Basis.SCALE, clamped=inside != own)
        if len(amounts) < 2:
            return Cell(NEUTRAL, Basis.ASSUMED, (fact.evidence,), fact.value, Gap.ALONE)
        low, high = min(amounts), max(amounts)
        if low == high:
            better = own > high if self.direction == "higher_is_better" else own < low
            return _given(fact, FULL if own == low or better else Fraction(0), Basis.COMPARED, spread=FULL)
        spread = min(max(_towards(own, low, high, self.direction), Fraction(0)), FULL)
        if self.direction == "higher_is_better" and low >= 0 and own >= 0:
            return _given(fact, min(FULL * own / high, FULL), Basis.COMPARED, spread=spread)
        if self.direction == "lower_is_better" and low > 0 and own > 0:
            return _given(fact, min(FULL * low / own, FULL), Basis.COMPARED, spread=spread)
        return _given(fact, spread, Basis.SPREAD)

    def _day(self, index: int, fact: Fact) -> Cell:
        """Earlier or later: a day has no zero, so it stands between the first and the last one."""
        own = self.days[index]
        ordinals = [Fraction(day.toordinal()) for day in self.days if isinstance(day, date)]
        if own is None or len(ordinals) < 2:
            return Cell(NEUTRAL, Basis.ASSUMED, (fact.evidence,), fact.value, Gap.ALONE)
        low, high = min(ordinals), max(ordinals)
        if low == high:
            return _given(fact, FULL, Basis.SPREAD)
        return _given(fact, _towards(Fraction(own.toordinal()), low, high, self.direction), Basis.SPREAD)


def _towards(amount: Fraction, low: Fraction, high: Fraction, direction: Direction) -> Fraction:
    share = FULL * (amount - low) / (high - low)
    return share if direction == "higher_is_better" else FULL - share


def _given(fact: Fact, score: Fraction, basis: Basis, *, spread: Fraction | None = None, clamped: bool = False) -> Cell:
    return Cell(score, basis, (fact.evidence,), fact.value, spread=spread, clamped=clamped)


def _from_text(material: Material, option: int, criterion: int, direction: Direction) -> Cell:
    spoken = material.statements.get((option, criterion), ())
    leaning = [(statement, lean(statement.text, direction)) for statement in spoken]
    clear = [(statement, sign) for statement, sign in leaning if sign]
    signs = {sign for _, sign in clear}
    if len(signs) == 1:
        cited = tuple(statement.cited() for statement, _ in clear[:MAX_CITED])
        return Cell(NEUTRAL + STEP * clear[0][1], Basis.TEXT, cited)
    if spoken:
        cited = tuple(statement.cited() for statement in spoken[:MAX_CITED])
        return Cell(NEUTRAL, Basis.ASSUMED, cited, gap=Gap.UNCLEAR)
    return Cell(NEUTRAL, Basis.ASSUMED, gap=Gap.NOTHING)
