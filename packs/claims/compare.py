"""Figures and dates of a claim against those of a passage: do they agree, clash, or can it not be told?"""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum

from packs.claims.lexicon import Relation
from packs.claims.parsed import Figure
from packs.claims.relate import lemma_relation
from packs.text.dates import DateSpan
from packs.text.morphemes import english_lemma
from packs.text.quantities import Quantity, comparable
from packs.text.units import CURRENCIES, kind_of


class Match(StrEnum):
    AGREES = "agrees"
    CLASHES = "clashes"
    UNCLEAR = "unclear"


@dataclass(frozen=True)
class FigureMatch:
    match: Match
    claimed: Figure
    found: Figure | None


def same_kind(one: Figure, other: Figure) -> bool:
    """Whether two figures measure the same sort of thing; everything that is counted is one sort."""
    if {one.unit, other.unit} == {"%", "%p"}:
        return True
    return _sort(one.unit) == _sort(other.unit)


def _sort(unit: str) -> str:
    if unit in ("%", "%p", "times"):
        return unit
    kind = kind_of(unit) if unit else ""
    if unit in CURRENCIES:
        return "money"
    return (
        kind if kind in ("time", "length", "area", "mass", "volume", "data", "rate", "power", "frequency") else "count"
    )


def _counts_something_else(claimed: Figure, found: Figure) -> bool:
    """62 airports are not 62 countries."""
    one, other = claimed.unit, found.unit
    if not one.isascii() or not other.isascii() or {_sort(one), _sort(other)} != {"count"} or "" in (one, other):
        return False
    return lemma_relation(english_lemma(one), english_lemma(other), "en") is Relation.NONE


def agree(claimed: Figure, found: Figure) -> Match:
    if _counts_something_else(claimed, found):
        return Match.UNCLEAR
    if {claimed.unit, found.unit} == {"%", "%p"}:
        # A rise by 6 points is not one by 6 percent. A rise by 6 points and a level of 39 percent are two things.
        return Match.CLASHES if claimed.low == found.low else Match.UNCLEAR
    if claimed.unit in CURRENCIES and found.unit in CURRENCIES and claimed.unit != found.unit:
        return Match.CLASHES
    if claimed.per != found.per:
        if claimed.per and found.per:
            return Match.CLASHES if _values(claimed, found) is Match.AGREES else Match.UNCLEAR
        return Match.UNCLEAR if not _loose_per(claimed, found) else _values(claimed, found)
    return _values(claimed, found)


def _loose_per(claimed: Figure, found: Figure) -> bool:
    """A claim may leave out per what; it must not add it."""
    return not claimed.per


def _values(claimed: Figure, found: Figure) -> Match:
    low, high = found.low, found.high
    if claimed.unit != found.unit and _sort(claimed.unit) not in ("count", "money"):
        turned = comparable(_quantity(found), claimed.unit)
        if turned is None:
            return Match.UNCLEAR
        low, high = turned.low, turned.high
    if claimed.bound or found.bound:
        return _bounds(claimed, found, low, high)
    if claimed.low <= low and high <= claimed.high:
        return Match.AGREES
    if low <= claimed.low and claimed.high <= high and low != high:
        # A calendar length (a month: 28 to 31 days) contains the claim; a range of the source does not confirm a point.
        return Match.AGREES if found.low == found.high else Match.UNCLEAR
    if claimed.approximate or found.approximate or claimed.unit == "%":
        middle = (low + high) / 2
        if _rounds_to(middle, claimed.low):
            return Match.AGREES
        if (claimed.approximate or found.approximate) and abs(middle - claimed.low) * 10 <= abs(middle):
            return Match.UNCLEAR
    return Match.CLASHES


def _quantity(figure: Figure) -> Quantity:
    return Quantity(figure.start, figure.end, figure.text, figure.low, figure.high, figure.unit)


def _rounds_to(exact: Decimal, written: Decimal) -> bool:
    """Whether the exact value, rounded to the last written digit, is what was written."""
    if exact == written:
        return True
    exponent = written.normalize().as_tuple().exponent
    step = Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0)
    if abs(exact) and step > abs(exact) / 5 and step > 1:
        return False
    return (exact / step).quantize(Decimal(1), rounding=ROUND_HALF_UP) * step == written


def _bounds(claimed: Figure, found: Figure, low: Decimal, high: Decimal) -> Match:
    """A bound is agreed with when everything the passage allows lies within it."""
    least, most = _limits(found.bound, low, high)
    value = claimed.low
    if claimed.bound == found.bound and claimed.bound in ("at_most", "at_least") and low == high and claimed.low != low:
        return Match.CLASHES  # "up to 14 hours" names the limit itself
    if claimed.bound in ("over", "at_least"):
        if least is not None and (
            least > value or (least == value and (claimed.bound == "at_least" or found.bound == "over"))
        ):
            return Match.AGREES
        beyond = most is not None and (most < value or (most == value and _excludes(claimed, found)))
        return Match.CLASHES if beyond else Match.UNCLEAR
    if claimed.bound in ("under", "at_most"):
        if most is not None and (
            most < value or (most == value and (claimed.bound == "at_most" or found.bound == "under"))
        ):
            return Match.AGREES
        beyond = least is not None and (least > value or (least == value and _excludes(claimed, found)))
        return Match.CLASHES if beyond else Match.UNCLEAR
    if (least is not None and claimed.high < least) or (most is not None and claimed.low > most):
        return Match.CLASHES
    return Match.UNCLEAR


def _excludes(claimed: Figure, found: Figure) -> bool:
    """Exactly 35 is not less than 35; about 35 may be."""
    return claimed.bound in ("over", "under") and not found.approximate and not claimed.approximate


def _limits(bound: str, low: Decimal, high: Decimal) -> tuple[Decimal | None, Decimal | None]:
    if bound in ("over", "at_least"):
        return low, None
    if bound in ("under", "at_most"):
        return None, high
    return low, high


def dates_agree(claimed: DateSpan, found: DateSpan) -> Match:
    """The claim's date must hold the passage's: June 1868 holds 12 June 1868, not the other way round."""
    unclear = False
    for part in ("year", "month", "day"):
        mine, theirs = getattr(claimed, part), getattr(found, part)
        if mine is not None and theirs is not None and mine != theirs:
            return Match.CLASHES
        if mine is not None and theirs is None:
            unclear = True
    if claimed.first and found.first and claimed.last and found.last:
        if claimed.first <= found.first and found.last <= claimed.last:
            return Match.AGREES
        if claimed.last < found.first or found.last < claimed.first:
            return Match.CLASHES
        return Match.UNCLEAR
    return Match.UNCLEAR if unclear else Match.AGREES
