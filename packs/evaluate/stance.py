"""Which side a statement takes on its subject, and when two statements oppose each other."""

from dataclasses import dataclass

from packs.evaluate.lexicon import NEGATION, OPPOSITES
from packs.evaluate.material import Sentence
from packs.evaluate.words import stem

SAME_SUBJECT_FROM = 70
MIN_SHARED_STEMS = 2

_SIDE = {
    stem(word): (pair, side)
    for pair, sides in enumerate(OPPOSITES)
    for side, words in enumerate(sides)
    for word in words
}


@dataclass(frozen=True)
class Stance:
    """A sentence without its direction, and its direction."""

    subject: frozenset[str]
    directions: frozenset[tuple[int, int]]
    negated: bool

    @classmethod
    def of(cls, sentence: Sentence) -> "Stance":
        directions = frozenset(_SIDE[word] for word in sentence.stems if word in _SIDE)
        subject = frozenset(word for word in sentence.stems if word not in _SIDE)
        return cls(subject, directions, len(NEGATION.findall(sentence.text)) % 2 == 1)

    def same_subject(self, other: "Stance") -> bool:
        shared = len(self.subject & other.subject)
        smaller = min(len(self.subject), len(other.subject))
        return shared >= MIN_SHARED_STEMS and shared * 100 >= smaller * SAME_SUBJECT_FROM

    def opposes(self, other: "Stance") -> bool:
        mine, theirs = dict(self.directions), dict(other.directions)
        shared = sorted(set(mine) & set(theirs))
        turned = any(mine[pair] != theirs[pair] for pair in shared)
        if not shared and (mine or theirs):
            return False  # one speaks of a direction, the other of something else
        return turned != (self.negated != other.negated)


def different_times(first: Sentence, second: Sentence) -> bool:
    return bool(first.dates and second.dates and not first.dates & second.dates)


def oppose(first: Sentence, second: Sentence) -> bool:
    """The same subject at the same time, and opposite sides."""
    one, other = Stance.of(first), Stance.of(second)
    return one.same_subject(other) and one.opposes(other) and not different_times(first, second)
