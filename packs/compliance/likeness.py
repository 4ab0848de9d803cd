"""Sentences that resemble the examples of a rule more than those of any other rule or of lawful texts.

Claim frames find what a lawyer thought of; a paraphrase shares some words with several examples and all words with
none. So every sentence gets a mark for each rule, and one for lawfulness, from the pieces of words in it and from what
its words mean. How much each counts was learnt from all examples of the rulebook (`python -m bench.packs.likeness`, a
least-squares fit) and is stored in `learnt/likeness.npz`: a text is read, nothing is learnt from it.
"""

import io
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from packs.compliance.examples import LAWFUL
from packs.compliance.meaning import ENGLISH, KOREAN, meaning
from packs.compliance.normalise import undisguised
from packs.compliance.rules import rulebook
from packs.text.sentences import sentence_spans

MAX_SENTENCES = 300
"""Of a long text only so many different sentences are compared: the time it takes stays small."""
UNKNOWN_COUNTS = 0.5
"""A piece that no example has counts half: a sentence about something else shares little of itself."""
LAWFUL_COUNTS = 0.7
_LEAST_MARK = {
    ("ad", KOREAN): 0.14,
    ("ad", ENGLISH): 0.17,
    ("policy", KOREAN): 0.14,
    ("policy", ENGLISH): 0.17,
    ("ai_output", KOREAN): 0.2,
    ("ai_output", ENGLISH): 0.22,
    ("general", KOREAN): 0.2,
    ("general", ENGLISH): 0.22,
}
"""How far the best rule must be ahead of lawfulness; chosen so that about two of a hundred everyday sentences are
mistaken. An advertisement or a policy is more likely to break a rule."""
_LAWFUL_AHEAD = 0.3
"""How far lawfulness must be ahead of a rule to set its frames aside."""
COMPARED = ("wording", "absent")
_FEWEST_PIECES = 6
CLEAR = 0.35
"""So far ahead a rule is believed where another rule's frame is met, too, and in a short sentence."""
_FOREIGN = 0.05
"""A frame of a rule with a mark below is met by chance where another rule is clear."""
_SHORTEST = {KOREAN: 8, ENGLISH: 12}
"""Letters and digits below which a sentence says too little to be compared."""
_SHORT = {KOREAN: 12, ENGLISH: 20}
_LONGEST_SENTENCE = 400

# A masked number is a number.
_WORD = re.compile(r"[가-힣]+|[a-z']+|[0-9]+|\*{2,20}")
_SYLLABLE = re.compile("[가-힣]")
_STEM_CHARS, _SHORT_STEM_CHARS = 5, 4
_DIGITS = "#"


def pieces(lower: str) -> list[str]:
    """What two sentences can share: up to three syllables in a row, with and without the space between words; English
    words, their beginnings and pairs."""
    words = _WORD.findall(lower)
    korean = [word for word in words if word >= "가"]
    english = [word for word in words if word[0] >= "a" and word < "가"]
    joined = "".join(_DIGITS if word[0] <= "9" else word for word in words if word[0] <= "9" or word >= "가")
    found = {joined[place : place + size] for size in (1, 2, 3) for place in range(len(joined) - size + 1)}
    for word in korean:
        bordered = f"^{word}$"
        found.update(bordered[place : place + size] for size in (2, 3) for place in range(len(bordered) - size + 1))
    found.update(f"{one[:2]} {two[:2]}" for one, two in itertools.pairwise(korean))
    found.update(english)
    found.update(f"{word[:_STEM_CHARS]}-" for word in english)
    found.update(f"{word[:_SHORT_STEM_CHARS]}~" for word in english)
    found.update(f"{one} {two}" for one, two in itertools.pairwise(english))
    if "?" in lower:
        found.add("?")
    return sorted(found)  # sums of floats depend on their order


def fingerprint(given: list[str]) -> int:
    return crc32("\n".join(given).encode())


@dataclass(frozen=True)
class Learnt:
    labels: tuple[str, ...]
    rows: Mapping[str, int]
    rarity: NDArray[np.float32]
    """Of each piece: the fewer examples have it, the more it says."""
    rarest: float
    weights: NDArray[np.int8]
    """Of each piece for each label, in units of `units`."""
    units: NDArray[np.float32]
    word_rarity: Mapping[str, NDArray[np.float32]]
    by_meaning: Mapping[str, NDArray[np.float32]]
    """By language: of each product of two numbers of a sentence's vector, for each label."""
    examples: Mapping[int, str]
    """Fingerprints of the examples themselves: such a sentence is what it is."""
    learnt_from: str

    def marks(self, lower: str, given: list[str]) -> NDArray[np.float32] | None:
        """One for each label; None where too little of the sentence is known."""
        known = [self.rows[piece] for piece in given if piece in self.rows]
        if len(known) < _FEWEST_PIECES:
            return None
        rarity = self.rarity[known]
        unknown = UNKNOWN_COUNTS * (len(given) - len(known)) * self.rarest**2
        shares = self.units[known] * rarity / np.float32(np.sqrt(rarity @ rarity + unknown))
        marks: NDArray[np.float32] = shares @ self.weights[known].astype(np.float32)
        language = language_of(lower)
        vector = meaning(lower, language, self.word_rarity[language])
        return marks if vector is None else marks + squared(vector) @ self.by_meaning[language]

    def judge(self, lower: str, among: NDArray[np.intp] | None = None) -> "Judgement":
        """`among`: the places of the labels that come into question, without lawfulness."""
        lower = undisguised(lower)
        given = pieces(lower)
        if (label := self.examples.get(fingerprint(given))) is not None:
            return Judgement(label, 1.0, None)
        marks = self.marks(lower, given)
        if marks is None:
            return Judgement(LAWFUL, 0.0, None)
        lawful = max(0.0, float(marks[0]))
        best = 1 + int(np.argmax(marks[1:])) if among is None else int(among[np.argmax(marks[among])])
        ahead = float(marks[best]) - LAWFUL_COUNTS * lawful
        return Judgement(*((self.labels[best], ahead) if ahead > 0 else (LAWFUL, lawful)), marks)

    def mark(self, judgement: "Judgement", rule: str) -> float:
        """How far a rule is ahead of lawfulness (below zero: behind) in a sentence that was judged."""
        if judgement.marks is None or rule not in self.labels:
            return -judgement.clearly if judgement.label == LAWFUL else 0.0
        return float(judgement.marks[self.labels.index(rule)] - judgement.marks[0])


@dataclass(frozen=True)
class Judgement:
    """The rule a sentence resembles most, and how clearly; `LAWFUL` where it resembles none."""

    label: str
    clearly: float
    marks: NDArray[np.float32] | None


def squared(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """All products of two numbers of a vector, so that a weighted sum of them is a squared likeness."""
    upper, once = _pairs(len(vector))
    products: NDArray[np.float32] = np.outer(vector, vector)[upper] * once
    return products


@cache
def _pairs(size: int) -> tuple[tuple[NDArray[np.intp], NDArray[np.intp]], NDArray[np.float32]]:
    rows, columns = np.triu_indices(size)
    return (rows, columns), np.where(rows == columns, 1.0, np.sqrt(2.0)).astype(np.float32)


def language_of(lower: str) -> str:
    return KOREAN if _SYLLABLE.search(lower) else ENGLISH


@cache
def learnt() -> Learnt:
    stored = np.load(io.BytesIO((files(__package__) / "learnt" / "likeness.npz").read_bytes()))

    def text(name: str) -> list[str]:
        joined: str = stored[name].tobytes().decode()
        return joined.split("\n")

    labels = tuple(text("labels"))
    return Learnt(
        labels,
        {piece: row for row, piece in enumerate(text("pieces"))},
        stored["rarity"],
        float(stored["rarest"]),
        stored["weights"],
        stored["units"],
        {language: stored[f"{language}_rarity"] for language in (KOREAN, ENGLISH)},
        {
            language: stored[f"{language}_meaning"].astype(np.float32) * stored[f"{language}_units"]
            for language in (KOREAN, ENGLISH)
        },
        dict(zip(stored["fingerprints"].tolist(), (labels[number] for number in stored["label_of"]), strict=True)),
        text("learnt_from")[0],
    )


def _too_short(sentence: str) -> bool:
    return sum(map(str.isalnum, sentence)) < _SHORTEST[language_of(sentence)]


Judged = dict[str, Judgement]


@cache
def comparable(kind: str) -> NDArray[np.intp]:
    """Places of the rules for a kind of text about which likeness says anything: an amount decides some rules, and
    personal data has a form of its own."""
    rules = (rule for rule in rulebook().rules if kind in rule.kinds and not rule.personal)
    worded = {rule.id for rule in rules if rule.detector in COMPARED and not rule.parameters.get("never_compared")}
    return np.array([place for place, label in enumerate(learnt().labels) if label in worded], dtype=np.intp)


def judged(plain: str, lower: str, kind: str, known: Judged) -> Iterator[tuple[int, int, Judgement]]:
    """Every sentence that can be compared with the examples. `known` remembers them across readings of one text: a
    second review meets most of them again."""
    compared = 0
    for start, end in sentence_spans(plain):
        sentence = lower[start:end]
        if len(sentence) > _LONGEST_SENTENCE or _too_short(sentence):
            continue
        if sentence not in known:
            if compared >= MAX_SENTENCES:
                break
            compared += 1
            known[sentence] = learnt().judge(sentence, comparable(kind))
        yield start, end, known[sentence]


def likenesses(
    sentences: Iterable[tuple[int, int, Judgement]], lower: str, kind: str
) -> dict[str, list[tuple[int, int]]]:
    """By rule: the sentences that resemble its examples."""
    found: dict[str, list[tuple[int, int]]] = {}
    for start, end, judgement in sentences:
        sentence = lower[start:end]
        language = language_of(sentence)
        short = sum(map(str.isalnum, sentence)) < _SHORT[language]
        if judgement.label and judgement.clearly >= (CLEAR if short else _LEAST_MARK[kind, language]):
            found.setdefault(judgement.label, []).append((start, end))
    return found


def set_aside(rule: str, judgement: Judgement) -> bool:
    """Whether a frame of the rule is met by chance: the sentence looks lawful, or clearly like another rule."""
    if judgement.marks is not None and judgement.label not in (LAWFUL, rule) and judgement.clearly >= CLEAR:
        own = judgement.marks[learnt().labels.index(rule)] if rule in learnt().labels else 1.0
        return bool(own < _FOREIGN)
    return learnt().mark(judgement, rule) <= -_LAWFUL_AHEAD
