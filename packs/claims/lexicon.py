"""Which words mean the same and which exclude each other, from the lists in `words/`."""

import gzip
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib.resources import files


class Relation(StrEnum):
    SAME = "same"
    OPPOSITE = "opposite"
    COMPLEMENT = "complement"
    """Opposite, and there is no third possibility: "not valid" is "invalid"."""
    CONVERSE = "converse"
    """Opposite ends of one event: who buys, and who sells."""
    BROADER = "broader"
    """The claim's word holds the passage's: an animal for a dog. What is said of the dog is said of an animal."""
    NONE = "none"


# The pole of words that exclude the others of their line and say nothing of each other.
_UNRELATED = -1


@dataclass
class Lexicon:
    poles: dict[str, set[tuple[int, int]]] = field(default_factory=lambda: defaultdict(set))
    """Word -> (line, pole) pairs it stands in."""
    complements: set[int] = field(default_factory=set)
    converses: set[int] = field(default_factory=set)
    phrases: dict[str, list[tuple[str, ...]]] = field(default_factory=lambda: defaultdict(list))
    """First lemma -> phrases that begin with it, longest first."""

    def relation(self, one: str, other: str) -> Relation:
        if one == other:
            return Relation.SAME
        mine, theirs = self.poles.get(one), self.poles.get(other)
        if not mine or not theirs:
            return Relation.NONE
        same = any(pole != _UNRELATED for _, pole in mine & theirs)
        lines = {line for line, pole in mine for other, away in theirs if line == other and pole != away}
        if same and lines:
            return Relation.NONE  # the same in one sense, opposite in another: nothing can be said
        if same or not lines:
            return Relation.SAME if same else Relation.NONE
        if lines & self.complements:
            return Relation.COMPLEMENT
        return Relation.CONVERSE if lines & self.converses else Relation.OPPOSITE

    def knows(self, word: str) -> bool:
        return word in self.poles


@cache
def _lists(language: str) -> dict[str, str]:
    read: dict[str, str] = tomllib.loads(
        (files(__package__) / "words" / f"{language}.toml").read_text(encoding="utf-8")
    )
    return read


@cache
def word_list(language: str, name: str) -> frozenset[str]:
    """A list of `words/english.toml` or `words/korean.toml`."""
    return frozenset(_lists(language)[name].split())


@cache
def lexicon(language: str) -> Lexicon:
    read = Lexicon()
    text = (files(__package__) / "words" / f"{language}.txt").read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines()):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("="):
            read.complements.add(number)
        if line.startswith("~"):
            read.converses.add(number)
        for pole, word in _poles(line.lstrip("=~ ")):
            read.poles[word].add((number, pole))
            parts = tuple(word.split("_"))
            if len(parts) > 1 and parts not in read.phrases[parts[0]]:
                read.phrases[parts[0]].append(parts)
    for phrases in read.phrases.values():
        phrases.sort(key=len, reverse=True)
    return read


@cache
def wordnet() -> dict[tuple[str, str, str], Relation]:
    """Part of speech and two words, in both orders -> how their main senses relate. English only."""
    read = {}
    text = (files(__package__) / "words" / "wordnet.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line.startswith("#"):
            sign, one, other = line.split(" ")
            found = Relation.SAME if sign[1] == "=" else Relation.OPPOSITE
            read[sign[0], one, other] = read[sign[0], other, one] = found
    return read


@dataclass
class Kinds:
    """Which words hold which, and which words of two parts of speech say the same. English only."""

    broader: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    """Part of speech and word -> the words that hold it."""
    derived: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    """Part of speech and word -> `v:sell` for `sale`."""
    places: dict[str, str] = field(default_factory=dict)
    """`Danish` -> `Denmark`."""


@cache
def kinds() -> Kinds:
    read = Kinds()
    packed = (files(__package__) / "words" / "broader.txt.gz").read_bytes()
    for line in gzip.decompress(packed).decode().splitlines():
        if line.startswith("#"):
            continue
        part, word, *others = line.split(" ")
        if others[0].startswith("%"):
            read.places[word.lower()] = others[0][1:].lower()
            continue
        holders = frozenset(each for each in others if each[0] != "~")
        same = frozenset(each[1:] for each in others if each[0] == "~")
        if holders:
            read.broader[part, word] = holders
        if same:
            read.derived[part, word] = same
    return read


def _poles(line: str) -> Iterator[tuple[int, str]]:
    """The words of a line with their pole. Words after `!` exclude those before it and say nothing of each other."""
    named, _, excluded = line.partition("!")
    for pole, words in enumerate(named.split("|")):
        for word in words.split():
            yield pole, word
    for word in excluded.split():
        yield _UNRELATED, word
