"""Amounts of one criterion brought to one unit, so that they can be compared. Exact factors only.

Weeks become days, miles become kilometres, a yearly price becomes a monthly one. A month beside days becomes the range
of days it can have. Currencies are converted only by a rate that the input gives.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction

from packs.text.quantities import Quantity, comparable
from packs.text.units import CURRENCIES, kind_of

_PERIODS_IN_YEAR = {"year": 1, "month": 12}
_DAYS = {"day": 1, "week": 7}
# Amounts in these units are measured, not counted: a bare number beside them has another meaning.
_MEASURED = frozenset(
    {
        "time",
        "length",
        "area",
        "mass",
        "volume",
        "data",
        "rate",
        "power",
        "frequency",
        "%",
        "%p",
        "kWh",
        "V",
        "dB",
        "dpi",
        "°C",
    }
    | {"times", "business day"}
)


@dataclass(frozen=True)
class Rates:
    """How many of the second currency one of the first is, as the input says."""

    given: Mapping[tuple[str, str], Decimal] = field(default_factory=dict)

    def convert(self, quantity: Quantity, unit: str) -> Quantity | None:
        rate = self.given.get((quantity.unit, unit))
        if rate is not None:
            return replace(quantity, low=quantity.low * rate, high=quantity.high * rate, unit=unit)
        back = self.given.get((unit, quantity.unit))
        if back:
            return replace(quantity, low=quantity.low / back, high=quantity.high / back, unit=unit)
        return None


NO_RATES = Rates()


def family(unit: str) -> str:
    """What amounts have to share to be comparable. Counts of anything, points and bare numbers are one family."""
    kind = kind_of(unit)
    if kind.startswith("money:") or kind in _MEASURED:
        return "money" if kind.startswith("money:") else kind
    return "count"


def in_unit(quantity: Quantity, unit: str, per: str, rates: Rates = NO_RATES) -> Quantity | None:
    """The quantity in this unit and period, or None where no exact way leads there."""
    result: Quantity | None
    if quantity.unit == unit or (family(quantity.unit) == family(unit) == "count"):
        result = replace(quantity, unit=unit)
    elif quantity.unit in CURRENCIES and unit in CURRENCIES:
        result = rates.convert(quantity, unit)
    else:
        result = comparable(quantity, unit)
    if result is None or result.per == per:
        return result
    return _per_period(result, per)


def _per_period(quantity: Quantity, per: str) -> Quantity | None:
    own, own_noun = _period(quantity.per)
    wanted, wanted_noun = _period(per)
    if own_noun != wanted_noun and own_noun and wanted_noun:
        return None
    if own == wanted:
        return replace(quantity, per=per)
    for table in (_PERIODS_IN_YEAR, {name: Fraction(1, days) for name, days in _DAYS.items()}):
        if own in table and wanted in table:
            factor = Fraction(table[own]) / Fraction(table[wanted])
            up, down = Decimal(factor.numerator), Decimal(factor.denominator)
            return replace(quantity, low=quantity.low * up / down, high=quantity.high * up / down, per=per)
    return None


def _period(per: str) -> tuple[str, str]:
    noun, _, last = per.rpartition("/")
    return (last, noun) if last in (*_PERIODS_IN_YEAR, *_DAYS, "hour") else ("", per)


def in_one_unit(
    quantities: Sequence[Quantity | None], period: str = "", rates: Rates = NO_RATES
) -> list[Quantity | None] | None:
    """All amounts in the unit of the first one that every other can be brought to; None when there is none.

    `period`: what amounts without one are per, as the criterion's name says.
    """
    given = [replace(each, per=period) if each is not None and not each.per and period else each for each in quantities]
    present = [each for each in given if each is not None]
    scales = {each.out_of for each in present if each.out_of is not None}
    if len(scales) > 1 and all(each.out_of for each in present):
        given = [None if each is None else _share_of_scale(each) for each in given]
        present = [each for each in given if each is not None]
    targets = sorted(present, key=lambda each: each.unit in ("month", "year"))
    for target in targets:
        per = target.per or next((each.per for each in present if each.per), "")
        moved = [None if each is None else in_unit(each, target.unit, per, rates) for each in given]
        if sum(each is not None for each in moved) == len(present):
            return moved
    return None


def _share_of_scale(quantity: Quantity) -> Quantity:
    assert quantity.out_of is not None
    return replace(
        quantity,
        low=quantity.low * 100 / quantity.out_of,
        high=quantity.high * 100 / quantity.out_of,
        unit="%",
        out_of=None,
    )
