"""Days by which, or from which, something has to be so: deadlines for all, and the earliest day of one option."""

import re
from collections.abc import Iterator
from datetime import date, timedelta

from packs.decision.brief import Brief
from packs.decision.conditions import wording
from packs.decision.conditions.earlier_days import EarlierDays
from packs.decision.conditions.model import Constraint, Sentence
from packs.decision.conditions.negation import denies
from packs.decision.evidence import Evidence, quotation
from packs.decision.facts import FactBook
from packs.decision.naming import overlap
from packs.decision.readings import Day
from packs.text.bounds import Bound
from packs.text.clock import Clock, find_clocks
from packs.text.dates import DateSpan, find_dates

_DEADLINE_KEYS = re.compile(
    r"deadline|timeline|due|go[_ -]?live|needed[_ ]?by|latest|before|until|open(?:ing)?[_ ](?:by|date)|기한"
    r"|마감|일정|납기|시한|까지",
    re.IGNORECASE,
)
_BEFORE_DATE = re.compile(
    r"\b(?:by|before|until|no(?:t)? later than|on or before|at the latest by|latest|due(?: on| by)?|till|up to|ahead of"
    r"|end(?:s|ing)? on|than|deadline(?: is| of|:)?|in time for)\s(?:(?:the|our|its|their"
    r"|a)\s)?(?:(?:end\sof|[a-z-]+(?:\s[a-z-]+)?\s(?:on|of|in))\s(?:the\s)?)?$",
    re.IGNORECASE,
)
_AFTER_DATE = re.compile(
    r"\b(?:after|from|since|not before|no(?:t)? earlier than|starting|as of|beyond|later than|past)\s(?:the\s)?$",
    re.IGNORECASE,
)
_KO_BY = re.compile(
    r"^\s?(?:\([^)]{1,4}\))?\s?(?:까지|이전|전(?:에|까지)|안에|이내|내에|안으로|보다\s?(?:늦|뒤)|을\s?넘|를\s?넘"
    r"|이\s?마감|이\s?기한|\s?마감)"
)
_KO_FROM = re.compile(r"^\s?(?:부터|이후|뒤|후)(?!에는 제외)")
_ENDS = re.compile(
    r"\b(?:deadline|go-?live|due|expires?|ends?|latest|runs? out|terminates?|lapses?)\b|마감|기한|만료|시한|끝나|종료",
    re.IGNORECASE,
)
_LATER_BEFORE = re.compile(r"\b(?:later than|past|beyond|after)\s(?:the\s)?$", re.IGNORECASE)
_LATER_BEHIND = re.compile(r"^\s?(?:보다\s?(?:늦|뒤)|을\s?넘|를\s?넘|이후|부터|뒤)")
_NOT_EARLIER = re.compile(
    r"\b(?:not|cannot|can't|never|no|nobody|nothing)\b(?:\s\w+){0,4}?\s(?:earlier than|sooner than|before"
    r"|until)\s(?:the\s)?$",
    re.IGNORECASE,
)
_TOO_LATE = re.compile(r"\btoo late\b|너무\s?늦|늦(?:습니다|다|어요|음)", re.IGNORECASE)
_TOO_EARLY = re.compile(r"\btoo (?:early|soon)\b|너무\s?(?:이르|빠르|일찍)", re.IGNORECASE)
_NOT_LATER = re.compile(r"no(?:t)?\s(?:be\s)?later than\s(?:the\s)?$", re.IGNORECASE)
_NEVER_BEFORE = re.compile(
    r"\b(?:cannot|can't|not|only|earliest|unavailable|available|free|ready|starts?|no sooner)\b.{0,60}?\b(?:before"
    r"|until|from|after|as of|than)\s(?:the\s)?$|\b(?:earliest|available from|not before)\b.{0,20}$",
    re.IGNORECASE,
)
_KO_ONLY_FROM = re.compile(
    r"^\s?(?:부터|이후(?:에)?(?:나|에만|에야)?|이전(?:에는|에)?|전(?:에는|까지는)|에야)\s?[^.]{0,30}(?:가능|수\s?있"
    r"|시작|공급|입주|계약|없|불가|못|나온|출시)"
)


def is_deadline_key(key: str) -> bool:
    return _DEADLINE_KEYS.search(key) is not None


class DeadlineReader:
    def __init__(self, brief: Brief, book: FactBook, today: date) -> None:
        self.brief, self.book, self.today = brief, book, today
        self._days = EarlierDays()

    def remember(self, text: str) -> None:
        """The days that a sentence names: a later one may say `by then`, or `before the opening`."""
        self._days.add(text, find_dates(text, self.today))

    def read(self, text: str, given: Sentence) -> Iterator[Constraint]:
        if given.pointer == self.brief.question_pointer and not re.search(r"must|반드시|까지|no later|deadline", text):
            return
        found = list(self._written_out(text, given))
        yield from found or self._pointed_at(text, given)

    def _pointed_at(self, text: str, given: Sentence) -> Iterator[Constraint]:
        """`work has to have begun by then`, 그 전에 달려 있어야 한다: the day stands elsewhere."""
        if not (given.hard or wording.is_hard(text) or denies(text)):
            return
        meant = self._days.meant_by(text, find_dates(text, self.today))
        if meant is not None:
            evidence = Evidence(given.pointer, quotation(text, meant.at))
            yield Constraint("deadline", evidence, self.subject(text), text, None, "at_most", meant.last_day)

    def _written_out(self, text: str, given: Sentence) -> Iterator[Constraint]:
        for span in find_dates(text, self.today):
            if span.first is None or span.last is None:
                continue
            side = _bound(text, span, given)
            if not side or not (given.hard or wording.is_hard(text) or is_deadline_key(given.key)):
                continue
            day = span.last if side == "at_most" else span.first
            early = re.search(r"\b(?:before|earlier than)\s(?:the\s)?$", text[: span.start], re.IGNORECASE)
            if side == "at_most" and (early or _TOO_LATE.search(text[span.end :])):
                day = span.first - timedelta(days=1)
            elif side == "at_least" and _TOO_EARLY.search(text[span.end :]):
                day = span.last + timedelta(days=1)
            evidence = Evidence(given.pointer, quotation(text, span.start))
            clock = next((each.minutes for each in find_clocks(text) if _beside(each, span, text)), None)
            yield Constraint("deadline", evidence, self.subject(text), text, None, side, day, clock)

    def subject(self, text: str) -> str:
        """The attribute with days that the sentence speaks of most; empty where no option has a day."""
        days = [
            name
            for name in self.book.attributes
            if any(
                (fact := self.book.first(index, name)) is not None and isinstance(fact.reading, Day)
                for index in range(len(self.brief.options))
            )
        ]
        return max(days, key=lambda name: overlap(name, text), default="")

    def earliest(self, text: str, given: Sentence, named: list[int]) -> list[tuple[DateSpan, Evidence]]:
        """`Orbit cannot be signed before January 2028`: a day of one option, to hold against the deadlines."""
        if len(named) != 1:
            return []
        return [
            (span, Evidence(given.pointer, quotation(text, span.start)))
            for span in find_dates(text, self.today)
            if span.first is not None
            and (_NEVER_BEFORE.search(text[: span.start]) or _KO_ONLY_FROM.match(text[span.end :]))
        ]


def _beside(clock: Clock, span: DateSpan, text: str) -> bool:
    """A time belongs to the day beside it: `by 10:00 on 14 May`, 6월 3일 오전 10시까지."""
    between = text[clock.end : span.start] if clock.start < span.start else text[span.end : clock.start]
    return len(between) <= 6 and not re.search(r"[.;]", between)


def _without_clocks(text: str, span: DateSpan) -> tuple[str, str]:
    """What stands before and behind a day, without the time that belongs to it."""
    before, after = text[: span.start], text[span.end :]
    for clock in find_clocks(text):
        if _beside(clock, span, text):
            if clock.start < span.start:
                before = text[: clock.start]
            else:
                after = text[clock.end :]
    return before, after


def _bound(text: str, span: DateSpan, given: Sentence) -> Bound:
    before, after = _without_clocks(text, span)
    side: Bound = ""
    if _NOT_EARLIER.search(before) or _TOO_EARLY.search(after):
        return "at_least"
    if _TOO_LATE.search(after):
        return "at_most"
    if (
        _BEFORE_DATE.search(before)
        or _KO_BY.match(after)
        or is_deadline_key(given.key)
        or re.search(r"늦어도\s?$", before)
        or re.match(r"\s(?:at the latest|or (?:earlier|sooner|before))\b", after)
    ):
        side = "at_most"
    elif _AFTER_DATE.search(before) or _KO_FROM.match(after):
        side = "at_least"
    elif _ENDS.search(text) and wording.is_hard(text):
        side = "at_most"
    if (_LATER_BEFORE.search(before) or _LATER_BEHIND.match(after)) and not _NOT_LATER.search(before):
        # "Deliveries after 5 May are refused", 5월 5일 이후 입고는 받지 않는다: what comes later is denied.
        return "at_most" if denies(after) or denies(before) else side
    return side
