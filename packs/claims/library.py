"""The sources as passages that can be looked up. A passage is taken apart only when a claim comes near it."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from packs.claims.english import parse_english
from packs.claims.korean import parse_korean
from packs.claims.lexicon import word_list
from packs.claims.parsed import Parsed, Word
from packs.text.morphemes import inconsistent_names
from packs.text.sentences import sentence_spans

NEAREST = 6
_FEW = 40
_CONTEXT_BEFORE, _CONTEXT_AFTER = 2, 1
_MAX_PARSED_CHARS = 1_200
_MAX_NAMED_CHARS = 100_000
_KEY = re.compile(r"[가-힣]+|[A-Za-zÀ-ɏ]+|[0-9][0-9.,]*")
_COMMON = (
    word_list("english", "articles")
    | word_list("english", "be")
    | frozenset(("of", "in", "on", "at", "to", "and", "or", "it", "for", "by"))
)
_CAPITAL = re.compile(r"(?<![.!?:\"“|\n] )(?<!^)\b[A-Z][A-Za-z]+")


@dataclass(frozen=True)
class Source:
    index: int
    id: str
    title: str
    text: str


@dataclass(frozen=True)
class Passage:
    index: int
    source: Source
    start: int
    text: str


def is_korean(text: str) -> bool:
    """Whether Korean syllables carry the text."""
    korean = sum("가" <= character <= "힣" for character in text)
    latin = sum(character.isascii() and character.isalpha() for character in text)
    return korean * 2 >= latin and korean > 0


@lru_cache(maxsize=4_000)
def parse(text: str, names: frozenset[str] = frozenset()) -> Parsed:
    shown = text[:_MAX_PARSED_CHARS]
    return parse_korean(shown, names) if is_korean(shown) else parse_english(shown, names)


def keys(text: str) -> frozenset[str]:
    """Beginnings of words: enough to find where a claim could be answered."""
    found = set()
    for match in _KEY.finditer(text):
        word = match.group().lower()
        if word not in _COMMON:
            found.add(word[:2] if "가" <= word[0] <= "힣" else word[:5])
    return frozenset(found)


class Library:
    def __init__(self, sources: Sequence[Source], max_passages: int, claims: str = "") -> None:
        """`claims`: the text that will be held against the sources; names are recognised in both together."""
        self.sources = tuple(sources)
        self._claims = claims
        every = [
            (source, start, source.text[start:end]) for source in sources for start, end in sentence_spans(source.text)
        ]
        self.left_out = max(0, len(every) - max_passages)
        self.passages = tuple(
            Passage(index, source, start, text) for index, (source, start, text) in enumerate(every[:max_passages])
        )
        self._index: dict[str, list[int]] = defaultdict(list)
        for passage in self.passages:
            for key in keys(passage.text):
                self._index[key].append(passage.index)

    @cached_property
    def names(self) -> frozenset[str]:
        """Words written with a capital within a sentence: at the beginning of another they are names as well.

        In Korean, words that stand with several particles and that the analyser does not know.
        """
        texts = [*(source.text for source in self.sources), self._claims]
        capitals = frozenset(match.group() for source in self.sources for match in _CAPITAL.finditer(source.text))
        return capitals | inconsistent_names("\n".join(texts)[:_MAX_NAMED_CHARS])

    def near(self, claim: str, wanted: Iterable[int]) -> list[Passage]:
        """The passages of the wanted sources that share most with a claim; rare words count more."""
        sources = set(wanted)
        points: Counter[int] = Counter()
        for key in sorted(keys(claim)):
            places = self._index.get(key, ())
            for place in places:
                if self.passages[place].source.index in sources:
                    points[place] += 1_000 // (10 + len(places))
        mine = (
            [passage for passage in self.passages if passage.source.index in sources]
            if len(self.passages) <= 4 * _FEW
            else []
        )
        if mine and len(mine) <= _FEW:
            return sorted(mine, key=lambda passage: (-points[passage.index], passage.index))
        ranked = sorted(points.items(), key=lambda pair: (-pair[1], pair[0]))[:NEAREST]
        return [self.passages[place] for place, _ in ranked]

    def parsed(self, passage: Passage) -> Parsed:
        return parse(passage.text, self.names)

    def context(self, passage: Passage) -> list[Word]:
        """The words of the sentences around a passage and of its title."""
        first, last = passage.index - _CONTEXT_BEFORE, passage.index + _CONTEXT_AFTER
        around = [
            other
            for other in self.passages[max(0, first) : last + 1]
            if other.index != passage.index and other.source.index == passage.source.index
        ]
        words = [word for other in around for word in self.parsed(other).words]
        return words + list(parse(passage.source.title, self.names).words if passage.source.title else ())
