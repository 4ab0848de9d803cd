"""How far a page speaks of a question: the share of the question's terms it has, on the whole and in one place.

Each term is looked for in the page's own script: as it stands, through the dictionary of common terms, or, for names,
as the other script spells their sound. A term that none of this can look for is left out of the share. Where too much
of the question had to be left out, the answer is that nobody knows.
"""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from packs.text.morphemes import english_lemma, morphemes
from packs.text.sentences import sentence_spans
from packs.url.terms import HANGUL, LATIN_WORD, UNSPACED, WORD, Kind, Term
from packs.url.transliteration import stands_for

MAX_JUDGED_CHARS = 60_000
PASSAGE_CHARS = {True: 300, False: 700}
"""Of a Korean page, and of any other: about three sentences."""
MIN_SCORE = 0.45
MIN_KNOWN_SHARE = 0.4
"""Of the question's weight, the least that must be looked for; below, the relevance is unknown."""
MENTIONED_ONCE = 0.7
WITHOUT_ITS_NAMES = 0.5
"""What is left of the score of a page that has none of the question's names."""
SPECIFIC_WEIGHT = 1.6

_NEAR_WORDS = 5
_MAX_SENTENCES_ANALYSED = 60
_MAX_SYLLABLES_HEARD = 6
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_ONE_DIGIT = re.compile("[0-9]")
_HANGUL_RUN = re.compile("[가-힣]{2,}")
_PARTICLES = frozenset(
    {"은", "는", "이", "가", "을", "를", "의", "에", "와", "과", "로", "도", "만", "나", "인", "들"}
    | {
        "에서",
        "에게",
        "으로",
        "부터",
        "까지",
        "보다",
        "처럼",
        "이나",
        "라고",
        "이란",
        "에는",
        "에도",
        "로는",
        "이며",
        "이고",
    }
    | {"이다", "라는", "들은", "들이", "들을", "사는", "사의", "사가", "에서는", "으로는", "이라는"}
)


@dataclass(frozen=True)
class Relevance:
    score: float | None
    """0-1; None where the page's script and the question's do not meet, or nothing was asked."""
    asked: int = 0
    found: int = 0
    quote: str = ""
    """Words of the page by which a language model says that it speaks of the question."""

    @property
    def is_unknown(self) -> bool:
        return self.score is None and self.asked > 0 and not self.quote


@dataclass
class Passages:
    """A page's title and the beginning of its text, with the places where terms of a question stand."""

    title: str
    text: str
    terms: tuple[Term, ...]
    places: Mapping[Term, Sequence[int]] = field(init=False)

    def __post_init__(self) -> None:
        self._whole = f"{self.title}\n{self.text[:MAX_JUDGED_CHARS]}"
        self.places = {term: self._places(term) for term in self.terms}

    def weight_within(self, start: int, end: int) -> float:
        """Of the terms that stand in this piece of `text`."""
        shift = len(self.title) + 1
        return sum(
            term.weight for term, places in self.places.items() if _any_within(places, start + shift, end + shift)
        )

    @cached_property
    def is_korean(self) -> bool:
        sample = self._whole[:4_000]
        return 3 * len(HANGUL.findall(sample)) >= len(_LATIN.findall(sample)) > 0 or (
            HANGUL.search(sample) is not None and not _LATIN.search(sample)
        )

    @cached_property
    def is_latin(self) -> bool:
        sample = self._whole[:4_000]
        letters = sum(character.isalpha() for character in sample)
        return not self.is_korean and 3 * len(_LATIN.findall(sample)) > 2 * letters

    def judged(self) -> Relevance:
        """How far the page speaks of the terms."""
        total = sum(term.weight for term in self.terms)
        known = [term for term in self.terms if self.places[term] or self._can_be_looked_for(term)]
        weight = sum(self._weight(term) for term in known)
        found = [term for term in known if self.places[term]]
        if not total or weight < MIN_KNOWN_SHARE * total:
            return Relevance(None, len(self.terms), len(found))
        whole = sum(term.weight * self._strength(term) for term in found) / weight
        score = (whole + self._best_passage(found) / weight) / 2
        names = [term for term in known if term.kind is Kind.NAME and not self._is_doubtful(term)]
        if names and not any(self.places[term] for term in names):
            score *= WITHOUT_ITS_NAMES
        return Relevance(round(score, 4), len(known), len(found))

    def _weight(self, term: Term) -> float:
        return term.weight / 2 if self._is_doubtful(term) else term.weight

    def _is_doubtful(self, term: Term) -> bool:
        """A Korean name that no Latin name of the page sounds like: it may have another one in English."""
        return term.is_hangul and not term.latin and not self.places[term] and not self.is_korean

    def _strength(self, term: Term) -> float:
        places = self.places[term]
        return 1.0 if len(places) > 1 or places[0] < len(self.title) else MENTIONED_ONCE

    def _best_passage(self, found: list[Term]) -> float:
        """The most weight within a few sentences; what the title says is said everywhere."""
        in_title = [term for term in found if self.places[term][0] < len(self.title)]
        rest = [term for term in found if term not in in_title]
        marks = sorted((place, number) for number, term in enumerate(rest) for place in self.places[term])
        best, first, inside = 0.0, 0, [0] * len(rest)
        for place, number in marks:
            inside[number] += 1
            while marks[first][0] < place - PASSAGE_CHARS[self.is_korean]:
                inside[marks[first][1]] -= 1
                first += 1
            best = max(best, sum(term.weight for term, count in zip(rest, inside, strict=True) if count))
        return best + sum(term.weight for term in in_title)

    def _can_be_looked_for(self, term: Term) -> bool:
        if term.kind is Kind.NUMBER or _ONE_DIGIT.fullmatch(term.text):
            return True
        if self.is_korean:
            return bool(term.hangul) or term.kind is Kind.NAME
        if self.is_latin:
            return bool(term.latin) or (term.is_hangul and term.kind is Kind.NAME)
        return not term.hangul and not term.latin and UNSPACED.search(self._whole) is not None

    # --- where a term stands

    def _places(self, term: Term) -> Sequence[int]:
        if term.kind is Kind.NUMBER or _ONE_DIGIT.fullmatch(term.text):
            return self._numbers.get(term.text.replace(",", ""), ())
        if not term.hangul and not term.latin:
            return [match.start() for match in re.finditer(re.escape(term.text), self._whole)]
        places = {place for words in term.latin for place in self._latin_places(words)}
        places |= {place for parts in term.hangul for place in self._hangul_places(parts)}
        return sorted(places or self._heard(term))

    def _latin_places(self, words: tuple[str, ...]) -> list[int]:
        """Where the words stand near each other, in any order."""
        if not words:
            return []
        indexes = [self._lemmas.get(word, ()) for word in words]
        return [
            self._words[first].start()
            for first in indexes[0]
            if all(_any_within(others, first - _NEAR_WORDS, first + _NEAR_WORDS + 1) for others in indexes[1:])
        ]

    def _hangul_places(self, parts: tuple[str, ...]) -> list[int]:
        pattern = re.compile(r"\s?".join(map(re.escape, parts)))
        matches = list(pattern.finditer(self._whole))
        if len("".join(parts)) > 2:
            return [match.start() for match in matches]
        # Two syllables also stand inside longer words (`자동` in `자동차`): there only morphemes tell.
        return [match.start() for match in matches if self._is_whole(*match.span())]

    def _is_whole(self, start: int, end: int) -> bool:
        span = self._spans[bisect_left(self._span_ends, end)] if self._spans else (0, 0)
        if span not in self._edges:
            if len(self._edges) >= _MAX_SENTENCES_ANALYSED:
                return True
            found = morphemes(self._whole[span[0] : span[1]])
            self._edges[span] = ({m.start + span[0] for m in found}, {m.end + span[0] for m in found})
        starts, ends = self._edges[span]
        return start in starts and end in ends

    def _heard(self, term: Term) -> set[int]:
        """Names and loan words as the other script spells them. Short ones sound like many others: they must be names,
        and come more than once."""
        if term.is_hangul and not term.latin and not self.is_korean:
            own = "".join(term.hangul[0])
            words = self._latin_words if len(own) > 2 else {n: p for n, p in self._names.items() if len(p) > 1}
            return {place for word, places in words.items() if stands_for(own, word) for place in places}
        if not term.is_hangul and not term.hangul and self.is_korean and len(term.text) > 3:
            return {
                place
                for word, places in self._hangul_words.items()
                if (len(word) > 2 or (len(places) > 1 and term.kind is Kind.NAME)) and stands_for(word, term.text)
                for place in places
            }
        return set()

    # --- the page's words, each kind when it is first needed

    @cached_property
    def _words(self) -> list[re.Match[str]]:
        return list(WORD.finditer(self._whole))

    @cached_property
    def _lemmas(self) -> Mapping[str, Sequence[int]]:
        found: dict[str, list[int]] = {}
        for index, match in enumerate(self._words):
            for spelling in {match.group().lower(), english_lemma(match.group())}:
                found.setdefault(spelling, []).append(index)
            if "-" in match.group():
                for part in match.group().split("-"):
                    found.setdefault(english_lemma(part), []).append(index)
            if HANGUL.search(match.group()):
                # A Korean particle is glued to a Latin name: `Slack은`.
                for part in LATIN_WORD.findall(match.group()):
                    found.setdefault(english_lemma(part), []).append(index)
        return found

    @cached_property
    def _numbers(self) -> Mapping[str, Sequence[int]]:
        found: dict[str, list[int]] = {}
        for match in re.finditer(r"[0-9]+(?:[.,][0-9]+)*", self._whole):
            found.setdefault(match.group().replace(",", ""), []).append(match.start())
        return found

    @cached_property
    def _names(self) -> Mapping[str, Sequence[int]]:
        """Words that are never written small."""
        small = {match.group() for match in self._words if match.group()[0].islower()}
        found: dict[str, list[int]] = {}
        for match in self._words:
            word = match.group()
            if word[0].isupper() and word.lower() not in small and _LATIN.match(word):
                found.setdefault(word.removesuffix("'s").removesuffix("’s"), []).append(match.start())
        return found

    @cached_property
    def _latin_words(self) -> Mapping[str, Sequence[int]]:
        found: dict[str, list[int]] = {}
        for match in self._words:
            found.setdefault(match.group().removesuffix("'s").removesuffix("’s"), []).append(match.start())
        return found

    @cached_property
    def _hangul_words(self) -> Mapping[str, Sequence[int]]:
        """Every word, and what stands before an ending that may be a particle."""
        found: dict[str, list[int]] = {}
        for match in _HANGUL_RUN.finditer(self._whole):
            word = match.group()
            for end in range(2, min(len(word), _MAX_SYLLABLES_HEARD) + 1):
                if end == len(word) or word[end:] in _PARTICLES:
                    found.setdefault(word[:end], []).append(match.start())
        return found

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        return list(sentence_spans(self._whole))

    @cached_property
    def _span_ends(self) -> list[int]:
        return [end for _, end in self._spans]

    @cached_property
    def _edges(self) -> dict[tuple[int, int], tuple[set[int], set[int]]]:
        return {}


def is_specific(terms: tuple[Term, ...]) -> bool:
    """Whether a question asks for something that a page can miss."""
    return sum(term.weight for term in terms) >= SPECIFIC_WEIGHT


def _any_within(places: Sequence[int], start: int, end: int) -> bool:
    index = bisect_left(places, start)
    return index < len(places) and places[index] < end
