"""Times of day, in minutes after midnight: 13:15, `10 am`, 오전 10시 30분, noon."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TIME = re.compile(
    r"(?P<half_ko>오전|오후|새벽|아침|저녁|밤)?\s?(?<![0-9:])(?P<hour_ko>[0-9]{1,2})\s?시(?!간)(?:\s?(?P<minute_ko>[0-9]{1,2})\s?분|\s?(?P<half_past>반))?"
    r"|(?<![0-9:.])(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::[0-9]{2})?(?:\s?(?P<half>[ap])\.?m\b\.?)?(?![0-9:])"
    r"|(?<![0-9:.,])(?P<hour_only>[0-9]{1,2})\s?(?P<half_only>[ap])\.?m\b\.?|\b(?P<word>noon|midday)\b|(?P<word_ko>정오)",
    re.IGNORECASE,
)
_AFTERNOON_KO = ("오후", "저녁", "밤")


@dataclass(frozen=True)
class Clock:
    start: int
    end: int
    minutes: int


def find_clocks(text: str) -> list[Clock]:
    return list(_each(text))


def _each(text: str) -> Iterator[Clock]:
    for found in _TIME.finditer(text):
        minutes = _minutes(found)
        if 0 <= minutes < 24 * 60:
            yield Clock(found.start(), found.end(), minutes)


def _minutes(found: re.Match[str]) -> int:
    if found["word"] or found["word_ko"]:
        return 12 * 60
    hour = int(found["hour_ko"] or found["hour"] or found["hour_only"])
    minute = int(found["minute_ko"] or found["minute"] or (30 if found["half_past"] else 0))
    half = (found["half"] or found["half_only"] or "").lower()
    if minute > 59:
        return -1
    if (half == "p" or found["half_ko"] in _AFTERNOON_KO) and hour < 12:
        hour += 12
    elif (half == "a" or found["half_ko"] == "오전") and hour == 12:
        hour = 0
    return hour * 60 + minute
