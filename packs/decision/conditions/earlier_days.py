"""Days that a sentence points back to: `by then`, `before the opening`, `the day before`, 그 전에, 개업 전까지."""

import re
from dataclasses import dataclass, field
from datetime import date, timedelta

from packs.decision.conditions.negation import denies
from packs.decision.naming import same_word, words_of
from packs.text.dates import DateSpan

_BACK_EN = re.compile(
    r"\b(?P<way>by|before|until|till|no later than|prior to|ahead of|in time for|after|later than|past)\s"
    r"(?:(?P<then>then|that (?:date|day|time|deadline)|this date|it)\b|(?:the|our|its"
    r"|their)\s(?P<noun>[a-z][a-z-]+)\b)",
    re.IGNORECASE,
)
_DAY_BEFORE = re.compile(r"\bthe (?:day|evening|night) before\b(?!\s(?:the|our|that|[A-Z0-9]))", re.IGNORECASE)
_BACK_KO = re.compile(
    r"(?<![가-힣])(?:(?P<then>그|이)\s?(?:날\s?|때\s?)?|(?P<noun>[가-힣]{2,8}?)(?:일|식|날)?\s)(?P<way>전|이전|까지)(?:에|까지|까지는|에는|으로)?(?=[\s,.])"
    r"|(?<![가-힣])(?P<then2>그때|그날)(?P<way2>까지)"
)
_EARLIER = frozenset(("before", "prior to", "ahead of", "전", "이전"))
_LATER = frozenset(("after", "later than", "past"))


@dataclass(frozen=True)
class ReferredDay:
    at: int
    last_day: date
    """The last day that is still in time."""


@dataclass
class EarlierDays:
    """Days of the sentences read so far, the latest last."""

    _days: list[tuple[DateSpan, list[str]]] = field(default_factory=list)

    def add(self, text: str, spans: list[DateSpan]) -> None:
        self._days += [(span, words_of(text)) for span in spans if span.first is not None and span.last is not None]

    def meant_by(self, text: str, own: list[DateSpan]) -> ReferredDay | None:
        here = [(span, words_of(text)) for span in own if span.first is not None and span.last is not None]
        if (found := _DAY_BEFORE.search(text)) and (day := self._latest(here)) is not None and day.first is not None:
            return ReferredDay(found.start(), day.first - timedelta(days=1))
        for found in (*_BACK_EN.finditer(text), *_BACK_KO.finditer(text)):
            named = found.groupdict()
            noun = (named.get("noun") or "").lower()
            day = self._about(noun, here) if noun else self._latest(here)
            if day is None or day.first is None or day.last is None:
                continue
            way = (named.get("way") or named.get("way2") or "").lower()
            if way in _LATER:
                if not denies(text[found.end() :]) and not denies(text[: found.start()]):
                    continue
                return ReferredDay(found.start(), day.last)
            early = way in _EARLIER and not named.get("then2")
            return ReferredDay(found.start(), day.first - timedelta(days=1) if early else day.last)
        return None

    def _latest(self, here: list[tuple[DateSpan, list[str]]]) -> DateSpan | None:
        return (here or self._days)[-1][0] if here or self._days else None

    def _about(self, noun: str, here: list[tuple[DateSpan, list[str]]]) -> DateSpan | None:
        """The day of the event that a noun names: 1 July of `the line opens on 1 July`, for `the opening`."""
        found = [span for span, words in (*self._days, *here) if any(same_word(noun, word) for word in words)]
        return found[-1] if found else None
