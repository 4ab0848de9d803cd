"""Words to publish instead of what a finding quotes. A rewrite is given only if a second review no longer objects."""

import re
from dataclasses import dataclass

from packs.compliance.detectors import ABSENT, NEAR_CHARS, WORDING, applies
from packs.compliance.examination import examine
from packs.compliance.identifiers import masked
from packs.compliance.rules import Rule
from packs.compliance.run_state import RunState
from packs.compliance.spans import Span, Spans
from packs.text.sentences import SENTENCE_END, sentence_spans

MAX_REWRITES = 60
MAX_SECOND_REVIEWS = 30
"""A text that breaks rules in every line is not reviewed hundreds of times."""
WHOLE = 600
"""A text up to this length is read again as a whole; of a longer one what stands around the change."""
_AROUND = 120
_LONGEST_SENTENCE = 160
_ENDS_SENTENCE = re.compile(r"(?:다|요|죠|음|함|됨|세요|까)[.!?~ ]{0,3}$")


@dataclass(frozen=True)
class Rewritten:
    """The words to publish instead; no words: leave it out."""

    words: str
    before: int
    after: int
    """So many characters before and after the span are replaced as well."""


def rewrite_of(text: str, state: RunState, rule: Rule, start: int, end: int) -> Rewritten | None:
    """In place of the span or, where the rest of its sentence says the same, of the sentence. None if the second review
    objects to all proposals."""
    if state.second_reviews >= MAX_SECOND_REVIEWS:
        return None
    for first, last in dict.fromkeys(((start, end), _sentence(text, rule, start, end))):
        for proposal in _proposals(text[first:last], rule, state.language):
            if accepted(text, state, rule, first, last, proposal):
                return Rewritten(proposal, start - first, last - end)
    return None


def _sentence(text: str, rule: Rule, start: int, end: int) -> Span:
    """The sentence around the span, without its full stop; the span itself where that is no answer."""
    if rule.personal or rule.detector != WORDING:
        return start, end
    before, after = max(0, start - _LONGEST_SENTENCE), end + _LONGEST_SENTENCE
    for first, last in sentence_spans(text[before:after]):
        first, last = first + before, last + before
        if first <= start and end <= last <= first + _LONGEST_SENTENCE:
            return first, max(end, first + len(text[first:last].rstrip(".!?")))
    return start, end


def _proposals(quoted: str, rule: Rule, language: str) -> list[str]:
    wording = rule.rewrite
    korean = wording.ko_end if _ENDS_SENTENCE.search(quoted) else wording.ko
    first = wording.en if language == "en" else korean
    if rule.detector == ABSENT:
        # Something is missing: the addition stands before what was there.
        return [f"{first} {quoted}", first]
    return [first, masked(quoted, [(0, len(quoted))]) if rule.personal else ""]


def accepted(text: str, state: RunState, rule: Rule, start: int, end: int, proposal: str) -> bool:
    """Whether a review of the changed text no longer meets the rule there, and meets nothing it did not meet before."""
    state.second_reviews += 1
    first, last = (0, len(text)) if len(text) <= WHOLE else _around(text, start, end)
    part = text[first:start] + proposal + text[end:last]
    again = examine(part, state.reading.kind, product=state.product, compared=state.reading.compared)
    whole = part == text[:start] + proposal + text[end:]
    change = _Change(start, end, len(proposal))
    for each in again.rules:
        found = [(begin + first, stop + first) for begin, stop in _given(again, each)]
        if not whole:
            found = [span for span in found if change.is_near(span)] if _judged_in_part(each, rule, state) else []
        if found:
            known = Spans(span for span in _given(state, each) if each.id != rule.id or not change.replaces(span))
            if not all(known.overlap(change.undone(span)) for span in found):
                return False
    return True


def _around(text: str, start: int, end: int) -> Span:
    """Whole sentences, where there are any: what was compared with the examples need not be compared again."""
    before, after = max(0, start - _AROUND), min(len(text), end + _AROUND)
    begin = SENTENCE_END.search(text, before, start - NEAR_CHARS) if before else None
    stop = SENTENCE_END.search(text, end + NEAR_CHARS, after) if after < len(text) else None
    return begin.end() if begin else before, stop.end() if stop else after


@dataclass(frozen=True)
class _Change:
    """`length` characters in place of those from `start` to `end`."""

    start: int
    end: int
    length: int

    def is_near(self, span: Span) -> bool:
        return span[0] <= self.start + self.length + NEAR_CHARS and self.start - NEAR_CHARS <= span[1]

    def replaces(self, span: Span) -> bool:
        return span[0] < self.end and self.start < span[1]

    def undone(self, span: Span) -> Span:
        """What stood in place of a span of the changed text."""
        changed_to = self.start + self.length
        shift = self.end - changed_to
        begin = span[0] if span[0] < self.start else self.start if span[0] < changed_to else span[0] + shift
        stop = span[1] if span[1] <= self.start else self.end if span[1] <= changed_to else span[1] + shift
        return begin, max(stop, begin)


def _given(state: RunState, rule: Rule) -> list[Span]:
    """Where the rule is met, in the text as it was given."""
    original = state.reading.folded.original
    return [(original(start), original(end)) for start, end in state.met.get(rule.id, ())]


def _judged_in_part(each: Rule, rule: Rule, state: RunState) -> bool:
    """Whether part of a text can tell: what is missing, and what a distant passage excuses, only the whole shows."""
    return each.id == rule.id or (each.detector != ABSENT and applies(each, state.reading))
