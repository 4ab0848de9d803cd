"""One score per option and criterion, each with the evidence it rests on. Pure.

Order of trust: a value given for this option and criterion, a "criterion: value" line in a text, a
sentence that leans one way, and else nothing: then the score is a declared 50, to be shown between 0 and
100.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from packs.decision.brief import Criterion, Direction, Scalar, escape_pointer, normalise
from packs.decision.evidence import Evidence, Material, pair, quotation
from packs.decision.polarity import lean
from packs.decision.quantities import Flag, Judgement, Level, Quantity, Reading, interpret, verbatim

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
    MODEL = "model"
    ASSUMED = "assumed"


STRENGTH = {
    Basis.SCALE: Fraction(1),
    Basis.COMPARED: Fraction(1),
    Basis.SPREAD: Fraction(1),
    Basis.GRADE: Fraction(1),
    Basis.YES_NO: Fraction(1),
    Basis.TEXT: Fraction(1, 2),
    Basis.MODEL: Fraction(1, 2),
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
class Fact:
    value: Scalar
    reading: Reading | None
    evidence: Evidence


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
    reason: str | None = None
    """Only for a language model's judgement: its own words."""

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


_LOWER = re.compile(
    r"\b(?:cost|price|fee|expense|spend|risk|latency|time|duration|delay|effort|complexity|downtime|error|"
    r"defect|bug|churn|emission|distance|debt|penalty|loss|consumption|failure|noise|tco)s?\b"
    r"|비용|가격|요금|수수료|단가|금액|위험|리스크|지연|기간|시간|소요|오류|결함|복잡|부담|배출|거리|장애"
    r"|이탈|손실|소비|소음"
)
_HIGHER = re.compile(
    r"\b(?:uptime|availability|quality|satisfaction|revenue|profit|performance|reliability|security|safety|"
    r"support|capacity|accuracy|throughput|flexibility|scalability|experience|coverage|usability|growth|fit|"
    r"score|rating|benefit|compatibility)s?\b"
    r"|가동률|가용성|품질|만족|매출|수익|이익|성능|신뢰|보안|안전|지원|용량|정확|처리량|유연|확장|경험|편의|성장"
    r"|적합|점수|평점|효과|호환"
)


def column(material: Material, index: int, *, reverse: bool = False) -> Column:
    """Score every option on the criterion `index`. `reverse` asks what the other direction would give."""
    criterion = material.brief.criteria[index]
    direction = criterion.direction or derived_direction(criterion.name)
    if reverse:
        direction = "lower_is_better" if direction == "higher_is_better" else "higher_is_better"
    facts: list[Fact | None] = []
    conflicts: list[Conflict] = []
    for i, option in enumerate(material.brief.options):
        found = list(_facts(material, i, index))
        facts.append(found[0] if found else None)
        conflicts += [
            Conflict(option.name, criterion.name, found[0].evidence, other.evidence)
            for other in found[1:]
            if other.reading != found[0].reading
        ]
    cells = [
        _from_text(material, i, index, direction) if fact is None else _from_fact(fact, criterion, direction, facts)
        for i, fact in enumerate(facts)
    ]
    return Column(criterion, direction, criterion.direction is None, tuple(cells), tuple(conflicts))


def derived_direction(name: str) -> Direction:
    return "lower_is_better" if _LOWER.search(normalise(name)) else "higher_is_better"


def direction_is_plain(name: str) -> bool:
    """The name itself tells the direction; otherwise "higher is better" is a bare guess."""
    lowered = normalise(name)
    return (_LOWER.search(lowered) is None) != (_HIGHER.search(lowered) is None)


def _facts(material: Material, index: int, j: int) -> Iterator[Fact]:
    criterion = material.brief.criteria[j]
    option = material.brief.options[index]
    wanted = normalise(criterion.name)
    for key, value in option.attributes.items():
        if normalise(key) == wanted:
            yield _fact(value, Evidence(f"{option.pointer}/attributes/{escape_pointer(key)}", _show(value)))
    for leaf in material.values.get(pair(option.name, criterion.name), ()):
        yield _fact(leaf.value, Evidence(leaf.pointer, _show(leaf.value)))
    line = re.compile(
        rf"^\W*(?:{re.escape(option.name)}\W*)?{re.escape(criterion.name)}\s*[:=：](?P<value>.*)$", re.IGNORECASE
    )
    for statement in material.statements.get((index, j), ()):
        found = line.match(statement.text)
        value = found["value"].strip().rstrip(".;,").rstrip() if found else ""
        if value and interpret(value) is not None:
            yield _fact(value, statement.cited())


def _fact(value: Scalar, evidence: Evidence) -> Fact:
    return Fact(value, interpret(value), evidence)


def _show(value: Scalar) -> str:
    return quotation(verbatim(value))


def _from_fact(fact: Fact, criterion: Criterion, direction: Direction, facts: list[Fact | None]) -> Cell:
    match fact.reading:
        case Level(step):
            score = STEP * step
            return _given(fact, score if direction == "higher_is_better" else FULL - score, Basis.GRADE)
        case Judgement(step):
            return _given(fact, STEP * step, Basis.GRADE)
        case Flag(present):
            good = present is (direction == "higher_is_better")
            return _given(fact, FULL if good else Fraction(0), Basis.YES_NO)
        case Quantity():
            return _from_quantity(fact, fact.reading, criterion, direction, facts)
        case _:
            return Cell(NEUTRAL, Basis.ASSUMED, (fact.evidence,), fact.value, Gap.PROSE)


def _from_quantity(
    fact: Fact, own: Quantity, criterion: Criterion, direction: Direction, facts: list[Fact | None]
) -> Cell:
    others = [other.reading for other in facts if other is not None and isinstance(other.reading, Quantity)]
    if len({other.unit for other in others}) > 1:
        return Cell(NEUTRAL, Basis.ASSUMED, (fact.evidence,), fact.value, Gap.UNITS)
    if criterion.scale is not None:
        low, high = criterion.scale
        inside = min(max(own.amount, low), high)
        score = _towards(inside, low, high, direction)
        return _given(fact, score, Basis.SCALE, clamped=inside != own.amount)
    if len(others) < 2:
        return Cell(NEUTRAL, Basis.ASSUMED, (fact.evidence,), fact.value, Gap.ALONE)
    amounts = [other.amount for other in others]
    low, high = min(amounts), max(amounts)
    if low == high:
        return _given(fact, FULL, Basis.COMPARED, spread=FULL)
    spread = _towards(own.amount, low, high, direction)
    if direction == "higher_is_better" and low >= 0:
        return _given(fact, FULL * own.amount / high, Basis.COMPARED, spread=spread)
    if direction == "lower_is_better" and low > 0:
        return _given(fact, FULL * low / own.amount, Basis.COMPARED, spread=spread)
    return _given(fact, spread, Basis.SPREAD)


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
