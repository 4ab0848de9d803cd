"""The check that no ink of a line is left out: what stands under no word is found by its place."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from packs.ocr.reading.boxes import Box
from packs.ocr.reading.engine import Line, Word

INK_BELOW = 140
# Above and below this share of the height stand the neighbours' feet, and rules.
EDGE = 0.15
# The engines' boxes are off by as much.
NEAR_WORD = 0.35
# In line heights: a wider stretch of ink without a word was passed over; gaps inside it are narrower than this.
LEAST_STRETCH = 0.75
GAP = 0.7
# Of ink that a reading of letters leaves out: less is a stroke.
LEAST_LETTER = 0.2
# Ink that fills less of the line's height than this is a rule or a dash, and more is a bar or a picture's edge.
LEAST_HEIGHT, MOST_FILLED = 0.3, 0.75


def unread_ink(line: Line | None, image: Image.Image) -> list[Box]:
    """Stretches of text-like ink under no word, from left to right."""
    height = image.height
    edge = round(EDGE * height)
    inked = np.asarray(image)[edge : height - edge] < INK_BELOW
    left_over = np.array(inked.any(axis=0))
    for word in line.words if line is not None else ():
        near = round(NEAR_WORD * height)
        left_over[max(0, word.box.left - near) : word.box.right + near] = False
    columns = np.flatnonzero(left_over)
    if not columns.size:
        return []
    groups = np.split(columns, np.flatnonzero(np.diff(columns) > GAP * height) + 1)
    stretches = [(int(group[0]), int(group[-1]) + 1) for group in groups]
    return [
        Box(start, 0, end, height)
        for start, end in stretches
        if end - start >= LEAST_STRETCH * height and _is_text_like(inked[:, start:end])
    ]


def is_all_read(line: Line, image: Image.Image) -> bool:
    """Whether every stretch of ink stands by a letter. Stricter than the above: what is between two letters counts, and
    a single syllable does."""
    height = image.height
    edge = round(EDGE * height)
    left_over = np.array((np.asarray(image)[edge : height - edge] < INK_BELOW).any(axis=0))
    near = round(NEAR_WORD * height)
    for letter in (letter for word in line.words for letter in word.letters):
        left_over[max(0, letter.box.left - near) : letter.box.right + near] = False
    edges = np.flatnonzero(np.diff(np.pad(left_over, 1).astype(np.int8)))
    return not any(end - start >= LEAST_LETTER * height for start, end in zip(edges[::2], edges[1::2], strict=True))


def with_unread_ink(line: Line | None, image: Image.Image) -> Line | None:
    words = list(line.words) if line is not None else []
    words += [Word("?", 0.0, box) for box in unread_ink(line, image)]
    return Line(tuple(sorted(words, key=lambda word: word.box.left))) if words else None


def _is_text_like(inked: NDArray[np.bool_]) -> bool:
    return bool(inked.any(axis=1).mean() >= LEAST_HEIGHT and inked.mean() <= MOST_FILLED)
