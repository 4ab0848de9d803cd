"""The named detectors a rule may use. Each yields spans of the folded text and knows nothing of law.

Every detector looks at a bounded window around a match and stops after a bounded number of matches, so the time a
hostile text can cost grows with its length only.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from packs.compliance.identifiers import BARE, Identified, identify
from packs.compliance.rules import Rule
from packs.text.folding import Folded
from packs.text.quotations import quoted_passages
from packs.text.sentences import sentence_spans

Span = tuple[int, int]

NEAR_CHARS = 80
MAX_EXAMINED = 5_000

_SENTENCE_END = re.compile(r"[.!?。](?=\s)|\n")


@dataclass(frozen=True)
class Reading:
    """A folded text and what several rules ask of it, computed once."""

    folded: Folded
    _answers: dict[re.Pattern[str], bool] = field(default_factory=dict)

    @property
    def plain(self) -> str:
        return self.folded.plain

    @property
    def lower(self) -> str:
        return self.folded.lower

    @cached_property
    def identified(self) -> tuple[Identified, ...]:
        return identify(self.plain)

    @cached_property
    def quoted(self) -> tuple[Span, ...]:
        return tuple(quoted_passages(self.plain))

    def says(self, patterns: tuple[re.Pattern[str], ...]) -> bool:
        """Whether any of the patterns occurs anywhere."""
        for pattern in patterns:
            if pattern not in self._answers:
                self._answers[pattern] = pattern.search(self.lower) is not None
            if self._answers[pattern]:
                return True
        return False

    def near(self, start: int, end: int, chars: int) -> str:
        """The match with what surrounds it in its sentence, at most `chars` on each side."""
        before = self.lower[max(0, start - chars) : start]
        after = self.lower[end : end + chars]
        ends = [match.end() for match in _SENTENCE_END.finditer(before)]
        stop = _SENTENCE_END.search(after)
        return before[ends[-1] if ends else 0 :] + self.lower[start:end] + (after[: stop.start()] if stop else after)

    def around(self, start: int, end: int, chars: int) -> str:
        """As `near`, across sentence ends: a label may stand on the line above."""
        return self.lower[max(0, start - chars) : end + chars]


def _applies(rule: Rule, reading: Reading) -> bool:
    trigger = rule.patterns("only_if_anywhere")
    if trigger and not reading.says(trigger):
        return False
    return not reading.says(rule.patterns("unless_anywhere"))


def _any(patterns: tuple[re.Pattern[str], ...], text: str) -> bool:
    return any(pattern.search(text) for pattern in patterns)


def pattern(rule: Rule, reading: Reading) -> Iterator[Span]:
    """Wordings. A group called `value` narrows the span to what the wording introduces."""
    if not _applies(rule, reading):
        return
    text = reading.plain if rule.parameters.get("cased") else reading.lower
    excuses, near = rule.patterns("unless_near"), rule.number("near", NEAR_CHARS)
    surroundings = reading.around if rule.parameters.get("across_sentences") else reading.near
    for wording in rule.patterns("any"):
        group = "value" if "value" in wording.groupindex else 0
        for examined, match in enumerate(wording.finditer(text)):
            if excuses and examined >= MAX_EXAMINED:
                break
            start, end = match.span(group)
            if start < end and not (excuses and _any(excuses, surroundings(start, end, near))):
                yield start, end


def identifier(rule: Rule, reading: Reading) -> Iterator[Span]:
    """Numbers and addresses of people, by name and grade; `context` are words one of which must be near."""
    if not _applies(rule, reading):
        return
    grades = tuple(rule.parameters["grades"])
    context, excuses = rule.patterns("context"), rule.patterns("unless_near")
    near = rule.number("near", NEAR_CHARS)
    examined = 0
    for each in reading.identified:
        if each.name != rule.parameters["identifier"] or each.grade not in grades:
            continue
        examined += 1
        if examined > MAX_EXAMINED:
            return
        around = reading.around(each.start, each.end, near)
        needs_context = each.grade == BARE or not rule.parameters.get("context_only_for_bare", False)
        if context and needs_context and not _any(context, around):
            continue
        if excuses and _any(excuses, around):
            continue
        yield each.start, each.end


def absent(rule: Rule, reading: Reading) -> Iterator[Span]:
    """Something the text should say and does not. The span is the sentence that makes it necessary, or the first."""
    if not reading.plain.strip() or not _applies(rule, reading) or reading.says(rule.patterns("any")):
        return
    for trigger in rule.patterns("only_if_anywhere"):
        match = trigger.search(reading.lower)
        if match is not None:
            yield match.span()
            return
    yield next(sentence_spans(reading.plain))


def quotation(rule: Rule, reading: Reading) -> Iterator[Span]:
    """Quoted passages that are too long, take too large a share of the text, or name no source."""
    if not _applies(rule, reading):
        return
    if "max_share_percent" in rule.parameters:
        yield from _dominating(rule, reading)
        return
    source, near = rule.patterns("source"), rule.number("near", NEAR_CHARS)
    for examined, (start, end) in enumerate(reading.quoted):
        if examined >= MAX_EXAMINED:
            return
        if not _longer_than(reading.plain[start:end], rule.number("words", 0), rule.number("chars", 0)):
            continue
        surroundings = reading.lower[max(0, start - near) : start] + " " + reading.lower[end : end + near]
        if not (source and _any(source, surroundings)):
            yield start, end


def _longer_than(passage: str, words: int, chars: int) -> bool:
    """Korean packs a clause into a word: characters measure it better, words measure English."""
    korean = sum("가" <= character <= "힣" for character in passage[: 2 * chars])
    return len(passage) > chars if korean * 4 > min(len(passage), 2 * chars) else len(passage.split()) > words


def _dominating(rule: Rule, reading: Reading) -> Iterator[Span]:
    total = sum(end - start for start, end in reading.quoted)
    long_enough = len(reading.plain) >= rule.number("chars", 0)
    if long_enough and total * 100 > len(reading.plain) * rule.number("max_share_percent", 100):
        yield max(reading.quoted, key=lambda span: (span[1] - span[0], -span[0]))


DETECTORS: Mapping[str, Callable[[Rule, Reading], Iterator[Span]]] = MappingProxyType(
    {"absent": absent, "identifier": identifier, "pattern": pattern, "quotation": quotation}
)
