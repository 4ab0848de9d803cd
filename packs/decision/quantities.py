"""What one value says: a quantity with its unit, a grade, a yes or no, or nothing comparable.

Nothing here converts. "30 days" and "2 weeks" have different units and are therefore not compared at all: a
converted number would be ours, not the caller's.
"""

import re
import unicodedata
from dataclasses import dataclass
from fractions import Fraction

from packs.decision.brief import Scalar, exact

_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?")
_SPACE = re.compile(r"\s+")
_MAX_UNIT_CHARS = 24
# A longer text is prose, whatever it holds; and a number of thousands of digits is an attack.
_MAX_VALUE_CHARS = 100

# Levels say how much there is of something; whether that is good depends on the criterion's direction.
_LEVELS = {
    0: ("none", "very low", "매우 낮음", "전혀 없음", "최하"),
    1: ("low", "낮음", "하", "작음", "적음"),
    2: ("medium", "moderate", "mid", "보통", "중간", "중"),
    3: ("high", "높음", "상", "큼", "많음"),
    4: ("very high", "매우 높음", "최상"),
}
# Judgements are good or bad whatever the direction: a "good" price is a low one.
_JUDGEMENTS = {
    0: ("very poor", "very bad", "terrible", "매우 나쁨", "매우 미흡"),
    1: ("poor", "bad", "weak", "나쁨", "미흡", "불량", "부족"),
    2: ("fair", "average", "ok", "okay", "acceptable", "무난"),
    3: ("good", "strong", "좋음", "우수", "양호", "강함"),
    4: ("very good", "excellent", "outstanding", "매우 좋음", "매우 우수", "탁월"),
}
_YES = ("yes", "y", "true", "supported", "included", "예", "네", "있음", "가능", "지원", "포함")
_NO = (
    "no",
    "n",
    "false",
    "not supported",
    "not included",
    "아니오",
    "아니요",
    "없음",
    "불가",
    "불가능",
    "미지원",
    "미포함",
)


@dataclass(frozen=True)
class Quantity:
    amount: Fraction
    unit: str


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


Reading = Quantity | Level | Judgement | Flag


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


def interpret(value: Scalar) -> Reading | None:
    """None: the value is prose, or says more than one number, and is not compared."""
    if isinstance(value, bool):
        return Flag(value)
    if isinstance(value, int | float):
        return Quantity(exact(value), "")
    if len(value) > _MAX_VALUE_CHARS:
        return None
    text = _SPACE.sub(" ", unicodedata.normalize("NFKC", value)).strip().casefold()
    return _WORDS.get(text) or _quantity(text)


def _quantity(text: str) -> Quantity | None:
    numbers = list(_NUMBER.finditer(text))
    if len(numbers) != 1:
        return None
    number = numbers[0]
    before, after = text[: number.start()], text[number.end() :]
    # "3rd" and "v2" are names, "1.2.3" is a version: digits glued to Latin letters in front, or dots behind.
    if (before and before[-1].isascii() and before[-1].isalpha()) or after.startswith((".", "rd", "th", "st", "nd")):
        return None
    unit = _unit(before, after)
    if len(unit) > _MAX_UNIT_CHARS:
        return None
    return Quantity(Fraction(number.group().replace(",", "")), unit)


def _unit(before: str, after: str) -> str:
    """`days` and `day` are one unit; so are `30일` and `30 일`."""
    behind = _SPACE.sub("", after)
    if behind.isascii() and behind.isalpha() and len(behind) > 2 and behind.endswith("s"):
        behind = behind[:-1]
    return f"{_SPACE.sub('', before)}|{behind}" if before.strip() else behind


def verbatim(value: Scalar) -> str:
    """The value as the caller wrote it in JSON."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value)
