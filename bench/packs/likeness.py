"""Writes `packs/compliance/learnt/likeness.npz` from the examples of the rulebook: `python -m bench.packs.likeness`.

A least-squares fit with one mark for each rule and one for lawfulness. Two sentences are alike by the pieces they
share, rare ones counting more, and by the square of how alike their meanings are. The fit has the form of weights for
pieces and for products of a meaning's numbers: reading a sentence costs the same however many examples there are.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from packs.compliance.examples import LAWFUL, digest, labelled
from packs.compliance.likeness import fingerprint, language_of, pieces, squared
from packs.compliance.meaning import ENGLISH, KOREAN, known_words, meaning, words_of
from packs.compliance.normalise import read, undisguised

OUT = Path("packs/compliance/learnt/likeness.npz")
SMOOTHING = 1.0
LAWFUL_WEIGHT = 0.5
"""Lawful examples are many: each counts less."""
Table = NDArray[np.float64]


def main() -> None:
    examples = labelled()
    lowers = [undisguised(read(text).lower) for text, _ in examples]
    labels = [LAWFUL, *sorted({rule for _, rule in examples} - {LAWFUL})]
    split = [pieces(lower) for lower in lowers]
    counts = Counter(piece for each in split for piece in each)
    known = sorted(piece for piece, count in counts.items() if count > 1)
    rows = {piece: row for row, piece in enumerate(known)}
    rarity = np.log(len(examples) / np.array([counts[piece] for piece in known]))
    shared = np.zeros((len(examples), len(known)), dtype=np.float32)
    for number, each in enumerate(split):
        held = [rows[piece] for piece in each if piece in rows]
        shared[number, held] = rarity[held] / (np.linalg.norm(rarity[held]) or 1.0)
    word_rarity = {language: _word_rarity(lowers, language) for language in (KOREAN, ENGLISH)}
    meanings = {language: _meanings(lowers, language, word_rarity[language]) for language in (KOREAN, ENGLISH)}
    alike: Table = (shared @ shared.T).astype(np.float64)
    alike += sum((each @ each.T) ** 2 for each in meanings.values())
    asked = np.zeros((len(examples), len(labels)))
    asked[np.arange(len(examples)), [labels.index(rule) for _, rule in examples]] = 1.0
    patience = np.array([SMOOTHING / (1.0 if rule else LAWFUL_WEIGHT) for _, rule in examples])
    solved = np.linalg.solve(alike + np.diag(patience), asked)
    remembered: dict[int, str] = {}
    for each, (_, rule) in zip(split, examples, strict=True):
        remembered.setdefault(fingerprint(each), rule)
    for each, (_, rule) in zip(split, examples, strict=True):
        if remembered.get(fingerprint(each), rule) != rule:
            del remembered[fingerprint(each)]  # only an amount tells them apart
    weights, units = _quantised((shared.T @ solved) * rarity[:, None])
    stored = {
        "labels": _text(labels),
        "pieces": _text(known),
        "rarity": rarity.astype(np.float32),
        "rarest": np.float32(np.log(len(examples))),
        "weights": weights,
        "units": (units / rarity).astype(np.float32),
        "fingerprints": np.array(list(remembered), dtype=np.int64),
        "label_of": np.array([labels.index(rule) for rule in remembered.values()], dtype=np.uint8),
        "learnt_from": _text([digest()]),
    }
    for language, vectors in meanings.items():
        products = np.zeros((vectors.shape[1] * (vectors.shape[1] + 1) // 2, len(labels)))
        for vector, each in zip(vectors, solved, strict=True):
            if vector.any():
                products += np.outer(squared(vector), each)
        unit = np.abs(products).max() / 127
        stored[f"{language}_meaning"] = np.round(products / unit).astype(np.int8)
        stored[f"{language}_units"] = np.float32(unit)
        stored[f"{language}_rarity"] = word_rarity[language]
    with OUT.open("wb") as file:
        np.savez_compressed(file, **stored)
    print(f"{len(examples)} examples, {len(labels) - 1} rules, {len(known)} pieces, {OUT.stat().st_size:,} bytes")


def _text(words: Sequence[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(words).encode(), dtype=np.uint8)


def _quantised(table: Table) -> tuple[NDArray[np.int8], Table]:
    """Whole numbers, and what one of them is worth in each row."""
    units = np.maximum(np.abs(table).max(axis=1), 1e-6) / 127
    whole = np.round(table / units[:, None])
    return whole.astype(np.int8), units


def _word_rarity(lowers: Sequence[str], language: str) -> NDArray[np.float32]:
    held = Counter(row for lower in lowers for row in set(known_words(lower, language)))
    counts = np.array([held.get(row, 0) for row in range(len(words_of(language).rows))])
    return np.log((len(lowers) + 1) / (counts + 1)).astype(np.float32)


def _meanings(lowers: Sequence[str], language: str, rarity: NDArray[np.float32]) -> NDArray[np.float32]:
    found = np.zeros((len(lowers), words_of(language).size), dtype=np.float32)
    for number, lower in enumerate(lowers):
        if language_of(lower) == language and (vector := meaning(lower, language, rarity)) is not None:
            found[number] = vector
    return found


if __name__ == "__main__":
    main()
