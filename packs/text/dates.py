"""Dates as they are written, each as the first and the last day it can mean.

`2027년 5월` is 1 to 31 May, `end of June 2027` is 30 June, `Q3 2027` is July to September, `2027년 상반기` is January
to June. A date without a year, and a relative one ("next month", 내년), is read only where the caller says what day
it is.
"""

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from packs.text.folding import fold

_YEAR = r"(?:1[0-9]|2[0-9])[0-9]{2}"
_MONTH_NAMES = {
    name: number
    for number, names in enumerate(
        ("jan january", "feb february", "mar march", "apr april", "may", "jun june", "jul july", "aug august",
         "sep sept september", "oct october", "nov november", "dec december"), 1,
    )
    for name in names.split()
}  # fmt: skip
_NAME = r"(?:" + "|".join(sorted(_MONTH_NAMES, key=len, reverse=True)) + r")\.?"
_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])"
_MONTH = r"(?:0?[1-9]|1[0-2])"
_PART_EN = r"(?:(?P<part_{0}>early|mid|late|start|beginning|middle|end)(?:[- ](?:of[- ])?(?:the )?))?"
_PART_KO = r"(?: ?(?P<part_{0}>초순?|중순|하순|말일?|초까지|말까지))?"
_HALVES = {"상": 1, "하": 2, "전": 1, "후": 2, "first": 1, "second": 2, "h1": 1, "h2": 2}

# The first alternative that fits wins: longer forms stand before their own beginnings.
_FORMS: tuple[tuple[str, str], ...] = (
    ("iso", rf"(?<![0-9-])(?P<y>{_YEAR})-(?P<m>[0-9]{{1,2}})-(?P<d>[0-9]{{1,2}})(?![0-9-])"),
    ("dotted", rf"(?<![0-9.])(?P<y>{_YEAR}) ?([./]) ?(?P<m>[0-9]{{1,2}}) ?[./] ?(?P<d>[0-9]{{1,2}})(?![0-9])\.?"),
    ("dmy", rf"(?<![0-9.])(?P<d>{_DAY})\.(?P<m>{_MONTH})\.(?P<y>{_YEAR})(?![0-9])"),
    (
        "ko_rel",
        rf"(?P<rel_y>올해|금년|내년|작년|지난해) ?(?P<m>{_MONTH}) ?월"
        rf"(?: ?(?P<d>{_DAY}) ?일(?!간)|{_PART_KO.format('krl')})",
    ),
    ("ko_day", rf"(?<![0-9])(?P<y>{_YEAR}) ?년 ?(?P<m>[0-9]{{1,2}}) ?월 ?(?P<d>[0-9]{{1,2}}) ?일(?!간)"),
    ("ko_month", rf"(?<![0-9])(?P<y>{_YEAR}) ?년 ?(?P<m>{_MONTH}) ?월{_PART_KO.format('kom')}"),
    ("ko_quarter", rf"(?<![0-9])(?P<y>{_YEAR}) ?년 ?(?P<q>[1-4]) ?(?:사)?분기{_PART_KO.format('koq')}"),
    ("ko_half", rf"(?<![0-9])(?P<y>{_YEAR}) ?년 ?(?P<h>[상하전후])반기{_PART_KO.format('koh')}"),
    ("ko_year", rf"(?<![0-9])(?P<y>{_YEAR}) ?년(?![간생차]| ?전| ?동안)(?:도)?{_PART_KO.format('koy')}"),
    ("month_day", rf"(?<![a-z])(?P<n>{_NAME}) (?P<d>{_DAY})(?:st|nd|rd|th)?,? (?P<y>{_YEAR})(?![0-9])"),
    ("day_month", rf"(?<![0-9])(?P<d>{_DAY})(?:st|nd|rd|th)?(?: of)? (?P<n>{_NAME}),? (?P<y>{_YEAR})(?![0-9])"),
    ("month", rf"{_PART_EN.format('enm')}(?<![a-z])(?P<n>{_NAME}),? (?:of )?(?P<y>{_YEAR})(?![0-9])"),
    ("quarter", rf"{_PART_EN.format('enq')}(?<![a-z])q(?P<q>[1-4])(?: of)?,?[ -]?(?P<y>{_YEAR})(?![0-9])"),
    (
        "quarter_words",
        rf"(?:the )?(?P<qw>first|second|third|fourth|last) quarter (?:of |in )?(?P<y>{_YEAR})(?![0-9])",
    ),
    ("half", rf"(?:(?P<h>h[12])[ -]?(?:of )?|(?:the )?(?P<hw>first|second) half (?:of |in )?)(?P<y>{_YEAR})(?![0-9])"),
    ("year_quarter", rf"(?<![0-9])(?P<y>{_YEAR})[ -/]?q(?P<q>[1-4])(?![0-9a-z])"),
    ("year_month", rf"(?<![0-9-])(?P<y>{_YEAR})[-.](?P<m>0[1-9]|1[0-2])(?![0-9-])"),
    ("ko_md", rf"(?<![0-9])(?P<m>{_MONTH}) ?월 ?(?P<d>{_DAY}) ?일(?!간)"),
    ("ko_m", rf"(?<![0-9개])(?P<m>{_MONTH}) ?월(?![가-힣]*[세급])(?:{_PART_KO.format('kmo')[:-1]})?"),
    ("en_md", rf"(?<![a-z])(?P<n>{_NAME}) (?P<d>{_DAY})(?:st|nd|rd|th)?(?![0-9,.]*[0-9])"),
    ("en_dm", rf"(?<![0-9.,])(?P<d>{_DAY})(?:st|nd|rd|th)?(?: of)? (?P<n>{_NAME})(?![a-z])"),
    (
        "en_part",
        r"(?P<part_enp>early|mid|late|start of|beginning of|middle of|end of)[- ](?P<n>" + _NAME + r")(?![a-z])",
    ),
    ("en_m", r"(?:(?<=\bin )|(?<=\bby )|(?<=\bof )|(?<=until )|(?<=before )|(?<=since )|(?<=from ))"
             rf"(?P<n>{_NAME})(?![a-z])(?! [0-9])"),
    (
        "year",
        rf"(?:{_PART_EN.format('eny')[:-1]})(?P<y>{_YEAR})(?![0-9]|[,.%][0-9])"
        rf"|(?:(?<=\bin )|(?<=since )|(?<=\bof )|(?<=\bby )|(?<=until )|(?<=before )|(?<=after )|(?<=from )|(?<=\())"
        rf"(?P<y2>{_YEAR})(?![0-9]|[,.%-][0-9]| ?(?:원|명|개|건|대|평|%|won|people|units))",
    ),
    ("relative", r"(?P<rel>올해|금년|내년|작년|지난해|이번 ?달|이달|다음 ?달|내달|지난 ?달|오늘|내일|어제"
                 r"|\bthis year|\bnext year|\blast year|\bthis month|\bnext month|\blast month"
                 r"|\btoday|\btomorrow|\byesterday)"
                 r"(?: ?(?P<part_rel>말|초))?"),
)  # fmt: skip
_PATTERNS = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _FORMS)
_WORDS_FOR_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4}

_YEAR_STEPS = {"올해": 0, "금년": 0, "thisyear": 0, "내년": 1, "nextyear": 1, "작년": -1, "지난해": -1, "lastyear": -1}


@dataclass(frozen=True)
class DateSpan:
    """A date in a text: `text[start:end]`. `first` and `last` are None where the date cannot exist (30 February) or
    nobody said which year is meant.
    """

    start: int
    end: int
    text: str
    first: date | None
    last: date | None
    possible: bool = True
    """False: no calendar has this day."""
    year: int | None = None
    month: int | None = None
    day: int | None = None

    @property
    def is_read(self) -> bool:
        return self.first is not None


def find_dates(text: str, today: date | None = None) -> list[DateSpan]:
    """All dates of a text in its order. Without `today`, dates without a year are found but not read."""
    folded = fold(text)
    found: list[DateSpan] = []
    taken = bytearray(len(folded.lower) + 1)
    for name, pattern in _PATTERNS:
        for match in pattern.finditer(folded.lower):
            if name in ("relative", "ko_rel") and today is None:
                continue
            span = match.span()
            if any(taken[span[0] : span[1]]):
                continue
            taken[span[0] : span[1]] = b"\x01" * (span[1] - span[0])
            start, end = folded.original(span[0]), folded.original(span[1])
            while end > start and text[end - 1].isspace():
                end -= 1
            found.append(_read(match.groupdict(), start, end, text[start:end], today))
    return sorted(found, key=lambda each: each.start)


def whole_date(text: str, today: date | None = None) -> DateSpan | None:
    """The date that a text is, read to its last character; None when it says anything more."""
    found = find_dates(text, today)
    rest = text[: found[0].start] + text[found[0].end :] if len(found) == 1 else text
    if len(found) == 1 and not re.sub(r"[\s.()월화수목금토일]|경|쯤", "", rest):
        return found[0]
    return None


def _read(group: dict[str, str | None], start: int, end: int, text: str, today: date | None) -> DateSpan:
    if group.get("rel"):
        assert today is not None
        first, last = _relative(str(group["rel"]).replace(" ", ""), today, group.get("part_rel"))
        return DateSpan(start, end, text, first, last, True, first.year)
    given_year = group.get("y") or group.get("y2")
    if group.get("rel_y") and today is not None:
        given_year = str(today.year + _YEAR_STEPS[str(group["rel_y"])])
    name = (group.get("n") or "").rstrip(".")
    month = _MONTH_NAMES.get(name) or (int(group["m"] or 0) if group.get("m") else None)
    day = int(group["d"] or 0) if group.get("d") else None
    year = int(given_year) if given_year else None
    if not _exists(year, month, day):
        return DateSpan(start, end, text, None, None, False, year, month, day)
    if year is None and today is not None and month is not None:
        # A plan speaks of the next such month, not of the past one.
        year = today.year if month >= today.month else today.year + 1
        if not _exists(year, month, day):
            return DateSpan(start, end, text, None, None, False, year, month, day)
    if year is None:
        return DateSpan(start, end, text, None, None, True, None, month, day)
    part = next((value for key, value in group.items() if key.startswith("part_") and value), None)
    first, last = _interval(group, year, month, day)
    first, last = _narrowed(first, last, part)
    return DateSpan(start, end, text, first, last, True, year, month, day)


def _interval(group: dict[str, str | None], year: int, month: int | None, day: int | None) -> tuple[date, date]:
    if month is not None and day is not None:
        return date(year, month, day), date(year, month, day)
    if month is not None:
        return _months(year, month, month)
    quarter = int(group["q"] or 0) if group.get("q") else _WORDS_FOR_QUARTERS.get(group.get("qw") or "")
    if quarter:
        return _months(year, quarter * 3 - 2, quarter * 3)
    half = _HALVES.get(group.get("h") or group.get("hw") or "")
    return _months(year, half * 6 - 5, half * 6) if half else _months(year, 1, 12)


def _months(year: int, first: int, last: int) -> tuple[date, date]:
    return date(year, first, 1), date(year, last, monthrange(year, last)[1])


def _narrowed(first: date, last: date, part: str | None) -> tuple[date, date]:
    """Early, middle and late are thirds; the end of a month or a year is its last day."""
    if part is None:
        return first, last
    third = (last - first).days // 3
    if part.startswith(("말", "end")):
        return last, last
    if part.startswith(("초", "early", "start", "beginning")):
        return first, first + timedelta(third)
    if part.startswith(("하순", "late")):
        return last - timedelta(third), last
    return first + timedelta(third), last - timedelta(third)


def _relative(word: str, today: date, part: str | None) -> tuple[date, date]:
    if word in _YEAR_STEPS:
        first, last = _months(today.year + _YEAR_STEPS[word], 1, 12)
        return _narrowed(first, last, part)
    days = {"오늘": 0, "today": 0, "내일": 1, "tomorrow": 1, "어제": -1, "yesterday": -1}
    if word in days:
        return today + timedelta(days[word]), today + timedelta(days[word])
    shift = -1 if word in ("지난달", "lastmonth") else 1 if word in ("다음달", "내달", "nextmonth") else 0
    months = today.year * 12 + today.month - 1 + shift
    first, last = _months(months // 12, months % 12 + 1, months % 12 + 1)
    return _narrowed(first, last, part)


def _exists(year: int | None, month: int | None, day: int | None) -> bool:
    leap_year = 2000  # a day of a month without a year may be 29 February
    try:
        date(year or leap_year, month or 1, day or 1)
    except ValueError:
        return False
    return True


def blanked(text: str, spans: Iterator[tuple[int, int]]) -> str:
    """The text with these spans as spaces: nothing moves, and nothing is read twice."""
    characters = list(text)
    for start, end in spans:
        characters[start:end] = " " * (end - start)
    return "".join(characters)
