"""A text as the detectors see it: folded, in two views, with its identifiers, quotations and sentences; each once."""

import re
from bisect import bisect_right
from collections.abc import Set
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter

from packs.compliance.frames import ENGLISH, KOREAN, Frame, Matcher
from packs.compliance.identifiers import Identified, identify, with_digits
from packs.compliance.likeness import CLEAR, Judged, Judgement, judged, likenesses, set_aside
from packs.compliance.normalise import Views, read
from packs.compliance.rules import rulebook
from packs.compliance.spans import Span
from packs.compliance.stance import holds, place_in, quoted_spans, stance, stance_in_english
from packs.text.folding import Folded
from packs.text.quotations import quoted_passages
from packs.text.sentences import SENTENCE_END

_LONGEST_WORD = 30
"""A text without spaces is no word: what is read around each of its places stays small."""
_HANGUL = re.compile("[가-힣]")
_LATIN = re.compile("[a-z]")


@dataclass(frozen=True)
class Reading:
    """Spans are in the folded text; `original` leads back to the text as it was given."""

    folded: Folded
    kind: str
    compared: Judged = field(default_factory=dict)
    """Sentences that were compared with the examples, and what they resemble."""
    _answers: dict[re.Pattern[str], bool] = field(default_factory=dict)
    _touched: dict[re.Pattern[str], bool] = field(default_factory=dict)

    @property
    def plain(self) -> str:
        return self.folded.plain

    @property
    def lower(self) -> str:
        return self.folded.lower

    @cached_property
    def views(self) -> Views:
        return Views(self.folded)

    @cached_property
    def digits(self) -> str:
        """The text with every way to write a digit as that digit; as long as `plain`."""
        return with_digits(self.plain)

    @cached_property
    def identified(self) -> tuple[Identified, ...]:
        return identify(self.digits)

    @cached_property
    def quoted(self) -> tuple[Span, ...]:
        return tuple(quoted_passages(self.plain))

    @cached_property
    def quotes(self) -> tuple[Span, ...]:
        return quoted_spans(self.lower)

    @cached_property
    def matcher(self) -> Matcher:
        return Matcher(self.views.korean, self.views.english, self.lower)

    @cached_property
    def possible(self) -> Set[Frame]:
        """The rulebook's frames that the text can meet at all."""
        return rulebook().frames.possible(self.matcher)

    @cached_property
    def judged(self) -> tuple[tuple[int, int, Judgement], ...]:
        """Its sentences, compared with the examples."""
        return tuple(judged(self.plain, self.lower, self.kind, self.compared))

    @cached_property
    def likenesses(self) -> dict[str, list[Span]]:
        """By rule: sentences that resemble its examples."""
        return likenesses(self.judged, self.lower, self.kind)

    def judgement_of(self, span: Span) -> Judgement | None:
        """Of the sentence around the span."""
        place = bisect_right(self.judged, span[0], key=itemgetter(0)) - 1
        if place < 0:
            return None
        start, end, judgement = self.judged[place]
        return judgement if start <= span[0] and span[1] <= end else None

    def by_chance(self, span: Span, rule: str) -> bool:
        """Whether the sentence around the span looks lawful, or clearly like another rule."""
        judgement = self.judgement_of(span)
        return judgement is not None and set_aside(rule, judgement)

    def clear(self, span: Span) -> bool:
        """Whether the sentence resembles its rule so much that another rule's frame does not matter."""
        judgement = self.judgement_of(span)
        return judgement is not None and judgement.clearly >= CLEAR

    @cached_property
    def language(self) -> str:
        return KOREAN if len(_HANGUL.findall(self.plain)) * 5 >= len(self.plain.replace(" ", "")) else ENGLISH

    @cached_property
    def _letters(self) -> frozenset[str]:
        scripts = {KOREAN: _HANGUL.search(self.plain), ENGLISH: _LATIN.search(self.lower)}
        return frozenset(language for language, found in scripts.items() if found)

    def has_letters_of(self, language: str) -> bool:
        return language in self._letters

    def framed(self, frame: Frame) -> list[Span]:
        """Where a frame is met."""
        view = self.matcher.view(frame.language)
        return [view.span(start, end) for start, end in self.matcher.matches(frame)]

    def whole_words(self, start: int, end: int) -> Span:
        """The span, from the beginning of its first word to the end of its last."""
        first, last = max(0, start - _LONGEST_WORD), min(len(self.plain), end + _LONGEST_WORD)
        while start > first and _inside_word(self.plain[start - 1], self.plain[start]):
            start -= 1
        while end < last and _inside_word(self.plain[end - 1], self.plain[end]):
            end += 1
        return start, end

    def stance(self, span: Span) -> str | None:
        """Why the words at the span are not the text's own; None if they are."""
        news = self.kind == "general"
        if _HANGUL.search(self.plain, *span):
            return stance(place_in(self.views.korean, span, self.quotes), news=news)
        return stance_in_english(place_in(self.views.english, span, self.quotes), news=news)

    def says(self, patterns: tuple[re.Pattern[str], ...]) -> bool:
        """Whether any of the patterns occurs anywhere and is not taken back."""
        for pattern in patterns:
            if pattern not in self._answers:
                self._answers[pattern] = holds(pattern, self.lower)
            if self._answers[pattern]:
                return True
        return False

    def touches(self, patterns: tuple[re.Pattern[str], ...]) -> bool:
        """As `says`, also where spaces or marks take the words apart."""
        return self.says(patterns) or any(self._stands(pattern) for pattern in patterns)

    def _stands(self, pattern: re.Pattern[str]) -> bool:
        if pattern not in self._touched:
            self._touched[pattern] = pattern.search(self.views.korean.text) is not None
        return self._touched[pattern]

    def near(self, start: int, end: int, chars: int) -> str:
        """The match with what surrounds it in its sentence, at most `chars` on each side."""
        before = self.lower[max(0, start - chars) : start]
        after = self.lower[end : end + chars]
        ends = [match.end() for match in SENTENCE_END.finditer(before)]
        stop = SENTENCE_END.search(after)
        return before[ends[-1] if ends else 0 :] + self.lower[start:end] + (after[: stop.start()] if stop else after)

    def around(self, start: int, end: int, chars: int) -> str:
        """As `near`, across sentence ends: a label may stand on the line above."""
        return self.lower[max(0, start - chars) : end + chars]


def _inside_word(left: str, right: str) -> bool:
    korean = "가" <= left <= "힣" and "가" <= right <= "힣"
    return korean or (left.isascii() and right.isascii() and left.isalnum() and right.isalnum())


def reading_of(text: str, kind: str, compared: Judged | None = None) -> Reading:
    return Reading(read(text), kind, {} if compared is None else compared)
