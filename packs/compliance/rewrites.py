"""Words to publish instead of what a finding quotes. A rewrite is given only if a second review no longer objects."""

import re
from collections.abc import Callable
from functools import lru_cache

from packs.compliance.detectors import detected, places, resembling
from packs.compliance.reading import reading_of
from packs.compliance.rules import Rule, rulebook

MAX_REWRITES = 60
_CONTEXT = 300
Compared = dict[str, str | None]
_ENDS_SENTENCE = re.compile(r"(?:다|요|죠|음|함|됨|세요|까)[.!?~ ]{0,3}$")


def rewrite_of(
    text: str, kind: str, rule: Rule, start: int, end: int, language: str, compared: Compared | None = None
) -> str | None:
    """In place of `text[start:end]`; an empty text means: leave it out. None if nothing passes the second review."""
    for proposal in _proposals(text, rule, start, end, language):
        if accepted(text, kind, rule, start, end, proposal, compared):
            return proposal
    return None


def _proposals(text: str, rule: Rule, start: int, end: int, language: str) -> list[str]:
    quoted = text[start:end]
    wording = rule.rewrite
    korean = wording.ko_end if _ENDS_SENTENCE.search(quoted) else wording.ko
    first = wording.en if language == "en" else korean
    if rule.detector == "absent":
        # Something is missing: the addition stands before what was there.
        return [f"{first} {quoted}", first]
    return [first, ""]


def accepted(
    text: str, kind: str, rule: Rule, start: int, end: int, proposal: str, compared: Compared | None = None
) -> bool:
    """Whether the rule is no longer met where the proposal stands, and no other rule objects to its words."""
    before, after = text[max(0, start - _CONTEXT) : start], text[end : end + _CONTEXT]
    reading = reading_of(before + proposal + after, kind, compared)
    changed = (len(before), len(before) + len(proposal))
    back: Callable[[int], int] = reading.folded.original

    def objects(each: Rule) -> bool:
        met, left_out = detected(each, reading)
        if any(back(first) <= changed[1] and changed[0] <= back(last) for first, last in met):
            return True
        # A likeness is about a whole sentence: one that begins before the proposal resembles what was kept.
        guessed, _ = resembling(each, reading, met, left_out)
        return any(changed[0] <= back(first) < changed[1] for first, _ in guessed)

    if objects(rule):
        return False
    return not proposal or _harmless(proposal, kind, rule.id)


@lru_cache(maxsize=2_000)
def _harmless(proposal: str, kind: str, but_for: str) -> bool:
    """Whether no other rule objects to the proposal's own words."""
    reading = reading_of(proposal, kind)
    others = (each for each in rulebook().rules if kind in each.kinds and each.id != but_for)
    return not any(places(each, reading)[0] for each in others if each.detector == "wording")
