"""Sentences that resemble the examples of a rule more than those of any other rule or of lawful texts.

Claim frames find what a lawyer thought of; a paraphrase shares some words with several examples and all words with
none. So each sentence is compared with every example of the rulebook (`examples.txt`, the `hits` and the `near_misses`)
by the pieces of words they share, rare pieces counting more, and its nearest examples vote. Lawful examples vote too.
"""

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from packs.compliance.normalise import read
from packs.compliance.rules import Rulebook, rulebook
from packs.text.sentences import sentence_spans

LAWFUL = ""
MAX_SENTENCES = 300
"""Of a long text only so many different sentences are compared: the time it takes stays small."""
_NEIGHBOURS = 7
_NEAR_ENOUGH = 0.35
"""Likeness (cosine of the pieces that examples know) at which the nearest lawful example counts in full."""
_NEAR_AS_A_WHOLE = 0.3
"""The same for a rule's example, unknown pieces included: a sentence about something else shares little of itself."""
_SAME = 0.95
"""Above this the sentence is the example itself, and no other has a say."""
_LEAST_VOTE = 0.5
_LAWFUL_VOTE = 0.7
"""How clearly lawful examples must agree to set a frame aside."""
_FEWEST_PIECES = 6
_SHORTEST = {"ko": 12, "en": 20}
"""Letters and digits below which a sentence says too little to be compared."""
_LONGEST_SENTENCE = 400

_HEAD = re.compile(r"\[([A-Z-]+) ([a-z_]+)\]")
# A masked number is a number.
_WORD = re.compile(r"[가-힣]+|[a-z']+|[0-9]+|\*{2,20}")
_SYLLABLE = re.compile("[가-힣]")
_STEM_CHARS = 5
_DIGITS = "#"


@dataclass(frozen=True)
class Example:
    text: str
    rule: str
    kind: str


def written_examples() -> Iterator[Example]:
    """`examples.txt`: one a line below `[RULE kind]`; a line that begins with `- ` is lawful."""
    rule = kind = LAWFUL
    body = (files(__package__) / "rulebook" / "examples.txt").read_text(encoding="utf-8")
    for line in body.splitlines():
        if head := _HEAD.fullmatch(line):
            rule, kind = head.groups()
        elif line.startswith("- "):
            yield Example(line[2:], LAWFUL, kind)
        elif line and not line.startswith("#"):
            yield Example(line, rule, kind)


def _examples(book: Rulebook) -> Iterator[tuple[str, str]]:
    for rule in book.rules:
        if rule.detector in ("wording", "absent") and not rule.personal:
            yield from ((hit.replace("[[", "").replace("]]", ""), rule.id) for hit in rule.hits)
            yield from ((text, LAWFUL) for text in rule.near_misses)
    yield from ((each.text, each.rule) for each in written_examples())


def pieces(lower: str) -> frozenset[str]:
    """What two sentences can share: two and three syllables in a row, with and without the space between words; English
    words, their beginnings and pairs."""
    words = _WORD.findall(lower)
    korean = [word for word in words if word >= "가"]
    english = [word for word in words if word[0] >= "a" and word < "가"]
    joined = "".join(_DIGITS if word[0] <= "9" else word for word in words if word[0] <= "9" or word >= "가")
    found = {joined[place : place + size] for size in (2, 3) for place in range(len(joined) - size + 1)}
    for word in korean:
        bordered = f"^{word}$"
        found.update(bordered[place : place + size] for size in (2, 3) for place in range(len(bordered) - size + 1))
    found.update(f"{one[:2]} {two[:2]}" for one, two in itertools.pairwise(korean))
    found.update(english)
    found.update(f"{word[:_STEM_CHARS]}-" for word in english)
    found.update(f"{one} {two}" for one, two in itertools.pairwise(english))
    return frozenset(found)


@dataclass(frozen=True)
class Index:
    """Which examples hold a piece, and how much it weighs in each."""

    labels: tuple[str, ...]
    weights: Mapping[str, float]
    holders: Mapping[str, tuple[NDArray[np.int32], NDArray[np.float64]]]

    def vote(self, given: frozenset[str], *, but: int | None = None) -> tuple[str, float]:
        """The rule that the nearest examples agree on, and how clearly (0 to 1); `but` leaves one example out."""
        known = [piece for piece in given if piece in self.weights]
        if len(known) < _FEWEST_PIECES:
            return LAWFUL, 0.0
        known.sort()  # sums of floats depend on their order
        squares = sum(self.weights[piece] ** 2 for piece in known)
        norm = squares**0.5
        covered = (squares / (squares + (len(given) - len(known)) * np.log(len(self.labels)) ** 2)) ** 0.5
        places = np.concatenate([self.holders[piece][0] for piece in known])
        shares = np.concatenate([self.holders[piece][1] * (self.weights[piece] / norm) for piece in known])
        likeness = np.bincount(places, shares, len(self.labels))
        if but is not None:
            likeness[but] = 0.0
        nearest = np.argpartition(-likeness, _NEIGHBOURS)[:_NEIGHBOURS]
        nearest = nearest[np.lexsort((nearest, -likeness[nearest]))]
        if likeness[nearest[0]] > _SAME:
            return self.labels[nearest[0]], 1.0
        votes: dict[str, float] = {}
        for place in nearest:
            label = self.labels[place]
            votes[label] = votes.get(label, 0.0) + float(likeness[place]) ** 2
        chosen = max(votes, key=lambda label: (votes[label], label))
        agreed = votes[chosen] / (sum(votes.values()) or 1.0)
        near = float(likeness[nearest[0]])
        strength = near / _NEAR_ENOUGH if chosen == LAWFUL else near * float(covered) / _NEAR_AS_A_WHOLE
        return chosen, agreed * min(1.0, strength)


def index_of(examples: Sequence[tuple[str, str]]) -> Index:
    held = [pieces(read(text).lower) for text, _ in examples]
    counts = Counter(piece for each in held for piece in each)
    weights = {piece: float(np.log(len(examples) / count)) for piece, count in sorted(counts.items()) if count > 1}
    places: dict[str, list[int]] = {piece: [] for piece in weights}
    shares: dict[str, list[float]] = {piece: [] for piece in weights}
    for place, each in enumerate(held):
        known = sorted(piece for piece in each if piece in weights)
        norm = sum(weights[piece] ** 2 for piece in known) ** 0.5 or 1.0
        for piece in known:
            places[piece].append(place)
            shares[piece].append(weights[piece] / norm)
    holders = {
        piece: (np.array(places[piece], dtype=np.int32), np.array(shares[piece], dtype=np.float64)) for piece in weights
    }
    return Index(tuple(label for _, label in examples), weights, holders)


@cache
def index() -> Index:
    """Built at its first use, from the rulebook's own examples."""
    return index_of(tuple(dict.fromkeys(_examples(rulebook()))))


def _too_short(sentence: str) -> bool:
    language = "ko" if _SYLLABLE.search(sentence) else "en"
    return sum(map(str.isalnum, sentence)) < _SHORTEST[language]


def likenesses(plain: str, lower: str, known: dict[str, str | None] | None = None) -> dict[str, list[tuple[int, int]]]:
    """By rule: the sentences whose nearest examples agree on it; under `LAWFUL` those that resemble lawful ones.

    `known` remembers sentences across readings of one text: a second review meets most of them again.
    """
    found: dict[str, list[tuple[int, int]]] = {}
    known = {} if known is None else known
    compared = 0
    for start, end in sentence_spans(plain):
        sentence = lower[start:end]
        if len(sentence) > _LONGEST_SENTENCE or _too_short(sentence):
            continue
        if sentence not in known:
            if compared >= MAX_SENTENCES:
                break
            compared += 1
            rule, agreed = index().vote(pieces(sentence))
            known[sentence] = rule if agreed >= (_LEAST_VOTE if rule else _LAWFUL_VOTE) else None
        label = known[sentence]
        if label is not None:
            found.setdefault(label, []).append((start, end))
    return found
