"""Every option held against every hard condition: pass, fail or unknown, each with the evidence it rests on."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum

from packs.decision.brief import Brief, normalise
from packs.decision.comparing import NO_RATES, Rates, family, in_unit
from packs.decision.conditions.model import Constraint
from packs.decision.conditions.model import Reading as Conditions
from packs.decision.conditions.negation import denies
from packs.decision.conditions.option_statements import is_about
from packs.decision.evidence import Evidence, quotation, sentences
from packs.decision.facts import Fact, FactBook
from packs.decision.naming import overlap, same_word, words_of
from packs.decision.readings import Amount, Day, Flag, Reading, period_of, says_not_known
from packs.text.bounds import Bound
from packs.text.quantities import Quantity, comparable


class Status(StrEnum):
    PASS = "pass"  # noqa: S105 - a status, not a password
    FAIL = "fail"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Check:
    constraint: Constraint
    option: int
    status: Status
    evidence: tuple[Evidence, ...] = ()
    """What the option says; empty when nothing is known."""


class Checker:
    def __init__(self, brief: Brief, book: FactBook, reading: Conditions, today: date, rates: Rates = NO_RATES) -> None:
        self.brief, self.book, self.reading, self.today, self.rates = brief, book, reading, today, rates

    def all(self) -> list[Check]:
        """A condition that says nothing about any option, because no value stands for it anywhere, is still listed."""
        return [
            self._check(constraint, index)
            for constraint in self.reading.constraints
            for index in range(len(self.brief.options))
        ]

    def _check(self, constraint: Constraint, index: int) -> Check:
        match constraint.kind:
            case "excluded" | "law":
                excluded = index in constraint.options
                return Check(constraint, index, Status.FAIL if excluded else Status.PASS, (constraint.evidence,))
            case "limit":
                return self._limit(constraint, index)
            case "deadline":
                return self._deadline(constraint, index)
            case "required":
                return self._required(constraint, index)
            case "value":
                return self._value(constraint, index)

    def _limit(self, constraint: Constraint, index: int) -> Check:
        assert constraint.limit is not None
        for fact in self._facts_for(constraint, index):
            status = Status.UNKNOWN
            if isinstance(fact.reading, Amount):
                status = self._within(fact.reading.quantity, constraint, fact.attribute)
            elif isinstance(fact.reading, Day) and constraint.bound == "at_most":
                status = self._day_within(
                    fact.reading.span.first, fact.reading.span.last, self._days_from_now(constraint)
                )
            return Check(constraint, index, status, (fact.evidence,))
        return Check(constraint, index, Status.UNKNOWN)

    def _facts_for(self, constraint: Constraint, index: int) -> list[Fact]:
        if constraint.subject:
            return self.book.of(index, constraint.subject)[:1]
        return []

    def _within(self, value: Quantity, constraint: Constraint, attribute: str) -> Status:
        limit = constraint.limit
        assert limit is not None
        if not value.per and (period := period_of(attribute)):
            value = replace(value, per=period)
        if not limit.unit and family(value.unit) != "count":
            limit = replace(limit, unit=value.unit, per=value.per)  # a budget of 60000 beside prices in one currency
        if not limit.per or not value.per:
            moved = in_unit(replace(value, per=""), limit.unit, "", self.rates)
        else:
            moved = in_unit(value, limit.unit, limit.per, self.rates)
        if moved is None and family(value.unit) == "time":
            moved, limit = comparable(value, "day"), comparable(limit, "day") or limit
        return Status.UNKNOWN if moved is None else _compared(moved, constraint.bound, limit)

    def _days_from_now(self, constraint: Constraint) -> date | None:
        assert constraint.limit is not None
        days = comparable(constraint.limit, "day")
        return None if days is None else self.today + timedelta(days=int(days.high))

    def _deadline(self, constraint: Constraint, index: int) -> Check:
        assert constraint.day is not None
        for span, evidence in self.reading.earliest.get(index, ()):
            if span.first is not None and constraint.bound == "at_most" and span.first > constraint.day:
                return Check(constraint, index, Status.FAIL, (evidence,))
        fact = self._dated(constraint, index)
        if fact is None:
            known = self.reading.earliest.get(index)
            return Check(
                constraint, index, Status.PASS if known else Status.UNKNOWN, tuple(each for _, each in known or ())
            )
        if isinstance(fact.reading, Day):
            first, last = fact.reading.span.first, fact.reading.span.last
        else:
            assert isinstance(fact.reading, Amount)
            days = comparable(fact.reading.quantity, "day")
            if days is None:
                return Check(constraint, index, Status.UNKNOWN, (fact.evidence,))
            first, last = self.today + timedelta(days=int(days.low)), self.today + timedelta(days=int(days.high))
        clock = fact.reading.clock if isinstance(fact.reading, Day) else None
        if constraint.clock is not None and first == last == constraint.day:
            early = clock is not None and clock <= constraint.clock
            met = early if constraint.bound == "at_most" else not early or clock == constraint.clock
            status = Status.UNKNOWN if clock is None else Status.PASS if met else Status.FAIL
        elif constraint.bound == "at_most":
            status = self._day_within(first, last, constraint.day)
        else:
            status = (
                Status.UNKNOWN
                if first is None or last is None
                else Status.PASS
                if first >= constraint.day
                else Status.FAIL
            )
        return Check(constraint, index, status, (fact.evidence,))

    def _day_within(self, first: date | None, last: date | None, limit: date | None) -> Status:
        if first is None or last is None or limit is None:
            return Status.UNKNOWN
        return Status.PASS if last <= limit else Status.FAIL if first > limit else Status.UNKNOWN

    def _dated(self, constraint: Constraint, index: int) -> Fact | None:
        """The option's date, or the duration that a deadline limits."""
        if constraint.subject and (fact := self.book.first(index, constraint.subject)) is not None:
            return fact if isinstance(fact.reading, Day) else None
        durations = [
            fact
            for name in self.book.attributes
            if (fact := self.book.first(index, name)) is not None
            and isinstance(fact.reading, Amount)
            and family(fact.reading.quantity.unit) == "time"
            and not fact.reading.quantity.per
            and overlap(name, constraint.words) > 0
        ]
        return durations[0] if len(durations) == 1 else None

    def _required(self, constraint: Constraint, index: int) -> Check:
        fact = self.book.first(index, constraint.subject) if constraint.subject else None
        present = None if fact is None else _is_there(fact.reading)
        if fact is not None and present is not None:
            met = present is constraint.wanted
            return Check(constraint, index, Status.PASS if met else Status.FAIL, (fact.evidence,))
        if fact is not None and isinstance(fact.value, str) and not says_not_known(fact.value) and fact.reading is None:
            denied = denies(fact.value)
            return Check(
                constraint, index, Status.FAIL if denied is constraint.wanted else Status.PASS, (fact.evidence,)
            )
        if fact is not None:
            return Check(constraint, index, Status.UNKNOWN, (fact.evidence,))
        return self._said_in_prose(constraint, index)

    def _said_in_prose(self, constraint: Constraint, index: int) -> Check:
        option = self.brief.options[index]
        topic = [
            word for word in words_of(constraint.subject or constraint.words) if len(word) > 2 or not word.isascii()
        ]
        for sentence in sentences(option.description):
            shared = [word for word in topic if any(same_word(word, each) for each in words_of(sentence))]
            if shared and len(shared) * 2 >= min(len(topic), 4):
                present = not denies(sentence)
                evidence = Evidence(f"{option.pointer}/description", quotation(sentence))
                return Check(
                    constraint, index, Status.PASS if present is constraint.wanted else Status.FAIL, (evidence,)
                )
        for statement in self.reading.statements:
            if statement.option == index and statement.text not in constraint.words and is_about(topic, statement):
                met = statement.holds is constraint.wanted
                return Check(constraint, index, Status.PASS if met else Status.FAIL, (statement.evidence,))
        return Check(constraint, index, Status.UNKNOWN)

    def _value(self, constraint: Constraint, index: int) -> Check:
        fact = self.book.first(index, constraint.subject)
        if fact is None:
            return Check(constraint, index, Status.UNKNOWN)
        named = any(_holds(str(fact.value), wanted) for wanted in constraint.values)
        if says_not_known(fact.value) and not named:
            return Check(constraint, index, Status.UNKNOWN)  # where "pending" itself is ruled out, it is known
        has = any(_holds(str(fact.value), wanted) for wanted in constraint.values)
        return Check(constraint, index, Status.PASS if has is constraint.wanted else Status.FAIL, (fact.evidence,))


def _is_there(reading: Reading | None) -> bool | None:
    """Yes or no; and a fee of 2 % is one, beside options that have none."""
    if isinstance(reading, Flag):
        return reading.present
    return reading.quantity.high > 0 if isinstance(reading, Amount) else None


def _holds(value: str, wanted: str) -> bool:
    """The value is the wanted one, or contains all its words."""
    if normalise(value) == normalise(wanted):
        return True
    given = words_of(value)
    needed = words_of(wanted)
    return bool(needed) and all(any(same_word(word, each) for each in given) for word in needed)


def _compared(value: Quantity, bound: Bound, limit: Quantity) -> Status:
    """Against the limit's stricter end. `up to 5 days` may be less; `from 3 years` may be more."""
    low: Decimal | None = None if value.bound in ("at_most", "under") else value.low
    high: Decimal | None = None if value.bound in ("at_least", "over") else value.high
    match bound:
        case "at_most":
            return _status(high is not None and high <= limit.low, low is not None and low > limit.high)
        case "under":
            return _status(high is not None and high < limit.low, low is not None and low >= limit.high)
        case "at_least":
            return _status(low is not None and low >= limit.high, high is not None and high < limit.low)
        case "over":
            return _status(low is not None and low > limit.high, high is not None and high <= limit.low)
    return Status.UNKNOWN


def _status(passed: bool, failed: bool) -> Status:
    return Status.PASS if passed else Status.FAIL if failed else Status.UNKNOWN


def failed_options(checks: Iterable[Check]) -> dict[int, list[Check]]:
    found: dict[int, list[Check]] = {}
    for check in checks:
        if check.status is Status.FAIL:
            found.setdefault(check.option, []).append(check)
    return found


def unknown_options(checks: Iterable[Check]) -> dict[int, list[Check]]:
    found: dict[int, list[Check]] = {}
    for check in checks:
        if check.status is Status.UNKNOWN:
            found.setdefault(check.option, []).append(check)
    return found
