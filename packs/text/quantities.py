"""Numbers with their units, as exact decimals with their place in the text. Korean and English.

The grammar refuses what it cannot read: `whole_quantity` answers only when every character is accounted for, and
`find_quantities` leaves out names with digits (ISO 27001, 제3조, v2, 2분기), dates and times of day. Notation is read
(1억 2천만 원 is 120,000,000 KRW); a conversion happens only when it is asked for, and only by an exact factor.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal

from packs.text import number_words as words
from packs.text.bounds import Bound, surroundings
from packs.text.dates import blanked, find_dates
from packs.text.folding import fold
from packs.text.units import (
    CURRENCIES,
    CURRENCY_PREFIX_PATTERN,
    UNIT_PATTERN,
    currency_of,
    days_in_months,
    factor,
    kind_of,
    unit_of,
)

MAX_WHOLE_CHARS = 120  # a longer text is prose, whatever it holds

# Names and places with digits. Currency codes are prefixes of amounts, and these abbreviations are measures.
_NOT_AMOUNTS = re.compile(
    r"\[[0-9]{1,3}\]|https?://\S+|[\w.+-]{1,64}@[\w.-]{1,200}|\((?:출처|자료|source) ?: ?[^()]{1,80}\)"
    r"|제 ?[0-9]+ ?(?:조|항|호|장|절|차|급|종)(?: ?의 ?[0-9]+| ?제? ?[0-9]+ ?[항호])*"
    r"|(?<![0-9])[0-9]{1,9} ?(?:사?분기|항|호|차(?![가-힣]*량)|번째|단계|등급|순위|위(?![가-힣])|학년|번지|호선|호점"
    r"|년차|주차|일차|조\s?[0-9]+ ?항)"
    r"|(?i:\b(?:art|article|section|chapter|fig|figure|table|item|phase|tier|step|stage|level|no|type|version|floor"
    r"|room"
    r"|appendix|clause|round|plan|class|category|option|case|annex|page|line|lot|series|grade|act)"
    r"\.? ?[0-9][0-9.]*(?![0-9,]))"
    r"|\b(?!USD|KRW|EUR|JPY|GBP|CNY|RMB|CHF|SGD|HKD|AUD|CAD|INR|TWD|VND|SEK|NOK|DKK|PLN|NPS|ROI|MAU|DAU|CPA|ARR|LTV|CAC|CTR|IRR|NPV|ESG|AUM|CSAT)"
    r"[A-Z]{2,8}[ -][0-9]{1,6}(?:[-:.][0-9]{1,6})*"
    r"(?! ?(?:%|원|만|억|percent|hours?|days?|weeks?|months?|years?|개|명|건))(?![0-9,])"
    r"|(?<![0-9-])(?:19|20)[0-9]{2}-[0-9]{1,2}(?![0-9-])"
    r"|\b[Qq][1-4]\b|\b(?!(?:[kcm]?m|ft|in)[23](?![A-Za-z0-9]))[A-Za-z]+[0-9][A-Za-z0-9.-]*"
    r"|(?<![0-9$€£¥₩-])[0-9]{2,4}-[0-9]{3,4}(?:-[0-9]{4})?(?![0-9-])"
    r"|(?<![0-9.])[0-9]+(?:\.[0-9]+){2,}(?![0-9])"
    r"|(?<![0-9])[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?: ?[ap]m\b)?|\b[0-9]{1,2} ?[ap]\.?m\b\.?"
    r"|(?:오전|오후|새벽|밤|저녁|아침)? ?(?<![0-9])[0-9]{1,2} ?시(?!간)(?: ?[0-9]{1,2} ?분| ?반)?"
    r"|(?<![0-9])[0-9]+(?:st|nd|rd|th)\b"
)
_NUMBER = re.compile(
    rf"(?P<fixed>{words.FIXED_WORDS})|(?P<korean>(?<![0-9.,A-Za-z]){words.KOREAN_NUMBER})"
    rf"|(?P<digits>(?<![0-9.,A-Za-z]){words.DIGITS}(?![0-9]|,[0-9]))"
    rf"|(?P<sino>{words.SINO_NUMBER})|(?P<native>{words.NATIVE_NUMBER})|(?P<english>{words.ENGLISH_NUMBER})"
    r"|(?P<article>\b(?:an?|per)|(?<=within )the|(?<=inside )the|(?<=under )the)(?=\s(?:second(?!\s[a-z])|minute"
    r"|hour|day|week|month|year|mile|kilomet(?:er|re)|tonne)\b)",
    re.IGNORECASE,
)
_CURRENCY_BEFORE = re.compile(rf"(?<![A-Za-z])(?:{CURRENCY_PREFIX_PATTERN})\s?$", re.IGNORECASE)
_SIGN_BEFORE = re.compile(r"(?:(?<![0-9A-Za-z가-힣)%])[-−△▲]|\bminus\s|마이너스\s?)$")
_SUFFIX_SCALE = re.compile(r"\s?(thousand|millions?|billions?|trillion|mn|mio|bn|tn|k|K|M|m|B|b)(?![A-Za-z0-9²])")
_UNIT_AFTER = re.compile(rf"[\s-]?(?P<unit>{UNIT_PATTERN})", re.IGNORECASE)
_AND_A_HALF_BEFORE = re.compile(r" and a half(?=[\s-])", re.IGNORECASE)
_AND_A_HALF_AFTER = re.compile(r" and a half\b|\s반(?![가-힣])|\s반(?=[이을은만](?![가-힣]))", re.IGNORECASE)
_MORE = re.compile(r"여(?=\s?[가-힣])")
# `4 branches`: what is counted is the unit, where no known unit follows. Plurals only, and no verb in the third person.
_COUNTED = re.compile(
    r" (?:(?:new|old|full-time|active|paying|monthly|annual|daily|further|additional) )?([a-z]{2,20}s)(?![A-Za-z-])"
)
_NOT_COUNTED_WORDS = (
    "is was has does goes as this its his hers us yes versus plus minus less across besides perhaps thus always unless"
    " times needs means costs takes lasts makes gives gets comes says lies remains starts ends runs exceeds works"
)
_NOT_COUNTED = frozenset(_NOT_COUNTED_WORDS.split())
_OUT_OF = re.compile(
    rf"(?:\s?/\s?|\sout of\s|(?<=\.[0-9])\sof\s)({words.DIGITS})(?:\s?(?:점|points?|stars?))?(?![0-9A-Za-z%])"
)
# Of a speed, faster is more; of a time it is less.
_SPEEDS = frozenset({"km/h", "mph", "Mbps", "Gbps", "rpm", "ppm", "fps"})
_SPEED_BEFORE = re.compile(r"\b(?:faster|quicker|slower) than\b", re.IGNORECASE)
_MORE_SPEED: dict[Bound, Bound] = {"under": "over", "over": "under", "at_least": "at_most", "at_most": "at_least"}
_RANGE = re.compile(r"(?P<mark>\s?[-~∼〜]\s?|\s(?:to|through|or|and)\s|\s?(?:에서|부터|내지|또는)\s?)")
_BETWEEN = re.compile(r"\bbetween\s(?:[$₩€£¥]|US\$)?\s?$", re.IGNORECASE)


@dataclass(frozen=True)
class Quantity:
    """`text[start:end]` is the figure with its unit; `around` also covers words such as "at most" and 약."""

    start: int
    end: int
    text: str
    low: Decimal
    high: Decimal
    unit: str
    """Canonical (`KRW`, `day`, `%`, `person`), a counted English noun (`branches`), or empty for a bare number."""
    per: str = ""
    """`month`, `year`, `user/month`: what the amount is for; empty when it is a total."""
    bound: Bound = ""
    approximate: bool = False
    around: tuple[int, int] = (0, 0)
    out_of: Decimal | None = None
    """The end of the scale, where one is written: 5 in `4.5/5`."""

    @property
    def is_range(self) -> bool:
        return self.low != self.high

    @property
    def middle(self) -> Decimal:
        return (self.low + self.high) / 2


@dataclass(frozen=True)
class _Figure:
    start: int
    end: int
    amount: Decimal
    unit: str
    scale: Decimal = Decimal(1)
    out_of: Decimal | None = None
    has_scale: bool = False


def find_quantities(text: str, today: date | None = None) -> list[Quantity]:
    """All quantities in the order of the text; a date is not also read as numbers."""
    folded = fold(text)
    dates = [(each.start, each.end) for each in find_dates(folded.plain, today)]
    plain = blanked(folded.plain, iter(dates))
    plain = _NOT_AMOUNTS.sub(lambda match: " " * len(match.group()), plain)
    found = []
    for quantity in _scan(plain, bare_years=False):
        around = (folded.original(quantity.around[0]), folded.original(quantity.around[1]))
        start, end = folded.original(quantity.start), folded.original(quantity.end)
        found.append(replace(quantity, start=start, end=end, text=text[start:end], around=around))
    return found


def whole_quantity(text: str) -> Quantity | None:
    """The quantity that a text is, read to its last character; None when it says anything more."""
    if len(text) > MAX_WHOLE_CHARS:
        return None
    folded = fold(text)
    plain = folded.plain.strip()
    if find_dates(plain) or any(match.group().strip() for match in _NOT_AMOUNTS.finditer(plain)):
        return None
    found = _scan(plain, bare_years=True)
    if len(found) != 1:
        return None
    first, last = found[0].around
    if plain[:first].strip(" (:~+") or plain[last:].strip(" ).,"):
        return None
    return replace(found[0], start=0, end=len(text), text=text, around=(0, len(text)))


def converted(quantity: Quantity, unit: str) -> Quantity | None:
    """The same quantity in another unit, where an exact factor exists."""
    exact = factor(quantity.unit, unit)
    if exact is None:
        return None
    up, down = exact
    return replace(quantity, low=quantity.low * up / down, high=quantity.high * up / down, unit=unit)


def comparable(quantity: Quantity, unit: str) -> Quantity | None:
    """As `converted`; a calendar length becomes the range of days it can have (a month: 28 to 31)."""
    exact = converted(quantity, unit)
    if exact is not None or kind_of(quantity.unit) != "time" or kind_of(unit) != "time":
        return exact
    if quantity.unit in ("month", "year"):
        months = converted(quantity, "month")
        assert months is not None
        low = _days(months.low, lowest=True)
        high = _days(months.high, lowest=False)
        return converted(replace(quantity, low=low, high=high, unit="day"), unit)
    return None


def _days(months: Decimal, *, lowest: bool) -> Decimal:
    if months == months.to_integral_value() and 0 < months <= 12_000:
        return Decimal(days_in_months(int(months))[0 if lowest else 1])
    return months * (28 if lowest else 31)


def _scan(text: str, *, bare_years: bool) -> list[Quantity]:
    """`한 달에 5만원` is one quantity: what the next one is per is not an amount of its own."""
    found: list[Quantity] = []
    for quantity in _each(text, bare_years=bare_years):
        if found and quantity.around[0] <= found[-1].start and quantity.per:
            found.pop()
        found.append(quantity)
    return found


def _each(text: str, *, bare_years: bool) -> Iterator[Quantity]:
    place = 0
    while match := _NUMBER.search(text, place):
        figure = _figure(text, match)
        if figure is None:
            place = match.end()
            continue
        figure, high = _with_range(text, figure)
        low_amount, high_amount = min(figure.amount, high.amount), max(figure.amount, high.amount)
        quantity = Quantity(
            figure.start,
            high.end,
            text[figure.start : high.end],
            low_amount,
            high_amount,
            high.unit,
            out_of=high.out_of,
        )
        place = high.end
        if _is_a_name(text, quantity, match, bare_years=bare_years):
            continue
        quantity = _surrounded(text, _compound(text, quantity))
        place = max(place, quantity.end)
        yield replace(quantity, low=_plain(quantity.low), high=_plain(quantity.high))


def _is_a_name(text: str, quantity: Quantity, match: re.Match[str], *, bare_years: bool) -> bool:
    """Digits glued to letters, and a bare 19xx or 20xx in prose, are not amounts."""
    if quantity.unit:
        return False
    following = text[quantity.end : quantity.end + 1]
    if following.isascii() and following.isalpha():
        return True
    if match["english"] or match["article"] or match["fixed"]:
        return not bare_years  # "one", "two": without a unit, a word of the sentence
    written = match.group()
    return not bare_years and re.fullmatch(r"(?:19|20)[0-9]{2}", written) is not None


def _figure(text: str, match: re.Match[str]) -> _Figure | None:
    start, end = match.span()
    if match["fixed"]:
        amount, unit = words.FIXED[match["fixed"].lower()]
        counted = "" if unit else _counted(text, end)
        return _Figure(start, end + (len(counted) + 1 if counted else 0), Decimal(amount), unit or counted)
    value, scale = _value(match)
    if value is None:
        return None
    has_scale = scale != 1
    sign_place = start
    currency = ""
    prefix = _CURRENCY_BEFORE.search(text[max(0, start - 5) : start])
    if prefix:
        currency = currency_of(prefix.group())
        start = sign_place = start - len(prefix.group())
    if sign := _SIGN_BEFORE.search(text[max(0, sign_place - 6) : sign_place]):
        value, start = -value, sign_place - len(sign.group())
    if match["digits"] and (suffix := _SUFFIX_SCALE.match(text, end)):
        power = _power(suffix[1], money=bool(currency))
        if power:
            scale, has_scale = Decimal(10) ** power, True
            value, end = value * scale, suffix.end()
    if more := _MORE.match(text, end):
        end = more.end()
    half = _AND_A_HALF_BEFORE.match(text, end)
    if half:
        value, end = value + Decimal("0.5"), half.end()
    return _with_unit(text, _Figure(start, end, value, currency, scale, None, has_scale))


def _power(suffix: str, *, money: bool) -> int:
    """`m` is a metre and `b` a letter, except behind a currency; `M` is a million."""
    if suffix in ("M",) or (suffix == "m" and money):
        return 6
    if suffix in ("B", "b"):
        return 9 if money else 0
    return words.SUFFIX_SCALES.get(suffix.lower(), 0) if suffix != "m" else 0


def _value(match: re.Match[str]) -> tuple[Decimal | None, Decimal]:
    if len(match.group()) > words.MAX_DIGITS + 12:
        return None, Decimal(1)
    if match["korean"]:
        return words.korean_value(match["korean"])
    if match["digits"]:
        return words.decimal_of(match["digits"]), Decimal(1)
    if match["sino"]:
        return words.sino_value(match["sino"]), Decimal(1)
    if match["native"]:
        return words.native_value(match["native"]), Decimal(1)
    if match["article"]:
        return (None if match["article"].lower() == "per" else Decimal(1)), Decimal(1)
    return words.english_value(match["english"]), Decimal(1)


def _with_unit(text: str, figure: _Figure) -> _Figure:
    unit, end, value = figure.unit, figure.end, figure.amount
    if not unit and (out_of := _OUT_OF.match(text, end)):
        whole = words.decimal_of(out_of[1])
        if whole in (5, 7, 10, 20, 50, 100) and 0 <= value <= whole:
            return replace(figure, end=out_of.end(), unit="point", out_of=whole)
    if found := _UNIT_AFTER.match(text, end):
        written = unit_of(found["unit"])
        if not unit or written == unit:
            unit, end = written, found.end()
            out_of = _OUT_OF.match(text, end) if unit == "point" else None
            if out_of:
                return replace(figure, end=out_of.end(), unit=unit, out_of=words.decimal_of(out_of[1]))
    elif not unit and (counted := _counted(text, end)):
        unit, end = counted.split()[-1], end + 1 + len(counted)
    if unit and unit not in CURRENCIES and (half := _AND_A_HALF_AFTER.match(text, end)):
        value, end = value + Decimal("0.5"), half.end()
    return replace(figure, end=end, unit=unit, amount=value)


def _counted(text: str, end: int) -> str:
    counted = _COUNTED.match(text, end)
    if counted is None or counted[1] in _NOT_COUNTED:
        return ""
    return counted.group().strip()


def _with_range(text: str, first: _Figure) -> tuple[_Figure, _Figure]:
    """`38~42만원`: both ends share the scale and the unit that only one of them carries."""
    mark = _RANGE.match(text, first.end)
    if mark is None:
        return first, first
    following = _NUMBER.match(text, mark.end()) or _prefixed(text, mark.end())
    word = mark["mark"].strip().lower()
    between = _BETWEEN.search(text[max(0, first.start - 12) : first.start])
    if following is None or (word == "and" and not between) or (word in ("or", "또는") and first.unit):
        return first, first
    second = _figure(text, following)
    if second is None:
        return first, first
    return _shared(first, second, joined_by_hyphen=word == "-")


def _prefixed(text: str, place: int) -> re.Match[str] | None:
    """The number behind a currency: `$10-$12`."""
    prefix = re.compile(rf"(?:{CURRENCY_PREFIX_PATTERN})\s?").match(text, place)
    return _NUMBER.match(text, prefix.end()) if prefix else None


def _shared(first: _Figure, second: _Figure, *, joined_by_hyphen: bool) -> tuple[_Figure, _Figure]:
    # 38~42만원: the first number has the second's scale, unless that would turn the range round.
    bare = not first.unit or (first.unit in CURRENCIES and not second.unit)
    if bare and not first.has_scale and second.has_scale and first.amount * second.scale <= second.amount:
        first = replace(first, amount=first.amount * second.scale)
    unit = second.unit or first.unit
    if first.unit and second.unit and first.unit != second.unit:
        exact = factor(first.unit, second.unit)
        if exact is None:
            return first, first
        first = replace(first, amount=first.amount * exact[0] / exact[1])
    if first.amount > second.amount or (joined_by_hyphen and first.amount == second.amount):
        return first, first
    return replace(first, unit=unit), replace(second, unit=unit)


_PART_OF = {"year": "month", "hour": "minute", "minute": "second", "month": "day", "week": "day", "day": "hour"}


def _compound(text: str, quantity: Quantity) -> Quantity:
    """`1년 6개월` is 18 months, `1 h 30 min` 90 minutes: one quantity in the smaller unit."""
    smaller = _PART_OF.get(quantity.unit)
    if smaller is None or quantity.is_range:
        return quantity
    gap = re.compile(r"\s?(?:,\s|and\s)?").match(text, quantity.end)
    match = _NUMBER.match(text, gap.end()) if gap else None
    part = _figure(text, match) if match else None
    if part is None or part.unit != smaller or part.amount < 0:
        return quantity
    whole = converted(quantity, smaller)
    if whole is None:
        return quantity
    total = whole.low + part.amount
    return replace(whole, low=total, high=total, end=part.end, text=text[quantity.start : part.end])


def _surrounded(text: str, quantity: Quantity) -> Quantity:
    beside = surroundings(text, quantity.start, quantity.end, bounded=quantity.is_range)
    bound = beside.bound
    if (quantity.unit in _SPEEDS or beside.per in ("second", "minute", "hour")) and _SPEED_BEFORE.search(
        text[beside.first : quantity.start]
    ):
        bound = _MORE_SPEED.get(bound, bound)
    return replace(
        quantity,
        end=max(quantity.end, beside.figure_end),
        per=beside.per,
        bound=bound,
        approximate=beside.approximate,
        around=(beside.first, beside.last),
    )


def _plain(amount: Decimal) -> Decimal:
    """Without trailing zeros and without an exponent."""
    return Decimal(format(amount.normalize(), "f"))
