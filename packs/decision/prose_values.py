"""Amounts that prose gives for an option and a criterion: `Ready in 2 months`, 재구매율은 34%로 예상된다.

A figure belongs to a criterion whose name stands beside it, or whose kind of unit only one figure of the option has.
A cost over several years is summed from its parts, by code, and shown with them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from packs.decision.brief import Brief
from packs.decision.comparing import family
from packs.decision.conditions import wording
from packs.decision.evidence import Evidence, Material, Passage, mention, mention_of, named_in, quotation, sentences
from packs.decision.facts import Fact, FactBook
from packs.decision.naming import is_cost_like, overlap
from packs.decision.readings import Amount, Day, interpret, period_of, quantities_in
from packs.text.quantities import Quantity, converted

_HORIZON = re.compile(
    r"(?P<n>\d+|one|two|three|four|five|six|seven|eight|ten)[- ]?(?P<unit>years?|yrs?|months?)\b|(?P<ko>\d+|한|두"
    r"|세|네|다섯)\s?(?P<kounit>년|개월)",
    re.IGNORECASE,
)
_PAID_FOR = re.compile(r",?\s(?:over|for|during|across)\s(?:a (?:period|term) of\s|the next\s)?|씩\s?", re.IGNORECASE)
# A longer one is no sentence, and no figure in it belongs to anything.
MAX_SENTENCE_CHARS = 3_000
_COUNT_WORDS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "ten": 10,
    "한": 1, "두": 2, "세": 3, "네": 4, "다섯": 5,
}  # fmt: skip
# Criteria of prose that gives two kinds of money for one option: what is paid once, and what is paid again and again.
ONCE = {"en": "one-off cost", "ko": "초기 비용"}
AGAIN = {
    ("en", "month"): "monthly cost",
    ("en", "year"): "annual cost",
    ("ko", "month"): "월 비용",
    ("ko", "year"): "연간 비용",
}
# A name within the first characters of a line, behind a bullet or a number, says whom the line is about.
_LINE_BEGINNING = 6
_OF_ALL = re.compile(
    r"\b(?:we|our|us|budget|everyone|all (?:of them|options|offers)|each (?:of them|option))\b"
    r"|우리|저희|당사|예산|모든|모두|전부|중요|기준",
    re.IGNORECASE,
)
_TIME_LIKE = re.compile(
    r"\b(?:time|duration|lead|delivery|launch|implementation|turnaround|period|ready|days|weeks|months|notice"
    r"|setup|migration|onboarding)\b|기간|시간|까지|납기|소요|일정|시점",
    re.IGNORECASE,
)
_RATE_LIKE = re.compile(
    r"\b(?:rate|share|margin|percentage|retention|growth|conversion|uptime|availability|return|yield)\b|[률율]$"
    r"|비율|마진|점유",
    re.IGNORECASE,
)
_CLAUSES = re.compile(
    r"[;,](?![0-9])\s|\s(?:but|while|whereas|and)\s|(?<=고)\s|(?<=지만)[\s,]|(?<=으나)[\s,]|(?<=며)[\s,]"
    r"|(?<=는데)[\s,]"
)


@dataclass(frozen=True)
class Spoken:
    """A sentence about one option."""

    text: str
    pointer: str
    url: str | None = None


def spoken_by_option(material: Material) -> list[list[Spoken]]:
    """Sentences about one option alone, per option: its description, and sentences of the context that name only it,
    with those that follow and go on about it. Every text is read once.
    """
    brief = material.brief
    found: list[list[Spoken]] = [[] for _ in brief.options]
    for passage in material.texts:
        for sentence, named, owner in sentences_about_options(brief, passage):
            if len(sentence) > MAX_SENTENCE_CHARS:
                continue
            if len(named) > 1 and passage.about is None:
                for index, piece in own_clauses(brief, sentence):
                    found[index].append(Spoken(piece, passage.pointer, passage.url))
            elif owner is not None and len(named) <= 1:
                own = _without_conditions(brief, sentence) if named else sentence
                found[owner].append(Spoken(own, passage.pointer, passage.url))
    return found


def sentences_about_options(brief: Brief, passage: Passage) -> Iterator[tuple[str, list[int], int | None]]:
    """Every sentence with the options it names, and the one option it is about: named in it, in the sentence before
    that it goes on from, or at the beginning of the line, where the whole line names nobody else.
    """
    owner: int | None = None
    for line in passage.text.splitlines():
        of_line = _owner_of(brief, line)
        for sentence in sentences(line):
            named = named_in(brief, sentence)
            if passage.about is not None:
                yield sentence, named, passage.about
                continue
            if len(named) == 1:
                owner = named[0]
            elif named or not (continues(sentence) or (of_line is not None and not _speaks_of_all(sentence))):
                owner = None
            yield sentence, named, owner


def _owner_of(brief: Brief, line: str) -> int | None:
    named = named_in(brief, line)
    if len(named) != 1:
        return None
    begins = mention_of(brief.options[named[0]], line) <= _LINE_BEGINNING
    return named[0] if begins else None


def _speaks_of_all(sentence: str) -> bool:
    return wording.STRONG.search(sentence) is not None or _OF_ALL.search(sentence) is not None


def _without_conditions(brief: Brief, sentence: str) -> str:
    """Without the clauses before the one that names an option, where they limit what everybody may be: `the price must
    not pass 500, and Orbit is too small` says nothing of Orbit's price.
    """
    start = 0
    for found in _CLAUSES.finditer(sentence):
        piece = sentence[start : found.start()]
        if named_in(brief, piece):
            break
        if wording.is_hard(piece) and any(quantity.bound for quantity in quantities_in(piece)):
            start = found.end()
    return sentence[start:]


def continues(sentence: str) -> bool:
    return (
        re.match(
            r"\s*(?:it|its|they|their|he|she|this|that|the (?:company|vendor|offer|service))\b|이\s?(?:업체|회사"
            r"|제품|안|곳)|그\s|또한|여기",
            sentence,
            re.IGNORECASE,
        )
        is not None
    )


def own_clauses(brief: Brief, sentence: str) -> Iterator[tuple[int, str]]:
    owner: int | None = None
    for piece in _CLAUSES.split(sentence):
        named = named_in(brief, piece)
        owner = named[0] if len(named) == 1 else owner if not named else None
        if owner is not None and piece.strip():
            yield owner, piece.strip()


def fill_from_prose(material: Material, book: FactBook) -> None:
    """Adds to the book what prose says about a criterion: behind the given values, so that a contradiction shows."""
    brief = material.brief
    for index, spoken in enumerate(spoken_by_option(material)):
        taken: set[tuple[str, int]] = set()
        for criterion in brief.criteria:
            fact = _summed(criterion.name, spoken) or _beside_name(criterion.name, spoken, taken)
            if fact is not None and not _given_by(book, index, criterion.name, fact):
                book.add(index, fact)
        for criterion in brief.criteria:
            if book.first(index, book.matching(criterion.name)) is None:
                fact = _only_of_its_kind(criterion.name, spoken, taken, book)
                if fact is not None:
                    book.add(index, fact)


def _given_by(book: FactBook, index: int, name: str, fact: Fact) -> bool:
    return any(
        each.reading == fact.reading or each.evidence.pointer == fact.evidence.pointer for each in book.of(index, name)
    )


def _beside_name(name: str, spoken: list[Spoken], taken: set[tuple[str, int]]) -> Fact | None:
    """The figure nearest to the criterion's name, in the same clause, of a kind that the name allows."""
    for each in spoken:
        at = mention(name, each.text)
        if at < 0:
            continue
        amounts = [q for q in quantities_in(each.text) if _kind_fits(name, q)]
        after = [q for q in amounts if q.start >= at and _one_clause(each.text, at + len(name), q.start)]
        before = [q for q in amounts if q.end <= at and _one_clause(each.text, q.end, at) and at - q.end <= 12]
        chosen = after[0] if after else before[-1] if before else None
        if chosen is not None and chosen.start - at < 80:
            taken.add((each.text, chosen.start))
            return _fact(name, each, chosen)
    return None


def _one_clause(text: str, start: int, end: int) -> bool:
    return _CLAUSES.search(text[start:end]) is None


def _paid_as_asked(name: str, quantity: Quantity) -> bool:
    """A criterion that asks for what is paid once, or again and again, takes only such a figure."""
    if name in ONCE.values():
        return not quantity.per
    return name not in AGAIN.values() or quantity.per == period_of(name)


def _kind_fits(name: str, quantity: Quantity) -> bool:
    if not _paid_as_asked(name, quantity):
        return False
    kind = family(quantity.unit)
    if _RATE_LIKE.search(name) and not is_cost_like(name):
        return kind in ("%", "%p", "count")
    if is_cost_like(name):
        return kind == "money"
    if _TIME_LIKE.search(name):
        return kind in ("time", "business day")
    return True


def _only_of_its_kind(name: str, spoken: list[Spoken], taken: set[tuple[str, int]], book: FactBook) -> Fact | None:
    """`Ready in 2 months` is the time to launch where the option has no other length of time."""
    if is_cost_like(name):
        wanted = "money"
    elif _TIME_LIKE.search(name):
        wanted = "time"
    elif _RATE_LIKE.search(name):
        wanted = "%"
    else:
        wanted = _kind_elsewhere(name, book)
    if not wanted:
        return None
    found = [
        (each, quantity)
        for each in spoken
        for quantity in quantities_in(each.text)
        if family(quantity.unit) == wanted
        and (each.text, quantity.start) not in taken
        and _paid_as_asked(name, quantity)
    ]
    if wanted == "time":
        found = [pair for pair in found if not pair[1].per] or found
    ranked = sorted(found, key=lambda pair: -overlap(name, pair[0].text))
    best = (
        [pair for pair in ranked if overlap(name, pair[0].text) == overlap(name, ranked[0][0].text)] if ranked else []
    )
    if len(best) != 1:
        return None
    taken.add((best[0][0].text, best[0][1].start))
    return _fact(name, *best[0])


def _kind_elsewhere(name: str, book: FactBook) -> str:
    for index in range(len(book.brief.options)):
        fact = book.first(index, name)
        if fact is not None and isinstance(fact.reading, Amount):
            kind = family(fact.reading.quantity.unit)
            return "" if kind == "count" else kind
    return ""


def _fact(name: str, spoken: Spoken, quantity: Quantity) -> Fact:
    cited = Evidence(spoken.pointer, quotation(spoken.text, quantity.start), spoken.url)
    value = spoken.text[quantity.start : quantity.end] if not quantity.per else quantity.text
    whole = _paid_for(name, spoken.text, quantity)
    if whole is not None:
        return Fact(name, whole.text, Amount(whole), cited)
    reading = interpret(value)
    return Fact(name, value, reading if isinstance(reading, Day) else Amount(quantity), cited)


def _paid_for(name: str, text: str, quantity: Quantity) -> Quantity | None:
    """`450 USD a month over 48 months`: what is paid in all, unless the criterion asks for the monthly sum."""
    if quantity.per not in ("month", "year") or period_of(name) or _horizon_months(name) is not None:
        return None
    found = _PAID_FOR.match(text, quantity.end)
    length = next((q for q in quantities_in(text) if found and q.start == found.end()), None)
    months = None if length is None else converted(replace(length, per="", bound=""), "month")
    if months is None or months.is_range:
        return None
    times = months.low if quantity.per == "month" else months.low / 12
    shown = _part_text(quantity, times)
    return replace(quantity, text=shown, low=quantity.low * times, high=quantity.high * times, per="", bound="")


def _summed(name: str, spoken: list[Spoken]) -> Fact | None:
    """`2년 총비용` from 초기 개발비 3천만원 and 매월 200만원: what is paid once, and what is paid again and again."""
    months = _horizon_months(name)
    if months is None or not is_cost_like(name):
        return None
    parts = [(each, q) for each in spoken for q in quantities_in(each.text) if family(q.unit) == "money"]
    if not parts or len({q.unit for _, q in parts}) != 1:
        return None
    total_low = total_high = Decimal(0)
    for _, q in parts:
        times = _payments(q.per, months)
        if times is None:
            return None
        total_low, total_high = total_low + q.low * times, total_high + q.high * times
    first = parts[0][1]
    shown = " + ".join(_part_text(q, _payments(q.per, months)) for _, q in parts)
    quantity = replace(first, text=shown, low=total_low, high=total_high, per="", bound="")
    spoken_parts = parts[0][0]
    return Fact(
        name, shown, Amount(quantity), Evidence(spoken_parts.pointer, quotation(spoken_parts.text, first.start))
    )


def _payments(per: str, months: int) -> Decimal | None:
    if not per:
        return Decimal(1)
    if per == "month":
        return Decimal(months)
    if per == "year":
        return Decimal(months) / 12
    return None


def _part_text(quantity: Quantity, times: Decimal | None) -> str:
    text = quantity.text.strip()
    return text if times == 1 else f"{format((times or Decimal(1)).normalize(), 'f')} × {text}"


def _horizon_months(name: str) -> int | None:
    found = _HORIZON.search(name)
    if found is None:
        return None
    written = (found["n"] or found["ko"]).lower()
    count = int(written) if written.isdecimal() else _COUNT_WORDS[written]
    unit = (found["unit"] or found["kounit"]).lower()
    return count * 12 if unit.startswith(("year", "yr", "년")) else count
