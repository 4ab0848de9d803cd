"""Which words a language has: the word list inside Tesseract's own model, a graph of letters (DAWG).

A reading that is no word is worth less confidence; a blank inside a word is none.
"""

import functools
import math
import re
import struct

import numpy as np

from packs.ocr.models import MODELS

# Parts of a model file, by their place in its table.
_WORDS, _LETTERS = 19, 21
_HEAD = struct.Struct("<hii")
# Of an edge, above the bits of its letter.
_LAST_OF_NODE, _ENDS_WORD, _FLAG_BITS = 1, 4, 3
# Longer words of the Korean list are compounds of shorter ones.
MOST_SYLLABLES = 6
# What stands behind nouns and stems, and in no list of words.
_PARTICLES = frozenset("은는이가을를에의로과와도만서들고며나라요음함기")
_SYLLABLES = re.compile("[가-힣]{2,}")
_LATIN_WORD = re.compile("[A-Za-z]{3,}")


class Lexicon:
    def __init__(self, language: str) -> None:
        model = (MODELS / f"{language}.traineddata").read_bytes()
        letters = _part(model, _LETTERS).decode().splitlines()[1:]
        self._ids = {line.split(" ", 1)[0]: number for number, line in enumerate(letters)}
        words = _part(model, _WORDS)
        _, size, count = _HEAD.unpack_from(words)
        edges = np.frombuffer(words, "<u8", count, _HEAD.size)
        bits = math.ceil(math.log2(size + 1))
        self._letters = (edges & ((1 << bits) - 1)).astype(np.int32)
        flags = (edges >> bits) & ((1 << _FLAG_BITS) - 1)
        self._ends_word = (flags & _ENDS_WORD) != 0
        self._node_ends = np.flatnonzero(flags & _LAST_OF_NODE) + 1
        self._next = (edges >> (bits + _FLAG_BITS)).astype(np.int64)

    def spells(self, letter: str) -> bool:
        """Whether the model has the letter at all."""
        return letter in self._ids

    def has(self, word: str) -> bool:
        node, ends = 0, False
        for number, letter in enumerate(word):
            edge = self._edge(node, letter) if node or not number else None
            if edge is None:
                return False
            node, ends = int(self._next[edge]), bool(self._ends_word[edge])
        return ends

    def _edge(self, node: int, letter: str) -> int | None:
        """A node is the number of its first edge."""
        end = self._node_ends[np.searchsorted(self._node_ends, node, side="right")]
        found = np.flatnonzero(self._letters[node:end] == self._ids.get(letter, -1))
        return node + int(found[0]) if found.size else None


@functools.cache
def lexicon(language: str) -> Lexicon:
    """Loaded once in a process's life."""
    return Lexicon(language)


def has_unknown(word: str) -> bool:
    """Whether some of it is in no list: a syllable of Korean, a run of Latin letters."""
    runs = _SYLLABLES.findall(word)
    return any(_unknown_syllables(run) for run in runs) or any(not is_known(run) for run in _LATIN_WORD.findall(word))


def is_known(latin: str) -> bool:
    words = lexicon("eng")
    return any(words.has(form) for form in (latin, latin.lower(), latin.capitalize()))


def is_common_syllable(syllable: str) -> bool:
    return lexicon("kor").spells(syllable)


@functools.lru_cache(4_096)
def _unknown_syllables(run: str) -> int:
    """The fewest that are left when known words of two syllables or more are laid over it, a particle behind."""
    words = lexicon("kor")
    left = [0] + [len(run)] * len(run)
    for start in range(len(run)):
        left[start + 1] = min(left[start + 1], left[start] + 1)
        for end in range(start + 2, min(start + MOST_SYLLABLES, len(run)) + 1):
            if left[start] < left[end] and words.has(run[start:end]):
                left[end] = left[start]
    return min(left[-1], left[-2]) if run[-1] in _PARTICLES else left[-1]


def _part(model: bytes, number: int) -> bytes:
    (count,) = struct.unpack_from("<i", model)
    starts = struct.unpack_from(f"<{count}q", model, 4)
    ends = [start for start in (*starts, len(model)) if start > starts[number]]
    return model[starts[number] : min(ends)]
