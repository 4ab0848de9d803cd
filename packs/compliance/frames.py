"""Claim frames: which words stand together in a sentence, in which order and how far apart.

A frame is one line a lawyer can read: `{disease} {cure}`, `환불|반품 ~10 안되|불가`. Elements stand in this order,
at most `~N` characters apart (without a number: 6 in Korean, 24 in English), never across the end of a sentence; `&`
allows both orders. An element is alternatives between bars, or `{name}`: a list of words kept in words.toml. `word-`
stands for all forms of a verb or noun, `^word` begins a word, `word$` ends one, `_` is a space in English, `?` after an
element makes it optional.
"""

import itertools
import operator
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property

from packs.compliance.normalise import View
from packs.compliance.word_forms import forms

KOREAN, ENGLISH = "ko", "en"
DEFAULT_GAP = {KOREAN: 6, ENGLISH: 24}
MAX_OCCURRENCES = 2_000

_GAP = re.compile(r"~([0-9]{1,2})")
_SHORTENED = re.compile(r"(?<=[a-z])'(s|re|ve|ll|d|m)\b")
_CONCEPT = re.compile(r"\{([a-z_]+)\}")
# What digits are needed for; everything else in a frame is words.
_NUMBERS = {
    "number": re.compile(r"[0-9][0-9,]{0,12}(?:\.[0-9]{1,3})?"),
    "percent": re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,2})? ?(?:%|퍼센트|프로(?!그|젝|모|필|세)|percent)"),
    "hundred_percent": re.compile(
        r"(?<![0-9])(?:100|1000|200|99\.9{1,3}) ?(?:%|퍼센트|프로(?!그|젝|모|필|세)|퍼(?=[가-힣])|percent)|(?:one|a) hundred percent|백(?:%|퍼센트|프로|퍼)|💯"  # noqa: E501
    ),
    "period": re.compile(
        r"[0-9]{1,3} ?(?:일|주일|주|개월|달|시간|분(?!기)|년|days?|weeks?|months?|hours?|minutes?|years?)"
        r"|(?:하루|이틀|사흘|나흘|열흘|보름|일주일|한달|두달|석달|한주|두주)"
        r"|(?:one|two|three|four|five|six|seven|ten|a|few) (?:days?|weeks?|months?|hours?|minutes?)"
    ),
    "weight": re.compile(r"[0-9]{1,3} ?(?:kg|킬로|키로|lbs?|pounds?|kilos?)"),
    "money": re.compile(
        r"[0-9][0-9,]{0,12}(?:천만|백만|십만|만|천|백|억)? ?원|[₩$] ?[0-9][0-9,.]{0,12}"
        r"|[0-9][0-9,.]{0,12} ?(?:won|krw|dollars?)"
    ),
    "age": re.compile(r"(?:만 ?)?[0-9]{1,2} ?(?:세|살)|age[ds]? [0-9]{1,2}"),
    "sign": re.compile(r"[→➡▶⇒▷>]|- >"),
    "superlative": re.compile(
        r"(?<= )(?:(?!(?:t|r|w|g|n|v|z|p|j|l|ch|qu|cr|inter|requ|for|gu|hon|lat|harv|inv|cont|sugg|prot|dig|mod|arr"
        r"|earn|manif|temp|inf|conqu|bequ|det|att|mid)est )[a-z]{1,11}est(?= )|most [a-z]{4,14}(?= ))"
    ),
}


class MalformedFrame(ValueError):
    """A frame names an unknown list of words or says nothing."""


@dataclass(frozen=True)
class Word:
    text: str
    starts: bool
    ends: bool

    @cached_property
    def bordered(self) -> bool:
        """Whether what stands beside it matters."""
        latin = self.text.isascii() and self.text.isalpha()
        return self.starts or self.ends or latin or "0" <= self.text[0] <= "9"


@dataclass(frozen=True)
class Element:
    key: str
    words: tuple[Word, ...]
    numbers: tuple[re.Pattern[str], ...]
    optional: bool
    by_head: Mapping[str, Sequence[Word]]
    """Its words by how they begin: a text without any of these beginnings holds none of them."""

    @cached_property
    def heads(self) -> frozenset[str]:
        return frozenset(self.by_head)


@dataclass(frozen=True, eq=False)
class Frame:
    text: str
    language: str
    negative: bool
    """Whether a negation is part of it ("never fails"): then a negation does not deny it."""
    orders: tuple[tuple[tuple[Element, int], ...], ...]
    """Each permitted order: elements with how far each may stand from the one before."""

    @cached_property
    def required_heads(self) -> tuple[frozenset[str], ...]:
        """Of each element that must be there: how its words begin. Most texts lack one of them."""
        elements = [element for element, _ in self.orders[0] if not element.optional and not element.numbers]
        return tuple(sorted((element.heads for element in elements), key=len))

    def may_stand_among(self, heads: Set[str]) -> bool:
        """Whether each required element begins like one of these words."""
        for needed in self.required_heads:  # noqa: SIM110 - a generator costs more than what it asks
            if needed.isdisjoint(heads):
                return False
        return True


class FrameIndex:
    """Which frames of many a text can meet at all: those of which each required element begins like a word of it."""

    def __init__(self, frames: Iterable[Frame]) -> None:
        self._always: set[Frame] = set()
        self._by_head: dict[str, dict[str, list[Frame]]] = {KOREAN: {}, ENGLISH: {}}
        for frame in frames:
            if not frame.required_heads:
                self._always.add(frame)
            else:
                for head in frame.required_heads[0]:
                    self._by_head[frame.language].setdefault(head, []).append(frame)

    def possible(self, matcher: "Matcher") -> Set[Frame]:
        found = set(self._always)
        for language in (KOREAN, ENGLISH):
            heads, by_head = matcher.heads(language), self._by_head[language]
            near = {frame for head in heads & by_head.keys() for frame in by_head[head]}
            found.update(frame for frame in near if frame.may_stand_among(heads))
        return found


Words = Mapping[str, Mapping[str, Sequence[str]]]


def parse_frame(text: str, language: str, words: Words) -> Frame:
    groups: list[list[tuple[Element, int]]] = [[]]
    gap = DEFAULT_GAP[language]
    for part in text.split():
        if part == "&":
            groups.append([])
        elif distance := _GAP.fullmatch(part):
            gap = int(distance[1])
            continue
        else:
            groups[-1].append((_element(part, language, words), gap))
        gap = DEFAULT_GAP[language]
    if any(not group for group in groups):
        raise MalformedFrame(f"{text!r} has an empty part")
    between = max((each[1] for group in groups[1:] for each in group[:1]), default=gap)
    orders = []
    for order in itertools.permutations(groups) if len(groups) > 1 else [tuple(groups)]:
        joined = [
            (element, between if place == 0 else apart)
            for group in order
            for place, (element, apart) in enumerate(group)
        ]
        orders.append(tuple(joined))
    negative = any(_negative(element, language) for group in groups for element, _ in group)
    return Frame(text, language, negative, tuple(orders))


_NEGATIVE_EN = frozenset(
    {
        "no",
        "not",
        "never",
        "cannot",
        "can't",
        "won't",
        "don't",
        "without",
        "nothing",
        "nobody",
        "none",
        "zero",
        "impossible",
        "couldn't",
        "doesn't",
        "didn't",
        "isn't",
        "aren't",
        "wouldn't",
        "needn't",
        "haven't",
        "neither",
        "nor",
    }
)
_NEGATIVE_KO = re.compile("없|않|못|안|아니")


def _negative(element: Element, language: str) -> bool:
    if element.optional or not element.words:
        return False
    if language == KOREAN:
        return all(_NEGATIVE_KO.search(word.text) for word in element.words)
    return all(_NEGATIVE_EN & set(word.text.split()) for word in element.words)


def _element(token: str, language: str, words: Words) -> Element:
    if "|" in token and token.endswith("?") and not token.endswith("|?"):
        raise MalformedFrame(f"{token!r}: only `|?` makes alternatives optional")
    optional = token.endswith("?") and len(token) > 1
    given = token[:-1] if optional else token
    alternatives: list[str] = []
    numbers: list[re.Pattern[str]] = []
    for part in given.split("|"):
        concept = _CONCEPT.fullmatch(part)
        if concept is None:
            alternatives.append(part)
        elif concept[1] in _NUMBERS:
            numbers.append(_NUMBERS[concept[1]])
        elif concept[1] in words:
            alternatives += words[concept[1]].get(language, ())
        else:
            raise MalformedFrame(f"no list of words is called {concept[1]!r}")
    found = tuple(dict.fromkeys(form for each in alternatives if each for form in _words(each, language)))
    if not found and not numbers:
        raise MalformedFrame(f"{token!r} holds no words for {language}")
    by_head: dict[str, list[Word]] = {}
    for word in found:
        by_head.setdefault(word.text.split(" ", 1)[0] if language == ENGLISH else word.text[:2], []).append(word)
    return Element(given, found, tuple(numbers), optional, by_head)


def _words(given: str, language: str) -> Iterator[Word]:
    starts, ends = given.startswith("^"), given.endswith("$")
    for form in forms(given.removeprefix("^").removesuffix("$")):
        text = _SHORTENED.sub(r" '\1", form.lower().replace("_", " ")) if language == ENGLISH else form.lower()
        text = text if language == ENGLISH else text.replace("_", "")
        yield Word(text, starts, ends)


@dataclass
class Matcher:
    """Finds frames in one text. What one element's search found is kept for the other frames that use it."""

    korean: View
    english: View
    lower: str
    _found: dict[tuple[str, str], list[tuple[int, int]]] = field(default_factory=dict)
    _spans: dict[tuple[str, str], list[tuple[int, int]]] = field(default_factory=dict)
    _numbers: dict[tuple[str, re.Pattern[str]], list[tuple[int, int]]] = field(default_factory=dict)

    def view(self, language: str) -> View:
        return self.korean if language == KOREAN else self.english

    def matches(self, frame: Frame) -> Iterator[tuple[int, int]]:
        """Spans in the frame's view."""
        if not frame.may_stand_among(self.heads(frame.language)):
            return
        for order in frame.orders:
            first = next((place for place, (element, _) in enumerate(order) if not element.optional), 0)
            if any(not element.optional and not self._occurrences(element, frame.language) for element, _ in order):
                continue
            text = self.view(frame.language).text
            for start, end in self._occurrences(order[first][0], frame.language):
                stop = self._rest(order[first + 1 :], end, text, frame.language)
                if stop is not None:
                    yield start, stop

    def _rest(self, rest: Sequence[tuple[Element, int]], end: int, text: str, language: str) -> int | None:
        for element, gap in rest:
            following = self._next(element, end, gap, text, language)
            if following is not None:
                end = following
            elif not element.optional:
                return None
        return end

    def _next(self, element: Element, end: int, gap: int, text: str, language: str) -> int | None:
        found = self._occurrences(element, language)
        place = bisect_left(found, (end, 0))
        if place == len(found) or found[place][0] > end + gap or "\n" in text[end : found[place][0]]:
            return None
        # Of alternatives that begin together the longest is meant.
        start = found[place][0]
        while place + 1 < len(found) and found[place + 1][0] == start:
            place += 1
        return found[place][1]

    def _occurrences(self, element: Element, language: str) -> list[tuple[int, int]]:
        key = language, element.key
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = sorted(dict.fromkeys(self._search(element, language)))
        return found

    def _search(self, element: Element, language: str) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for number in element.numbers:
            found += self._spans_of_number(number, language)
        for head in element.heads & self.heads(language):
            for word in element.by_head[head]:
                spans = self._spans_of(word.text, language)
                if spans and language == KOREAN and word.bordered:
                    spans = [span for span in spans if self._at_border(word, *span)]
                found += spans
        return found

    def _spans_of_number(self, number: re.Pattern[str], language: str) -> list[tuple[int, int]]:
        found = self._numbers.get((language, number))
        if found is None:
            matches = itertools.islice(number.finditer(self.view(language).text), MAX_OCCURRENCES)
            found = self._numbers[language, number] = [match.span() for match in matches]
        return found

    def _spans_of(self, word: str, language: str) -> list[tuple[int, int]]:
        """Where a word stands; many elements ask for the same."""
        found = self._spans.get((language, word))
        if found is None:
            starts = self._starts_in_english(word) if language == ENGLISH else self._starts_in_korean(word)
            length = len(word)
            found = [(start, start + length) for start in itertools.islice(starts, MAX_OCCURRENCES)]
            self._spans[language, word] = found
        return found

    # Thousands of words are looked for: each is compared only where the text has its beginning.
    def _starts_in_english(self, word: str) -> Iterable[int]:
        first, space, _ = word.partition(" ")
        starts = self._english_words.get(first, ())
        text, needle = self.english.text, word + " "
        return (start for start in starts if text.startswith(needle, start)) if space else starts

    def _starts_in_korean(self, word: str) -> Iterable[int]:
        starts = self._korean_pairs.get(word[:2], ())
        text = self.korean.text
        return (start for start in starts if text.startswith(word, start)) if len(word) > 2 else starts

    def heads(self, language: str) -> frozenset[str]:
        """How words of the text begin."""
        return self._english_heads if language == ENGLISH else self._korean_heads

    @cached_property
    def _english_heads(self) -> frozenset[str]:
        return frozenset(self._english_words)

    @cached_property
    def _korean_heads(self) -> frozenset[str]:
        return frozenset(self._korean_pairs)

    @cached_property
    def _english_words(self) -> Mapping[str, list[int]]:
        """Where each word of the English view begins."""
        found: dict[str, list[int]] = {}
        place = 0
        for word in self.english.text.split(" "):
            found.setdefault(word, []).append(place)
            place += len(word) + 1
        return found

    @cached_property
    def _korean_pairs(self) -> Mapping[str, list[int]]:
        """Where each two characters of the Korean view stand together, and each single one."""
        text = self.korean.text
        found: dict[str, list[int]] = {}
        for beginnings in (text, map(operator.add, text, text[1:])):
            for place, beginning in enumerate(beginnings):
                found.setdefault(beginning, []).append(place)
        return found

    def _at_border(self, word: Word, start: int, end: int) -> bool:
        places = self.korean.places
        before, after = places[start] - 1, places[end - 1] + 1
        if "0" <= word.text[0] <= "9" and before >= 0 and self.lower[before] in "0123456789,.":
            return False  # `0원` is not meant in `9,900원`
        latin = word.text.isascii() and word.text.isalpha()
        if latin and (_latin(self.lower, before) or _latin(self.lower, after)):
            return False  # `ai` is not meant in `said`
        if word.starts and before >= 0 and _joined(self.lower[before]):
            return False
        return not (word.ends and after < len(self.lower) and _joined(self.lower[after]))


def _latin(text: str, place: int) -> bool:
    return 0 <= place < len(text) and "a" <= text[place] <= "z"


def _joined(character: str) -> bool:
    return "가" <= character <= "힣" or "a" <= character <= "z"
