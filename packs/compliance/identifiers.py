"""Numbers and addresses that point at a person: how they are written, which checksums they carry, how they are masked.

Owns recognition only. Which of them is worth a finding, and in which context, is written in the rule files. Patterns
carry no unbounded repetition, so hostile text costs linear time.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date

CHECKED = "checked"
"""The number's own arithmetic (checksum, Luhn) or a distinctive form confirms it."""
FORM = "form"
"""Only the shape fits. The rule decides what else must be near."""
BARE = "bare"
"""Digits in a row whose checksum fails: reported only where a word nearby names them."""

NO_CHECKSUM_SINCE = date(2020, 10, 5)
"""From this day resident and foreigner numbers are issued with random digits. A birth date does not tell when a
number was issued (numbers can be changed), so a failed checksum never proves that a number is not real."""


@dataclass(frozen=True)
class Identified:
    name: str
    grade: str
    start: int
    end: int


def _digits(text: str) -> str:
    return "".join(character for character in text if "0" <= character <= "9")


def _weighted_sum(digits: str) -> int:
    weights = (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)
    return sum(weight * int(digit) for weight, digit in zip(weights, digits, strict=False))


def resident_checksum_holds(digits: str) -> bool:
    return int(digits[12]) == (11 - _weighted_sum(digits) % 11) % 10


def foreigner_checksum_holds(digits: str) -> bool:
    return int(digits[12]) == (13 - _weighted_sum(digits) % 11) % 10


def luhn_holds(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if place % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def business_checksum_holds(digits: str) -> bool:
    weights = (1, 3, 7, 1, 3, 7, 1, 3, 5)
    total = sum(weight * int(digit) for weight, digit in zip(weights, digits, strict=False))
    total += int(digits[8]) * 5 // 10
    return int(digits[9]) == (10 - total % 10) % 10


_CENTURY = {
    "9": 1800,
    "0": 1800,
    "1": 1900,
    "2": 1900,
    "5": 1900,
    "6": 1900,
    "3": 2000,
    "4": 2000,
    "7": 2000,
    "8": 2000,
}


def birth_date(digits: str) -> date | None:
    """The birth date a 13-digit number states, if there is such a day."""
    try:
        return date(_CENTURY[digits[6]] + int(digits[:2]), int(digits[2:4]), int(digits[4:6]))
    except ValueError:
        return None


def _person_number(text: str, foreign: bool) -> str | None:
    digits = _digits(text)
    born = birth_date(digits)
    if born is None or (digits[6] in "5678") != foreign:
        return None
    if (foreigner_checksum_holds if foreign else resident_checksum_holds)(digits):
        return CHECKED
    # Thirteen digits in a row are often an order number: without checksum the separator, or a birth date after the
    # checksum was given up, must speak for it. The rule may still accept the rest by a word nearby.
    return FORM if len(text) > 13 or born >= NO_CHECKSUM_SINCE else BARE


def _resident(text: str) -> str | None:
    return _person_number(text, foreign=False)


def _foreigner(text: str) -> str | None:
    return _person_number(text, foreign=True)


def _card(text: str) -> str | None:
    digits = _digits(text)
    return CHECKED if luhn_holds(digits) and len(set(digits)) > 1 else None


def _business(text: str) -> str | None:
    return CHECKED if business_checksum_holds(_digits(text)) else None


def _account(text: str) -> str | None:
    return FORM if 10 <= len(_digits(text)) <= 14 else None


def _licence(text: str) -> str | None:
    return CHECKED if text[0] not in "0123456789" or 11 <= int(_digits(text)[:2]) <= 28 else None


def _as(grade: str) -> Callable[[str], str | None]:
    return lambda _: grade


# A number does not begin or end inside a longer one, a word or a code.
_START, _END = r"(?<![A-Za-z0-9])(?<![0-9][-.])", r"(?![0-9A-Za-z])(?![-.][0-9])"
_GAP = r"[-. )/~_,]{0,3}"
_REGIONS = "서울|부산|경기|강원|충북|충남|전북|전남|경북|경남|제주|대구|인천|광주|대전|울산"
_PERSON = _START + r"[0-9]{6}[-. /~_]{0,4}[0-9]{7}" + _END
_PERSON_SPACED = _START + r"(?:[0-9] ){5}[0-9] ?[-./~]? ?(?:[0-9] ){6}[0-9]" + _END
# 90 01 01 - 1 23 45 67: in small groups, with the hyphen that tells it from a row of other numbers.
_PERSON_GROUPED = _START + r"(?:[0-9] ?){6}[-/~] ?(?:[0-9] ?){6}[0-9]" + _END

# In order of precedence: an earlier entry keeps the digits it claimed.
_FORMS: tuple[tuple[str, re.Pattern[str], Callable[[str], str | None]], ...] = (
    ("resident_number", re.compile(f"{_PERSON}|{_PERSON_SPACED}|{_PERSON_GROUPED}"), _resident),
    ("foreigner_number", re.compile(f"{_PERSON}|{_PERSON_SPACED}|{_PERSON_GROUPED}"), _foreigner),
    (
        "card",
        re.compile(
            _START
            + r"(?:[3-69][0-9]{3}[-. /]{0,3}[0-9]{4}[-. /]{0,3}[0-9]{4}[-. /]{0,3}[0-9]{4}"
            + r"|3[47][0-9]{2}[-. ]?[0-9]{6}[-. ]?[0-9]{5})"
            + _END
        ),
        _card,
    ),
    (
        "driver_licence",
        re.compile(
            rf"(?<![0-9A-Za-z-])(?:[12][0-9][- ]|(?:{_REGIONS})[- ]?)[0-9]{{2}}[- ][0-9]{{6}}[- ][0-9]{{2}}(?![0-9A-Za-z-])"  # noqa: E501
        ),
        _licence,
    ),
    (
        "mobile",
        re.compile(
            _START
            + r"(?:\(?(?:\+ ?82|(?<![+.])82)\)?"
            + _GAP
            + r"(?:\(0\)|0)?|\(?0)1[016789]"
            + _GAP
            + r"[0-9]{3,4}"
            + _GAP
            + r"[0-9]{4}"
            + _END
            + r"|"
            + _START
            + r"0 ?1 ?[016789](?: ?[-.]? ?)(?:[0-9] ){2,3}[0-9](?: ?[-.]? ?)(?:[0-9] ){3}[0-9]"
            + _END
        ),
        _as(CHECKED),
    ),
    (
        "landline",
        re.compile(
            r"(?<![0-9A-Za-z-])\(?0(?:2|3[1-3]|4[1-4]|5[1-5]|6[1-4]|70)(?:\) ?|[- .])[0-9]{3,4}[- .][0-9]{4}(?![0-9A-Za-z-])"  # noqa: E501
        ),
        _as(CHECKED),
    ),
    ("business_number", re.compile(r"(?<![0-9A-Za-z-])[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{5}(?![0-9A-Za-z-])"), _business),
    (
        "account",
        re.compile(
            r"(?<![0-9A-Za-z-])(?:[0-9]{2,6}[- ][0-9]{2,6}[- ][0-9]{2,8}(?:[- ][0-9]{1,6})?|[0-9]{10,14})(?![0-9A-Za-z-])"  # noqa: E501
        ),
        _account,
    ),
    (
        "passport",
        re.compile(r"(?<![A-Za-z0-9])[MSRODG](?:[0-9]{8}|[0-9]{3}[A-Z][0-9]{4})(?![A-Za-z0-9])"),
        _as(FORM),
    ),
    (
        "email",
        re.compile(
            r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}"
            r"(?: ?@ ?| ?[\[({] ?(?:at|골뱅이|앳) ?[\])}] ?| ?골뱅이 ?| at (?=[a-z0-9-]{2,40}(?: dot |\.[a-z])))"
            r"(?:[A-Za-z0-9-]{1,63}(?:\.| ?[\[({] ?(?:dot|닷|점) ?[\])}] ?| (?:dot|닷|점) )){1,4}[A-Za-z]{2,24}(?![A-Za-z0-9])"  # noqa: E501
        ),
        _as(CHECKED),
    ),
    (
        "vehicle",
        re.compile(
            r"(?<![0-9가-힣])(?:[0-9]{2,3}|(?:" + _REGIONS + r") ?[0-9]{2}) ?"
            r"[가나다라마거너더러머버서어저고노도로모보소오조구누두루무부수우주바사아자허하호배] ?[0-9]{4}(?![0-9])"
        ),
        _as(FORM),
    ),
)
NAMES = tuple(name for name, _, _ in _FORMS)

# What no rule recognised may still be somebody's number: nine or more digits with only - . or a space between them.
_NUMBER_LIKE = re.compile(r"(?<![0-9,.])[0-9](?:[-. ]?[0-9]){8,}+")
_AMOUNT_UNIT = re.compile(r" ?(?:원|명|개|건|회|달러|만|억|조|%|won|krw|usd)", re.IGNORECASE)
_DATE = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}([-. ])[0-9]{1,2}\1[0-9]{1,2}(?![0-9])")


# Spelled-out digits in a row, and letters in the place of digits.
_SPOKEN = re.compile(
    r"(?<![가-힣])(?:[공영일이삼사오육륙칠팔구]"
    r"(?:[ .,-]{0,2}(?:[공영일이삼사오육륙칠팔구]|에(?![가-힣]{2})|다시(?= ?[공영일이삼사오육륙칠팔구]))){7,16}"
    # Part spelled out, part in digits: 공일공 0732 팔팔일구.
    r"|(?:[공영]일[공영]|010)[ .,-]{0,2}(?:[공영일이삼사오육륙칠팔구]{3,4}[ .,-]{0,2}[0-9]{4}"
    r"|[0-9]{3,4}[ .,-]{0,2}[공영일이삼사오육륙칠팔구]{4}"
    r"|[0-9]{3,4}[ .,-]{0,2}[0-9]{4}(?<=[0-9])))"
)
_SPOKEN_DIGITS = {ord(word): digit for word, digit in zip("공영일이삼사오육륙칠팔구에", "001234566789-", strict=True)}
_SPOKEN_DIGITS |= dict.fromkeys(map(ord, "다시"), "-")  # 다시: the hyphen, as it is read aloud
_ENGLISH_DIGITS = {
    "zero": "0", "oh": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9",
}  # fmt: skip
_SPOKEN_ENGLISH = re.compile(
    r"(?i)\b(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)(?:[ ,.-]{1,3}(?:(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)\b|[0-9]{1,4}(?![0-9]))){4,14}"  # noqa: E501
)
_ENGLISH_DIGIT = re.compile(r"(?i)zero|oh|one|two|three|four|five|six|seven|eight|nine|[0-9]{1,4}")
_LOOKALIKE = re.compile(
    r"(?<![A-Za-z0-9])(?=[^\s]{0,6}[0-9])[0-9OoQIl|ㅇㅣ○〇BSZ]{2,6}(?:[-. ~/_]{1,2}[0-9OoQIl|ㅇㅣ○〇BSZ]{2,8}){1,3}(?![A-Za-z0-9])"  # noqa: E501
)
_LOOKALIKE_ROW = re.compile(r"(?<![A-Za-z0-9])[0-9OoQIl|]{9,16}(?![A-Za-z0-9])")
_LOOKALIKE_DIGITS = {ord(given): digit for given, digit in zip("OoQIl|ㅇㅣ○〇BSZ", "0001110100852", strict=True)}
_FEWEST_DIGITS = 9
FILLER = "\u0001"


def with_digits(plain: str) -> str:
    """The text with spelled-out, look-alike and wrapped digits as digits. No offset moves."""
    text = _SPOKEN.sub(lambda match: match.group().translate(_SPOKEN_DIGITS), plain)
    text = _SPOKEN_ENGLISH.sub(lambda match: _digits_of(match.group()), text)
    text = _LOOKALIKE.sub(_as_digits, text)
    return _LOOKALIKE_ROW.sub(_as_digits, text)


def _digits_of(spoken: str) -> str:
    digits = "".join(_ENGLISH_DIGITS.get(word.lower(), word) for word in _ENGLISH_DIGIT.findall(spoken))
    return digits.ljust(len(spoken), FILLER) if len(digits) >= _FEWEST_DIGITS else spoken


def _as_digits(match: re.Match[str]) -> str:
    given = match.group()
    real = sum("0" <= character <= "9" for character in given)
    likely = given.translate(_LOOKALIKE_DIGITS)
    digits = sum("0" <= character <= "9" for character in likely)
    # A placeholder such as 010-○○○○-○○○○ has few digits of its own.
    return likely if digits >= _FEWEST_DIGITS and real * 2 >= digits and real < digits else given


# Samples: the same digit throughout, or after the first three.
_PLACEHOLDER = re.compile(r"[^1-9A-Za-z가-힣]{8,}|[^0-9]{0,3}(?:[0-9]{1,3}[^0-9]{1,3})?([0-9])(?:[^0-9]{0,3}\1){6,}")


def identify(plain: str) -> tuple[Identified, ...]:
    """Every identifier of the text, in the order of their places; none overlaps another."""
    taken = bytearray(len(plain))
    found: list[Identified] = []
    for name, pattern, grade_of in _FORMS:
        for match in pattern.finditer(plain):
            start, end = match.span()
            if _PLACEHOLDER.fullmatch(match.group()):
                continue
            grade = grade_of(match.group())
            if grade is None or any(taken[start:end]):
                continue
            while end < len(plain) and plain[end] == FILLER:
                end += 1
            taken[start:end] = b"\x01" * (end - start)
            found.append(Identified(name, grade, start, end))
    return tuple(sorted(found, key=lambda identified: identified.start))


def number_like(plain: str) -> Iterator[tuple[int, int]]:
    """Spans that are masked to be safe although no rule speaks of them. Amounts and dates stay readable."""
    for match in _NUMBER_LIKE.finditer(plain):
        if match.group().isdigit() and _AMOUNT_UNIT.match(plain, match.end()):
            continue
        start = match.start()
        for day in _DATE.finditer(plain, *match.span()):
            yield start, day.start()
            start = day.end()
        yield start, match.end()


def masked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with every letter and digit of the spans as `*`: separators stay, so the form can be recognised."""
    characters = list(text)
    for start, end in spans:
        for place in range(start, min(end, len(characters))):
            if characters[place].isalnum():
                characters[place] = "*"
    return "".join(characters)
