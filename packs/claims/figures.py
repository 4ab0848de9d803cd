"""The figures and dates of a sentence, with what only prose writes: half, twice, a decade, 25 basis points, 1 in 20."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal

from packs.claims.parsed import Figure, Role
from packs.text.dates import DateSpan, find_dates
from packs.text.quantities import Quantity, find_quantities
from packs.text.units import CURRENCIES, kind_of

_CARDINALS = {
    word: number
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
}
_WRITTEN = re.compile(
    r"(?P<bp>(?P<bpn>[0-9]+(?:\.[0-9]+)?) basis points?)"
    r"|(?P<quarterpoint>\ba quarter of a percentage point\b)|(?P<halfpoint>\bhalf a percentage point\b)"
    r"|(?P<decade>\ba decade\b)|(?P<century>\ba century\b)|(?P<dozen>\ba dozen\b)"
    r"|(?P<odds>(?P<one>[0-9]+|one|two|three) (?:in|out of)(?: every)?"
    r" (?P<of>[0-9]{1,3}|1,?000|five|ten|twenty)\b(?![,.]?[0-9]))"
    r"|(?P<koodds>(?P<koof>[0-9]+) ?명 (?:중|가운데) (?P<koone>[0-9]+) ?명)"
    r"|(?P<twice>\b(?:twice|double)\b|두 ?배|2 ?배)|(?P<triple>\b(?:three times|triple)\b|세 ?배|3 ?배)"
    r"|(?P<third>\b(?:a|one) third\b|3분의 1)|(?P<twothirds>\btwo thirds\b|3분의 2)"
    r"|(?P<quarter>\b(?:a|one) quarter of\b|4분의 1)"
    r"|(?P<threequarters>\bthree quarters of\b|4분의 3)"
    r"|(?P<half>(?<!and a )\bhalf\b(?! (?:of )?(?:19|20)[0-9]{2})(?!-)|절반|(?<![가-힣])반(?= ?[이을]?(?:상|하|넘)))"
    r"|(?P<clock>(?<![0-9:])[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?![0-9:]))"
    r"|(?P<koclock>[0-9]{1,2} ?시간 ?[0-9]{1,2} ?분 ?[0-9]{1,2} ?초)",
    re.IGNORECASE,
)
_BARE_WORD = re.compile(
    r"(?<!\bat )\b(?P<number>two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?= [a-z]+|[.,;]|$)", re.I
)
_SHARES = {
    "third": Decimal(100) / 3,
    "twothirds": Decimal(200) / 3,
    "quarter": Decimal(25),
    "threequarters": Decimal(75),
    "half": Decimal(50),
}
_OVER_AFTER = re.compile(r"\s?(?:이상|넘|초과|or more)")
_UNDER_AFTER = re.compile(r"\s?(?:이하|미만|or less)")
_OVER_BEFORE = re.compile(r"(?:more than|over|at least|above|upwards of)\s$", re.IGNORECASE)
_UNDER_BEFORE = re.compile(r"(?:less than|fewer than|under|below|at most|up to)\s$", re.IGNORECASE)
_AT_MOST_AROUND = re.compile(r"(?:길어야|많아야|최대|기껏해야)\s?$")
_EDGE_AT_MOST = re.compile(r"^.{0,20}? at (?:the )?most\b", re.IGNORECASE)
_YEAR_ALONE = re.compile(
    r"\b(?:born|between|from|since|until|to|and|than|before|after)\s((?:1[5-9]|20)[0-9]{2})\b(?!\s?(?:[a-z]{3,}s\b|percent|%)|[.,]?[0-9])"
)
_CHANGE = re.compile(r"\s?에서\s?|\sto\s")
_FROM_BEFORE = re.compile(r"\bfrom\s(?:[$€£₩]\s?)?$", re.IGNORECASE)
_MONTH_ALONE = re.compile(
    r"\b(?:January|February|April|June|July|August|September|October|November|December)\b(?! [0-9])"
    r"|(?:(?<=\bin )|(?<=\bIn )|(?<=\bto )|(?<=\bfrom )|(?<=\bFrom )|(?<=\band )|(?<=\bof )|(?<=\bsince ))"
    r"(?:March|May)\b(?! [0-9])"
)
_COMPARED_BEFORE = re.compile(r"\b(?:compared (?:with|to)|against|versus)\s(?:the\s|only\s|just\s)?$", re.IGNORECASE)


def find_figures(text: str) -> list[Figure]:
    """All figures in the order of the text. A written form here wins over the same characters read as a number."""
    found = [*_written(text)]
    for quantity in _with_inherited_units(text, find_quantities(text)):
        # A bare decimal is a version or a mark, not an amount: it is compared as a label, letter by letter.
        label = (
            (not quantity.unit and "." in quantity.text and not _measured(text, quantity))
            or _part_of_a_word(text, quantity)
            or _of_a_name(text, quantity)
        )
        then = quantity.text[:1] in "Aa" and _AGO.match(text[quantity.end :])
        if (
            not label
            and not then
            and not any(quantity.start < each.end and each.start < quantity.end for each in found)
        ):
            found.extend(_parts(text, quantity))
    found += [
        each for each in _bare(text) if not any(each.start < other.end and other.start < each.end for other in found)
    ]
    return sorted(found, key=lambda each: each.start)


_GOES_ON_BEFORE = re.compile(r"(?:\band|,|\bto|\bfrom)\s$")
_GOES_ON_BEHIND = re.compile(r"\s(?:in|at|on|for|among|during)\b|[,;.]?\s*$|[,;]\s", re.IGNORECASE)
_NO_OTHER_THING = 100


def _with_inherited_units(text: str, quantities: list[Quantity]) -> Iterator[Quantity]:
    """ "6.8 tonnes in 2023 and 7.4 in 2024": the second figure has the unit of the first."""
    before: Quantity | None = None
    for quantity in quantities:
        if (
            before is not None
            and not quantity.unit
            and before.low
            and quantity.low
            and max(before.low, quantity.low) <= _NO_OTHER_THING * min(before.low, quantity.low)
            and _GOES_ON_BEFORE.search(text[: quantity.start])
            and _GOES_ON_BEHIND.match(text[quantity.end :])
            and (kind_of(before.unit) not in ("", before.unit) or before.unit in CURRENCIES or before.unit == "%")
        ):
            quantity = replace(quantity, unit=before.unit, per=quantity.per or before.per)
        if quantity.unit:
            before = quantity
        yield quantity


def sentence_dates(text: str) -> list[DateSpan]:
    """Dates; also a month alone, as in "in May", which has neither year nor day."""
    found = find_dates(text)
    for match in _MONTH_ALONE.finditer(text):
        if not any(each.start < match.end() and match.start() < each.end for each in found):
            number = 1 + ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"].index(
                match.group()[:3].lower()
            )
            found.append(DateSpan(match.start(), match.end(), match.group(), None, None, month=number))
    for match in _YEAR_ALONE.finditer(text):
        if not any(each.start < match.end(1) and match.start(1) < each.end for each in found):
            year = int(match[1])
            found.append(
                DateSpan(match.start(1), match.end(1), match[1], date(year, 1, 1), date(year, 12, 31), year=year)
            )
    return sorted(found, key=lambda each: each.start)


_NAME_BEFORE = re.compile(r"[^.!?:;]\s[A-Z][A-Za-z]+\s$|[가-힣A-Za-z]\s$")
_PARTICLE_AFTER = re.compile(r"(?:은|는|이|가|을|를|의|에|에는|에서|보다|과|와|도|로|으로)(?![가-힣])")
_BARE_NUMBER = re.compile(r"[0-9]{1,3}(?:\s[a-z]+)?")


def _of_a_name(text: str, quantity: Quantity) -> bool:
    """The 7 of `Lumo 7` is no amount: a small number behind a name, with no unit that anybody knows."""
    if not _BARE_NUMBER.fullmatch(quantity.text) or kind_of(quantity.unit) not in ("", quantity.unit):
        return False
    before = _NAME_BEFORE.search(text[max(0, quantity.start - 30) : quantity.start])
    if before is None:
        return False
    if before.group()[-2:-1] >= "가":
        return quantity.text.isdecimal() and _PARTICLE_AFTER.match(text[quantity.end :]) is not None
    return before.group().strip()[-1:].isascii() and before.group().split()[-1][:1].isupper()


# "A year ago" is a time, no length.
_AGO = re.compile(r"\s(?:ago|earlier|before|later)\b")
_MEASURED_BEFORE = re.compile(r"\b(?:from|to|by|at|averag(?:e|ed|es|ing)|reach(?:ed|es)?|was|were)\s$", re.IGNORECASE)
_NAMED_BY_NUMBER = re.compile(r"\b(?:versions?|releases?|firmware|v[0-9]|chapter|section)\b|판|버전", re.IGNORECASE)


def _measured(text: str, quantity: Quantity) -> bool:
    """8.2 in "fell from 8.2 to 5.1 a year" is an amount, in "from version 8.2" a label."""
    if _NAMED_BY_NUMBER.search(text):
        return False
    return bool(quantity.per) or _MEASURED_BEFORE.search(text[: quantity.start]) is not None


def _part_of_a_word(text: str, quantity: Quantity) -> bool:
    """`반달` in 반달가슴곰 is no half month: a number without digits that a longer Korean word begins with."""
    following = text[quantity.end : quantity.end + 3]
    return (
        not any(each.isdigit() for each in quantity.text)
        and len(following) == 3
        and all("가" <= each <= "힣" for each in following)
    )


def _parts(text: str, quantity: Quantity) -> Iterator[Figure]:
    """`38%에서 41%로`, `from 38 to 41 percent`: two figures of a change, not one range."""
    whole = _plain(text, quantity)
    change = _CHANGE.search(quantity.text) if quantity.is_range else None
    moved = change is not None and (change.group().strip() == "에서" or _FROM_BEFORE.search(text[: quantity.start]))
    if change is None or not moved:
        yield whole
        return
    split = quantity.start + change.start()
    yield replace(whole, text=text[quantity.start : split], high=whole.low, end=split, role=Role.FROM)
    start = quantity.start + change.end()
    yield replace(whole, text=text[start : quantity.end], low=whole.high, start=start, role=Role.TO)


def _plain(text: str, quantity: Quantity) -> Figure:
    bound = quantity.bound
    if not bound and _AT_MOST_AROUND.search(text[max(0, quantity.start - 8) : quantity.start]):
        bound = "at_most"
    if not bound and _EDGE_AT_MOST.match(text[quantity.end :]):
        bound = "at_most"
    role = Role.THAN if _COMPARED_BEFORE.search(text[max(0, quantity.start - 24) : quantity.start]) else Role.OTHER
    ago = _AGO.search(quantity.text) if quantity.per and _EARLIER.match(text[quantity.end :]) else None
    written, per = (quantity.text[: ago.start()], "") if ago else (quantity.text, quantity.per)
    # 62개국 counts countries, 62개 anything.
    unit = "country" if quantity.unit == "piece" and text[quantity.end :].startswith("국") else quantity.unit
    return Figure(
        written, quantity.low, quantity.high, unit, per, bound, quantity.approximate,
        quantity.start, quantity.start + len(written), role=role,
    )  # fmt: skip


# "39 percent a year earlier" is no yearly rate.
_AGO = re.compile(r"\s(?:an?|one)\s[a-z]+$", re.IGNORECASE)
_EARLIER = re.compile(r"\s(?:earlier|before|ago|later|previously)\b", re.IGNORECASE)


def _written(text: str) -> Iterator[Figure]:
    for match in _WRITTEN.finditer(text):
        value, unit = _read(match)
        if value is None:
            continue
        figure = Figure(match.group(), value, value, unit, "", "", False, match.start(), match.end())
        yield _bounded(text, figure)


def _read(match: re.Match[str]) -> tuple[Decimal | None, str]:
    name = next(name for name in match.groupdict() if match[name] is not None)
    if name == "bp":
        return Decimal(match["bpn"]) / 100, "%p"
    if name in ("quarterpoint", "halfpoint"):
        return Decimal("0.25") if name == "quarterpoint" else Decimal("0.5"), "%p"
    if name in ("decade", "century"):
        return Decimal(10 if name == "decade" else 100), "year"
    if name == "dozen":
        return Decimal(12), ""
    if name == "odds":
        one, of = _cardinal(match["one"]), _cardinal(match["of"])
        return (Decimal(100) * one / of, "%") if of else (None, "")
    if name == "koodds":
        of = int(match["koof"])
        return (Decimal(100) * int(match["koone"]) / of, "%") if of else (None, "")
    if name in ("twice", "triple"):
        return Decimal(2 if name == "twice" else 3), "times"
    if name in ("clock", "koclock"):
        hours, minutes, seconds = (int(each) for each in re.findall("[0-9]+", match.group()))
        return Decimal(hours * 3600 + minutes * 60 + seconds), "second"
    return _SHARES[name], "%"


def _bounded(text: str, figure: Figure) -> Figure:
    before, after = text[max(0, figure.start - 14) : figure.start], text[figure.end : figure.end + 6]
    if _OVER_AFTER.match(after) or _OVER_BEFORE.search(before):
        return replace(figure, bound="over")
    if _UNDER_AFTER.match(after) or _UNDER_BEFORE.search(before) or re.match(r"이? ?안 되|이? ?안 ?됐", after):
        return replace(figure, bound="under")
    return figure


def _bare(text: str) -> Iterator[Figure]:
    """`seven fewer stores`: a number word that a comparison separates from what it counts."""
    for match in _BARE_WORD.finditer(text):
        value = Decimal(_CARDINALS[match["number"].lower()])
        yield Figure(match.group(), value, value, "", "", "", False, match.start(), match.end())


def _cardinal(word: str) -> int:
    return int(word) if word.isdecimal() else _CARDINALS[word.lower()]
