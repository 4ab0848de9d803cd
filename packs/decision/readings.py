"""What one value says: an amount with its unit, a date, a grade, a yes or no, or nothing comparable.

The caller's text stays as it is; the reading stands beside it and refuses what it cannot read to the last character.
"""

import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import lru_cache

from packs.base import JsonObject
from packs.decision.brief import Scalar
from packs.text.clock import find_clocks
from packs.text.dates import DateSpan, whole_date
from packs.text.quantities import Quantity, find_quantities, whole_quantity
from packs.text.units import PERIODS

# A longer text is prose, whatever it holds; and a number of thousands of digits is an attack.
_MAX_VALUE_CHARS = 100
_LARGEST_EXACT = 2**53 - 1  # a larger whole number is not the same in every JSON reader
_SPACE = re.compile(r"\s+")

# Levels say how much there is of something; whether that is good depends on the criterion's direction.
_LEVELS = {
    0: ("none at all", "very low", "매우 낮음", "전혀 없음", "최하", "negligible", "minimal"),
    1: ("low", "낮음", "하", "작음", "적음", "small", "little", "short", "짧음", "light"),
    2: ("medium", "moderate", "mid", "middle", "보통", "중간", "중"),
    3: ("high", "높음", "상", "큼", "많음", "large", "big", "long", "김", "heavy"),
    4: ("very high", "매우 높음", "최상", "very large", "매우 큼", "매우 많음"),
}
# Judgements are good or bad whatever the direction: a "good" price is a low one.
_JUDGEMENTS = {
    0: ("very poor", "very bad", "terrible", "매우 나쁨", "매우 미흡", "매우 불량", "unacceptable"),
    1: ("poor", "bad", "weak", "나쁨", "미흡", "불량", "부족", "inferior", "limited", "불편", "약함"),
    2: ("fair", "average", "ok", "okay", "acceptable", "무난", "satisfactory", "mixed", "so-so", "평균", "adequate"),
    3: ("good", "strong", "좋음", "우수", "양호", "강함", "solid", "positive", "편리", "원활"),
    4: ("very good", "excellent", "outstanding", "매우 좋음", "매우 우수", "탁월", "superb", "최우수", "뛰어남"),
}
_YES = (
    *("yes", "y", "true", "supported", "included", "available", "certified", "valid", "present", "o", "○", "✓", "✔"),
    *(
        "예",
        "네",
        "유",
        "있음",
        "가능",
        "지원",
        "포함",
        "보유",
        "취득",
        "인증",
        "완료",
        "유효",
        "충족",
        "지원함",
        "보유함",
        "가능함",
    ),
)
_NO = (
    *(
        "no",
        "n",
        "false",
        "not supported",
        "not included",
        "not available",
        "not certified",
        "none",
        "expired",
        "missing",
    ),
    *("x", "✗", "✘", "lapsed", "absent", "unsupported", "uncertified", "refused", "revoked"),
    *(
        "아니오",
        "아니요",
        "무",
        "없음",
        "불가",
        "불가능",
        "미지원",
        "미포함",
        "미보유",
        "미취득",
        "만료",
        "미인증",
        "미충족",
        "취소",
    ),
)
_NOT_KNOWN = re.compile(
    r"\b(?:unknown|tbd|tba|n/?a|pending|to be (?:confirmed|determined|announced)|not (?:known|stated|given|yet"
    r"|disclosed)|no data|"
    r"unclear|under review|in progress|applied for|awaiting)\b|\?$"
    r"|미정|미상|모름|확인\s?(?:필요|중|예정)|자료\s?없|정보\s?없|알\s?수\s?없|심사\s?중|진행\s?중|협의\s?중"
    r"|미확인|추후|문의|비공개|미공개",
    re.IGNORECASE,
)


# How a distance is covered says nothing about how long it takes: 도보 5분, `20 minutes by car`.
_TRAVEL = re.compile(
    r"^(?:도보|걸어서|차로|자동차로|버스로|지하철로|자전거로|기차로)\s?(?:로\s)?"
    r"|\s(?:by (?:car|train|bus|bike|tram|plane)|on foot|walk(?:ing)?|drive|flight)$|^a\s(?=[0-9]+[- ]minute)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Amount:
    """A quantity, always with its ends in order."""

    quantity: Quantity


@dataclass(frozen=True)
class Day:
    span: DateSpan
    clock: int | None = None
    """The time on that day, in minutes after midnight, where one is given."""


@dataclass(frozen=True)
class Level:
    """0 (very low) to 4 (very high)."""

    step: int


@dataclass(frozen=True)
class Judgement:
    """0 (very poor) to 4 (excellent)."""

    step: int


@dataclass(frozen=True)
class Flag:
    present: bool


Reading = Amount | Day | Level | Judgement | Flag


def _words() -> dict[str, Reading]:
    words: dict[str, Reading] = {}
    for step, names in _LEVELS.items():
        words.update(dict.fromkeys(names, Level(step)))
    for step, names in _JUDGEMENTS.items():
        words.update(dict.fromkeys(names, Judgement(step)))
    words.update(dict.fromkeys(_YES, Flag(True)))
    words.update(dict.fromkeys(_NO, Flag(False)))
    return words


_WORDS = _words()
# `yes, since 2021`, 있음(2027년까지): the word decides, what follows explains it.
_YES_OR_NO = re.compile(r"^([a-z가-힣○✓✔✗✘]+)\s?(?:[,(;:–—]|-\s)")


def interpret(value: Scalar, today: date | None = None) -> Reading | None:
    """None: the value is prose, says more than one thing, or says that it is not known."""
    if isinstance(value, bool):
        return Flag(value)
    if isinstance(value, int | float):
        return Amount(bare(value))
    if len(value) > _MAX_VALUE_CHARS or _NOT_KNOWN.search(value):
        return None
    text = _SPACE.sub(" ", unicodedata.normalize("NFKC", value)).strip()
    if (word := _WORDS.get(text.casefold().rstrip("."))) is not None:
        return word
    if (said := _YES_OR_NO.match(text.casefold())) is not None and isinstance(_WORDS.get(said[1]), Flag):
        return _WORDS[said[1]]
    if (day := whole_date(text, today)) is not None and day.is_read:
        return Day(day)
    if len(clocks := find_clocks(text)) == 1:
        rest = (text[: clocks[0].start] + text[clocks[0].end :]).strip(" ,")
        if (day := whole_date(rest, today)) is not None and day.is_read:
            return Day(day, clocks[0].minutes)
    quantity = whole_quantity(_TRAVEL.sub("", text).strip())
    return None if quantity is None else Amount(quantity)


@lru_cache(maxsize=4096)
def quantities_in(text: str, today: date | None = None) -> tuple[Quantity, ...]:
    """All quantities of a text. Several steps ask about the same sentence; it is read once."""
    return tuple(find_quantities(text, today))


def says_not_known(value: Scalar) -> bool:
    return isinstance(value, str) and _NOT_KNOWN.search(value) is not None


def bare(value: int | float) -> Quantity:
    """A number without a unit, as it was written: 0.1 is a tenth."""
    text, amount = verbatim(value), Decimal(str(value))
    return Quantity(0, len(text), text, amount, amount, "", around=(0, len(text)))


def verbatim(value: Scalar) -> str:
    """The value as the caller wrote it in JSON."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value)


def as_json(quantity: Quantity) -> JsonObject:
    """The declared quantity beside the verbatim text: an amount, or the two ends of a range."""
    unit = f"{quantity.unit}/{quantity.per}" if quantity.per and quantity.unit else quantity.unit
    if quantity.is_range:
        ends: JsonObject = {"low": number(quantity.low), "high": number(quantity.high)}
    else:
        ends = {"amount": number(quantity.low)}
    return {**ends, "unit": unit}


def number(amount: Decimal) -> int | float:
    """As JSON carries it: whole numbers without a decimal point."""
    whole = abs(amount) <= _LARGEST_EXACT and amount == amount.to_integral_value()
    return int(amount) if whole else float(amount)


def period_of(name: str) -> str:
    """The period that a criterion's own name gives its values: `monthly cost`, 연간 비용."""
    lowered = name.casefold()
    for period, words in _PERIOD_WORDS.items():
        if words.search(lowered):
            return period
    return ""


_PERIOD_WORDS = {
    "month": re.compile(
        r"\bmonthly\b|\b(?:per|a|each) month\b|/month|(?<![가-힣])월(?:간|세|\s|납)|월\s?(?:요금|비용|임대료"
        r"|이용료|구독료|납입금)|매월|매달"
    ),
    "year": re.compile(
        r"\b(?:annual|yearly)\b|\b(?:per|a|each) (?:year|annum)\b|/year|(?<![가-힣])연(?:간|\s)|연\s?(?:비용|요금"
        r"|회비|임대료)|매년"
    ),
    "week": re.compile(r"\bweekly\b|\bper week\b|주간\s|(?<![가-힣])주당"),
    "day": re.compile(r"\bdaily\b|\bper day\b|일\s?단가|하루|일당"),
}
assert set(_PERIOD_WORDS) <= set(PERIODS)
