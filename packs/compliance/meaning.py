"""What a sentence is about, as a vector: words that are used alike have vectors that point the same way.

`learnt/words.npz` is written by `python -m bench.packs.word_vectors`: English words as GloVe has them, Korean ones by
how alike an analyser's language model holds them. A sentence is the sum of its words, rare ones counting more.
"""

import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

KOREAN, ENGLISH = "ko", "en"
_WORD = {KOREAN: re.compile("[가-힣]{2,40}"), ENGLISH: re.compile("[a-z]{2,30}")}
_LONGEST_STEM = 7

Vector = NDArray[np.float32]


@dataclass(frozen=True)
class Words:
    rows: Mapping[str, int]
    vectors: NDArray[np.int8]

    @property
    def size(self) -> int:
        return int(self.vectors.shape[1])


@cache
def words_of(language: str) -> Words:
    stored = np.load(io.BytesIO((files(__package__) / "learnt" / "words.npz").read_bytes()))
    known = stored[f"{language}_words"].tobytes().decode().split("\n")
    return Words({word: row for row, word in enumerate(known)}, stored[f"{language}_vectors"])


def known_words(lower: str, language: str) -> Iterator[int]:
    """Rows of the words that have a vector; a Korean word is read as the known stems it is made of."""
    rows = words_of(language).rows
    for found in _WORD[language].finditer(lower):
        word = found.group()
        if language == ENGLISH:
            if word in rows:
                yield rows[word]
            continue
        place = 0
        while place < len(word) - 1:
            for size in range(min(_LONGEST_STEM, len(word) - place), 1, -1):
                if word[place : place + size] in rows:
                    yield rows[word[place : place + size]]
                    place += size
                    break
            else:
                place += 1


def meaning(lower: str, language: str, weights: NDArray[np.float32]) -> Vector | None:
    """Of length one; `weights` says how much each word counts. None where no word is known."""
    rows = list(known_words(lower, language))
    if not rows:
        return None
    added: Vector = weights[rows] @ words_of(language).vectors[rows].astype(np.float32)
    length = float(np.sqrt(added @ added))
    return added / np.float32(length) if length else None
