"""What is assessed: claims, and the sources they are held against, in one form whatever the caller sent."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from packs.evaluate.quantities import Quantity, quantities, without
from packs.evaluate.sayings import Language
from packs.evaluate.words import covered_percent, is_korean, stems
from packs.text.folding import fold
from packs.text.sentences import sentence_spans

MAX_CLAIMS = 400
MAX_PASSAGES = 4_000
MIN_CLAIM_STEMS = 2

_NOT_A_CLAIM = re.compile(r"[?？]\s*$|^\s*(?:#|출처|source|참고|references?\b)", re.IGNORECASE)
_HEADING_MAX_CHARS = 40
_ENDS_LIKE_A_SENTENCE = re.compile(r"[.!。…”\"')\]]\s*$|[다요음함됨임]\s*$")


@dataclass(frozen=True)
class Sentence:
    text: str
    start: int
    """Offset in the text it was taken from; 0 for a claim that was given by itself."""

    @cached_property
    def plain(self) -> str:
        return fold(self.text).plain

    @cached_property
    def stems(self) -> frozenset[str]:
        return stems(without(self.plain, self.quantities))

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        return quantities(self.plain)

    @property
    def dates(self) -> frozenset[str]:
        return frozenset(each.value for each in self.quantities if each.unit == "date")

    @property
    def amounts(self) -> tuple[Quantity, ...]:
        return tuple(each for each in self.quantities if each.unit != "date")


@dataclass(frozen=True)
class Claim(Sentence):
    index: int
    cites: tuple[str, ...] = ()
    """Source ids the caller attached to this claim."""


@dataclass(frozen=True)
class Source:
    index: int
    id: str
    title: str
    url: str
    date: str
    text: str


@dataclass(frozen=True)
class Passage(Sentence):
    source: Source


@dataclass(frozen=True)
class Material:
    text: str
    """The whole text; claims given one by one are joined by line breaks."""
    sentences: tuple[Sentence, ...]
    claims: tuple[Claim, ...]
    sources: tuple[Source, ...]
    passages: tuple[Passage, ...]
    claims_left_out: int
    passages_left_out: int
    _index: dict[str, list[int]] = field(default_factory=dict)

    @cached_property
    def language(self) -> Language:
        """What is said about a Korean text is said in Korean."""
        return "ko" if is_korean(self.text) else "en"

    def nearest(self, claim: Sentence) -> tuple[Passage, int] | None:
        """The passage that covers most of a claim's words, and how many percent."""
        shared: Counter[int] = Counter()
        for word in sorted(claim.stems):
            shared.update(self._index.get(word, ()))
        if not shared:
            return None
        most = max(shared.values())
        best = self._most_agreeing(claim, [place for place, count in sorted(shared.items()) if count == most])
        return best, covered_percent(claim.stems, best.stems)

    def _most_agreeing(self, claim: Sentence, places: list[int]) -> Passage:
        """Of passages equally near in words, the first that has most of the claim's figures."""
        wanted = {each.key for each in claim.quantities}
        best, most = places[0], -1
        for place in places:
            agreeing = len(wanted & {each.key for each in self.passages[place].quantities})
            if agreeing > most:
                best, most = place, agreeing
            if agreeing == len(wanted):
                break
        return self.passages[best]

    @cached_property
    def figures_of(self) -> dict[int, frozenset[tuple[str, str]]]:
        """The figures of each source, by the source's place."""
        figures: dict[int, set[tuple[str, str]]] = defaultdict(set)
        for passage in self.passages:
            figures[passage.source.index].update(each.key for each in passage.quantities)
        return {place: frozenset(keys) for place, keys in figures.items()}


def read_sources(given: Sequence[str | Mapping[str, Any]]) -> tuple[Source, ...]:
    sources = []
    for index, each in enumerate(given):
        entry: Mapping[str, Any] = {"text": each} if isinstance(each, str) else each
        sources.append(
            Source(
                index=index,
                id=str(entry.get("id") or index + 1),
                title=str(entry.get("title") or ""),
                url=str(entry.get("url") or ""),
                date=str(entry.get("date") or ""),
                text=str(entry.get("text") or ""),
            )
        )
    return tuple(sources)


def is_claim(sentence: Sentence) -> bool:
    """Whether a sentence asserts something that could be checked: no question, heading or source line."""
    text = sentence.text
    if _NOT_A_CLAIM.search(text):
        return False
    if len(text) <= _HEADING_MAX_CHARS and not _ENDS_LIKE_A_SENTENCE.search(text) and not sentence.quantities:
        return False
    return len(sentence.stems) >= (1 if sentence.quantities else MIN_CLAIM_STEMS)


def read_material(
    text_or_claims: str | Sequence[str | Mapping[str, Any]], given_sources: Sequence[str | Mapping[str, Any]]
) -> Material:
    if isinstance(text_or_claims, str):
        text = text_or_claims
        sentences = tuple(Sentence(text[start:end], start) for start, end in sentence_spans(text))
        claims = [Claim(each.text, each.start, index) for index, each in enumerate(filter(is_claim, sentences))]
    else:
        claims = [_given_claim(index, each) for index, each in enumerate(text_or_claims)]
        text = "\n".join(claim.text for claim in claims)
        sentences = tuple(claims)
    sources = read_sources(given_sources)
    passages = [
        Passage(source.text[start:end], start, source)
        for source in sources
        for start, end in sentence_spans(source.text)
    ]
    kept = tuple(passages[:MAX_PASSAGES])
    index: dict[str, list[int]] = defaultdict(list)
    for place, passage in enumerate(kept):
        for word in sorted(passage.stems):
            index[word].append(place)
    return Material(
        text=text,
        sentences=sentences,
        claims=tuple(claims[:MAX_CLAIMS]),
        sources=sources,
        passages=kept,
        claims_left_out=max(0, len(claims) - MAX_CLAIMS),
        passages_left_out=max(0, len(passages) - MAX_PASSAGES),
        _index=dict(index),
    )


def _given_claim(index: int, given: str | Mapping[str, Any]) -> Claim:
    if isinstance(given, str):
        return Claim(given, 0, index)
    return Claim(str(given["text"]), 0, index, tuple(str(each) for each in given.get("source_ids", ())))
