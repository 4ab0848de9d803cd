"""The named detectors a rule may use. Each yields places of the folded text and knows nothing of law.

Every detector looks at a bounded window around a match and stops after a bounded number of matches, so the time a
hostile text can cost grows with its length only.
"""

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from packs.compliance.identifiers import BARE
from packs.compliance.reading import Reading
from packs.compliance.rules import CLAIM_PARAMETERS, Rule
from packs.compliance.spans import Span, Spans
from packs.compliance.stance import NEGATED, holds
from packs.text.sentences import SENTENCE_END, sentence_spans

NEAR_CHARS = 80
ABSENT, WORDING = "absent", "wording"
_NEGATION = re.compile(
    r"없|않|못|불가|아니|아닌|아닙|금지|안 ?(?:되|됩|돼|받|하|해|쓰|써|내|드|줍|사)|말고"
    r"|\b(?:no|not|never|none|nothing|nobody|without|cannot|nor)\b"
    r"|n't\b|\bnon-"
)
MAX_EXAMINED = 2_000


@dataclass(frozen=True)
class Place:
    start: int
    end: int
    left_out: str | None = None
    """Why it is no finding: the text denies, reports or rejects it."""


def applies(rule: Rule, reading: Reading) -> bool:
    """Whether the text as a whole calls for the rule and does not excuse it."""
    trigger = rule.patterns("only_if_anywhere")
    if trigger and not reading.touches(trigger):
        return False
    return not reading.says(rule.patterns("unless_anywhere"))


def _any(patterns: tuple[re.Pattern[str], ...], text: str) -> bool:
    return any(holds(pattern, text) for pattern in patterns)


def wording(rule: Rule, reading: Reading) -> Iterator[Place]:
    """Claim frames and fixed wordings. A group called `value` narrows a wording to what it introduces."""
    worded = list(itertools.islice(_worded(rule, reading), MAX_EXAMINED))
    # Most rules find nothing to look at; whether the text excuses the rest is a longer question.
    if not worded or not applies(rule, reading):
        return
    excuses, near = rule.patterns("unless_near"), rule.number("near", NEAR_CHARS)
    surroundings = reading.around if rule.parameters.get("across_sentences") else reading.near
    urging = bool(rule.parameters.get("never_denied"))
    # Fixed wordings leave nothing to compare; frames may be met by chance.
    chance = not (rule.personal or rule.patterns("any") or rule.parameters.get("never_compared"))
    for start, end, asserted in worded:
        if start >= end or (excuses and _any(excuses, surroundings(start, end, near))):
            continue
        if chance and reading.by_chance((start, end), rule.id):
            continue
        why = None if rule.personal else reading.stance((start, end))
        # What is said without a negation of its own can be denied as well: "자동으로 갱신되지 않습니다".
        if why == NEGATED and not asserted and (urging or _NEGATION.search(reading.lower, start, end)):
            why = None
        yield Place(*((start, end) if rule.personal else reading.whole_words(start, end)), why)


def _worded(rule: Rule, reading: Reading) -> Iterator[tuple[int, int, bool]]:
    """Each place, and whether it counts only where the text asserts it."""
    text = reading.digits if rule.personal else reading.plain if rule.parameters.get("cased") else reading.lower
    if rule.personal and not rule.parameters.get("cased"):
        text = text.lower() if len(text.lower()) == len(text) else reading.lower
    for pattern in rule.patterns("any"):
        group = "value" if "value" in pattern.groupindex else 0
        for match in pattern.finditer(text):
            yield *match.span(group), False
    if reading.possible.isdisjoint(rule.claim_frames):
        return
    for name in CLAIM_PARAMETERS:
        if not reading.has_letters_of(name[-2:]):
            continue
        for frame in rule.frames(name):
            if frame in reading.possible:
                for start, end in reading.framed(frame):
                    yield start, end, name.startswith("claims") and not frame.negative


def identifier(rule: Rule, reading: Reading) -> Iterator[Place]:
    """Numbers and addresses of people, by name and grade; `context` are words one of which must be near."""
    if not applies(rule, reading):
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
        yield Place(each.start, each.end)


def absent(rule: Rule, reading: Reading) -> Iterator[Place]:
    """Something the text should say and does not. The place is what makes it necessary, or the first sentence."""
    if not reading.plain.strip() or not applies(rule, reading) or reading.says(rule.patterns("any")):
        return
    topics = rule.frames("topic_ko") + rule.frames("topic_en")
    for frame in topics:
        for span in reading.framed(frame):
            if reading.stance(span) is None and not reading.by_chance(span, rule.id):
                yield Place(*reading.whole_words(*span))
                return
    for trigger in rule.patterns("only_if_anywhere"):
        match = trigger.search(reading.lower)
        if match is not None and not topics:
            yield Place(*match.span())
            return
    if not topics:
        yield Place(*next(sentence_spans(reading.plain)))


def quotation(rule: Rule, reading: Reading) -> Iterator[Place]:
    """Quoted passages that are too long, take too large a share of the text, or name no source."""
    if not applies(rule, reading):
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
            yield Place(start, end)


def _longer_than(passage: str, words: int, chars: int) -> bool:
    """Korean packs a clause into a word: characters measure it better, words measure English."""
    korean = sum("가" <= character <= "힣" for character in passage[: 2 * chars])
    return len(passage) > chars if korean * 4 > min(len(passage), 2 * chars) else len(passage.split()) > words


def _dominating(rule: Rule, reading: Reading) -> Iterator[Place]:
    total = sum(end - start for start, end in reading.quoted)
    long_enough = len(reading.plain) >= rule.number("chars", 0)
    if long_enough and total * 100 > len(reading.plain) * rule.number("max_share_percent", 100):
        yield Place(*max(reading.quoted, key=lambda span: (span[1] - span[0], -span[0])))


DETECTORS: Mapping[str, Callable[[Rule, Reading], Iterator[Place]]] = MappingProxyType(
    {ABSENT: absent, "identifier": identifier, "quotation": quotation, WORDING: wording}
)


_BESIDE_CHARS = 8


def _beside(reading: Reading, end: int) -> int:
    """Two wordings a few characters apart in one sentence are one finding."""
    following = reading.lower[end : end + _BESIDE_CHARS]
    stop = SENTENCE_END.search(following)
    return stop.start() if stop else len(following)


def places(rule: Rule, reading: Reading) -> tuple[list[Span], list[Place]]:
    """Where a rule is met, by its own detector or by likeness, and where it is only denied, reported or rejected."""
    met, left_out = detected(rule, reading)
    guessed, denied = resembling(rule, reading, met, left_out)
    return sorted(met + guessed), left_out + denied


def resembling(rule: Rule, reading: Reading, met: list[Span], left_out: list[Place]) -> tuple[list[Span], list[Place]]:
    """Sentences like the rule's examples, where its own detector said nothing."""
    guessed: list[Span] = []
    denied: list[Place] = []
    spans = reading.likenesses.get(rule.id, ())
    if not spans or reading.says(rule.patterns("unless_anywhere")):
        return guessed, denied
    if rule.detector == ABSENT and (met or reading.says(rule.patterns("any"))):
        return guessed, denied
    excuses, near = rule.patterns("unless_near"), rule.number("near", NEAR_CHARS)
    taken = Spans([*met, *((each.start, each.end) for each in left_out)])
    for start, end in spans:
        if taken.overlap((start, end)):
            continue
        if excuses and not reading.clear((start, end)) and _any(excuses, reading.near(start, end, near)):
            continue
        why = reading.stance((start, end))
        if why is None or why == NEGATED:  # a negation inside the sentence is part of what was compared
            guessed.append((start, end))
        else:
            denied.append(Place(start, end, why))
    return guessed[:1] if rule.detector == ABSENT else guessed, denied


def detected(rule: Rule, reading: Reading) -> tuple[list[Span], list[Place]]:
    """What the rule's own detector finds, each place once, and what is only denied, reported or rejected."""
    merged: list[Span] = []
    left_out: list[Place] = []
    for place in sorted(DETECTORS[rule.detector](rule, reading), key=lambda each: (each.start, each.end)):
        if place.left_out is not None:
            left_out.append(place)
        elif merged and place.start < merged[-1][1] + (0 if rule.personal else _beside(reading, merged[-1][1])):
            merged[-1] = (merged[-1][0], max(place.end, merged[-1][1]))
        elif merged and place.end - merged[-1][0] <= rule.number("one_finding_within", 0):
            merged[-1] = (merged[-1][0], place.end)
        else:
            merged.append((place.start, place.end))
    return merged, left_out
