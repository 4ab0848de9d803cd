"""Numbers with their units and dates, as they are written.

Notation is read (1억 2천만 원 is 120,000,000 KRW), nothing is computed beyond it: no conversion between units or
currencies, no rounding, no sums. Values are exact decimals.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from packs.evaluate.lexicon import ENGLISH_STOP, UNIT_NOT_BEFORE, UNIT_OF

_NUMBER = r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?"
_SCALES = {
    scale: Decimal(10**power)
    for scale, power in {
        "조": 12, "천억": 11, "백억": 10, "십억": 9, "억": 8, "천만": 7, "백만": 6, "십만": 5, "만": 4, "천": 3,
        "백": 2,
        "trillion": 12, "billion": 9, "bn": 9, "million": 6, "thousand": 3,
    }.items()
}  # fmt: skip
_PREFIX_OF = {"$": "USD", "us$": "USD", "usd": "USD", "₩": "KRW", "krw": "KRW", "€": "EUR", "eur": "EUR"}


def _word_end(name: str) -> str:
    """A Latin unit must end where its word ends; a Korean one may be followed by particles."""
    if name in UNIT_NOT_BEFORE:
        return f"(?!{UNIT_NOT_BEFORE[name]})"
    return "(?![A-Za-z])" if name[-1].isascii() and name[-1].isalpha() else ""


def _alternatives(names: Iterable[str]) -> str:
    ordered = sorted(names, key=lambda name: (-len(name), name))
    return "|".join(re.escape(name) + _word_end(name) for name in ordered)


_SCALE = _alternatives(_SCALES)
_QUANTITY = re.compile(
    rf"(?P<prefix>US\$|USD ?|KRW ?|EUR ?|[$₩€])?(?P<sign>(?<![0-9A-Za-z가-힣)])[-−])?"
    rf"(?<![0-9.,A-Za-z])(?P<parts>(?:{_NUMBER})(?: ?(?:{_SCALE}))?"
    rf"(?:(?<=[조억만천]) ?(?:{_NUMBER}) ?(?:{_SCALE})?){{0,3}})"
    rf"(?:[ -]?(?P<unit>percentage points?|{_alternatives(UNIT_OF)}))?",
    re.IGNORECASE,
)
# `4 branches`: what is counted is the unit, where no known unit follows. Plurals only, and no verb in the third person.
_COUNTED = re.compile(r" ([a-z]{2,20}s)(?![A-Za-z-])")
_NOT_COUNTED = ENGLISH_STOP | frozenset(
    ("versus", "plus", "minus", "less", "across", "besides", "perhaps", "thus", "always", "yes")
)
_A_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_EXACT_DIGITS = 24  # decimal arithmetic keeps 28; longer digits stay text, so that nothing is ever rounded
_PART = re.compile(rf"({_NUMBER}) ?({_SCALE})?", re.IGNORECASE)

_LEAP_YEAR = "2000"  # a day of a month without a year may be 29 February
_MONTH_NAMES = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_MONTHS = {name: index + 1 for index, name in enumerate(_MONTH_NAMES.split("|"))}
_MONTH = f"(?P<{{0}}>{_MONTH_NAMES})[a-z]{{{{0,6}}}}\\.?"
_YEAR = r"(?:19|20)[0-9]{2}"
_DATES = re.compile(
    rf"(?<![0-9])(?P<y1>{_YEAR}) ?[-./년] ?(?P<m1>[0-9]{{1,2}})(?: ?[-./월] ?(?P<d1>[0-9]{{1,2}})일?|월)(?![0-9])"
    rf"|(?<![A-Za-z]){_MONTH.format('n2')} (?P<d2>[0-9]{{1,2}})(?:st|nd|rd|th)?,? (?P<y2>{_YEAR})(?![0-9])"
    rf"|(?<![0-9])(?P<d3>[0-9]{{1,2}}) {_MONTH.format('n3')} (?P<y3>{_YEAR})(?![0-9])"
    rf"|(?<![A-Za-z]){_MONTH.format('n4')} (?P<y4>{_YEAR})(?![0-9])"
    rf"|(?<![0-9])(?P<y5>{_YEAR})년(?!간)"
    rf"|(?<![0-9])(?P<m7>[0-9]{{1,2}})월(?: ?(?P<d7>[0-9]{{1,2}})일)?"
    rf"|(?:(?<=in )|(?<=since )|(?<=of )|(?<=by )|(?<=\())(?P<y6>{_YEAR})(?![0-9,.%-][0-9]|[0-9])",
    re.IGNORECASE,
)
# Ordinals, citation marks, article and telephone numbers are names, not amounts.
_NOT_AMOUNTS = re.compile(
    r"\[[0-9]{1,3}\]|https?://\S+|\((?:출처|자료|source) ?: ?[^()]{1,80}\)"
    r"|제 ?[0-9]+(?:조|항|호|장|절|차)(?:의[0-9]+)?|[0-9]+ ?(?:분기|항|호|차|번째|단계|등급)"
    r"|\b(?:art|section|chapter|fig|table|v)\.? ?[0-9][0-9.]*|\bq[1-4]\b"
    r"|(?<![0-9-])[0-9]{2,4}-[0-9]{3,4}(?:-[0-9]{4})?(?![0-9-])",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Quantity:
    written: str
    value: str
    """Canonical digits of the value, or an ISO date as far as it is given."""
    unit: str
    """Canonical unit, `date`, or an empty string for a bare number."""
    start: int
    possible: bool = True
    noun_chars: int = 0
    """How much of `written`, at its end, is the noun that is counted: a word of the sentence like any other."""

    @property
    def key(self) -> tuple[str, str]:
        return self.value, self.unit


def quantities(text: str) -> tuple[Quantity, ...]:
    """All of them in the order of the text; a date is not also read as numbers."""
    hidden = _blanked(text, _NOT_AMOUNTS)
    found = [_date(match) for match in _DATES.finditer(hidden)]
    amounts = list(_amounts(_blanked(hidden, _DATES)))
    return tuple(sorted(found + amounts, key=lambda quantity: quantity.start))


def without(text: str, found: tuple[Quantity, ...]) -> str:
    """The text with its figures blanked: what is left are the words about them."""
    pieces, copied = [], 0
    for each in found:
        pieces += [text[copied : each.start], " "]
        copied = each.start + len(each.written) - each.noun_chars
    return "".join([*pieces, text[copied:]])


def _blanked(text: str, pattern: re.Pattern[str]) -> str:
    return pattern.sub(lambda match: " " * len(match.group()), text)


def _amounts(text: str) -> Iterator[Quantity]:
    for match in _QUANTITY.finditer(text):
        prefix = (match["prefix"] or "").strip().lower()
        written_unit = (match["unit"] or "").lower()
        unit = _PREFIX_OF.get(prefix) or (
            "%p" if written_unit.startswith("percentage") else UNIT_OF.get(written_unit, "")
        )
        value = _value(match["parts"])
        sign = "-" if match["sign"] else ""
        written = match.group().rstrip()
        noun = "" if unit else _counted_noun(text, match)
        yield Quantity(written + noun, sign + value, unit or noun.strip(), match.start(), noun_chars=len(noun))


def _counted_noun(text: str, match: re.Match[str]) -> str:
    counted = _COUNTED.match(text, match.end())
    if counted is None or counted[1] in _NOT_COUNTED or _A_YEAR.fullmatch(match["parts"]):
        return ""
    return counted.group()


def _value(parts: str) -> str:
    if len(parts) > _EXACT_DIGITS:
        return parts.replace(",", "").replace(" ", "")
    total = Decimal(0)
    for number, scale in _PART.findall(parts):
        total += Decimal(number.replace(",", "")) * (_SCALES[scale.lower()] if scale else 1)
    return format(total.normalize(), "f")


def _date(match: re.Match[str]) -> Quantity:
    group = match.groupdict()
    year = next((group[name] for name in ("y1", "y2", "y3", "y4", "y5", "y6") if group[name]), None)
    named = group["n2"] or group["n3"] or group["n4"]
    month = group["m1"] or group["m7"] or (str(_MONTHS[named.lower()]) if named else None)
    day = group["d1"] or group["d2"] or group["d3"] or group["d7"]
    value = "-".join([year or "-", *(part.zfill(2) for part in (month, day) if part)])
    return Quantity(match.group().rstrip(), value, "date", match.start(), _exists(year, month, day))


def _exists(year: str | None, month: str | None, day: str | None) -> bool:
    try:
        date(int(year or _LEAP_YEAR), int(month or 1), int(day or 1))
    except ValueError:
        return False
    return True
