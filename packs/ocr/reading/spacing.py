"""Syllables into words: the engine's Korean model makes a word of nearly every syllable, and says apart from that where
it saw a blank.

A blank that it saw is believed: in serif type the blank between two words is narrower than the air inside one in
monospace, and no measure is right for both. It passes over blanks in small and narrow type, though; those are found on
the paper, measured by the line's own gaps. Latin words are parted rightly as they are.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from PIL import Image

from packs.ocr.reading.engine import Letter, Line, Word

_HANGUL = re.compile("[가-힣ㄱ-ㅣ]")
_ONLY_HANGUL = re.compile("[가-힣]{2,}")
INK_BELOW = 150
# Above and below this share of the height stand the neighbours' feet.
EDGE = 0.08
# A row of pixels with more ink than this is a rule of a table, or an underline.
RULE_FROM = 0.75
# In heights of the line: a wider gap is a blank whatever the others are (`유 동 자 산`).
SURELY_BLANK = 0.24
# Against the blanks that the engine saw in the line, and against the gaps that are none.
LIKE_BLANKS, UNLIKE_OTHERS = 0.8, 2.0
# Where it saw none: the gaps fall into two sorts, and the wide ones are this much wider, and as wide as this.
TIMES_WIDER, LEAST_BLANK = 2.5, 0.12
# The confidence of a word of which some syllables can be read.
BARELY_READ = 20.0
# Fewer narrow gaps than this say nothing of what is usual.
LEAST_NARROW = 3


def joined(line: Line, image: Image.Image) -> Line:
    """The image is the line itself, the coordinates of its words being in it."""
    parts = [part for word in line.words for part in _syllables(word)]
    gaps = _gaps(parts, blank_stretches(image))
    blanks = _blanks(parts, gaps, image.height)
    words = [parts[0]]
    for (before, part), is_blank in zip(pairwise(parts), blanks, strict=True):
        meets_korean = _HANGUL.match(part.text) or _HANGUL.match(before.text[-1])
        if meets_korean and not is_blank:
            words[-1] = _one(words[-1], part)
        else:
            words.append(part)
    return Line(tuple(words))


def _syllables(word: Word) -> list[Word]:
    """Where the engine made one word of several syllables, the paper may still show a blank among them."""
    if len(word.letters) != len(word.text) or not _ONLY_HANGUL.fullmatch(word.text) or word.other:
        return [word]
    return [
        Word(letter.text, word.confidence, letter.box, letters=(letter,), blank_before=word.blank_before and not number)
        for number, letter in enumerate(word.letters)
    ]


def blank_stretches(image: Image.Image) -> list[tuple[int, int]]:
    """Of the line's columns, those without ink: first and behind the last."""
    edge = round(EDGE * image.height)
    inked = np.asarray(image)[edge : image.height - edge] < INK_BELOW
    rows = inked.mean(axis=1) < RULE_FROM
    columns = inked[rows].any(axis=0) if rows.any() else inked.any(axis=0)
    edges = np.flatnonzero(np.diff(np.pad(~columns, 1).astype(np.int8)))
    return [(int(start), int(end)) for start, end in zip(edges[::2], edges[1::2], strict=True)]


def _gaps(parts: Sequence[Word], stretches: Sequence[tuple[int, int]]) -> list[int]:
    """The widest stretch without ink between two neighbours' nearest letters. Each stretch belongs to one pair only: to
    the one between whose middles its own middle is."""
    gaps = []
    for before, part in pairwise(parts):
        first = _middle(before.letters[-1:], before.box.right)
        last = _middle(part.letters[:1], part.box.left)
        gaps.append(max((end - start for start, end in stretches if first <= (start + end) / 2 < last), default=0))
    return gaps


def _middle(letters: Sequence[Letter], otherwise: int) -> int:
    return (letters[0].box.left + letters[0].box.right) // 2 if letters else otherwise


def _blanks(parts: Sequence[Word], gaps: Sequence[int], height: int) -> list[bool]:
    seen = [part.blank_before for part in parts[1:]]
    least = _least_blank(seen, gaps, height)
    wide = [gap >= least or gap >= SURELY_BLANK * height for gap in gaps]
    # The engine's boxes slip by a syllable at times: the gap beside a seen blank that shows none is that one.
    return [
        is_seen or (is_wide and not _slipped(seen, wide, at))
        for at, (is_seen, is_wide) in enumerate(zip(seen, wide, strict=True))
    ]


def _slipped(seen: Sequence[bool], wide: Sequence[bool], at: int) -> bool:
    beside = [other for other in (at - 1, at + 1) if 0 <= other < len(seen)]
    return any(seen[other] and not wide[other] for other in beside)


def _least_blank(seen: Sequence[bool], gaps: Sequence[int], height: int) -> float:
    blanks = [gap for gap, is_seen in zip(gaps, seen, strict=True) if is_seen and gap]
    others = [gap for gap, is_seen in zip(gaps, seen, strict=True) if not is_seen]
    if blanks:
        usual = float(np.median(others)) if others else 0.0
        return max(LIKE_BLANKS * float(np.median(blanks)), UNLIKE_OTHERS * usual)
    ordered = sorted(others)
    steps = [(high - low, number) for number, (low, high) in enumerate(pairwise(ordered), 1)]
    if not steps:
        return float("inf")
    _, cut = max(steps)
    narrow, wide = ordered[:cut], ordered[cut:]
    is_parted = len(narrow) >= LEAST_NARROW and wide[0] >= max(
        TIMES_WIDER * sum(narrow) / len(narrow), LEAST_BLANK * height
    )
    return float(wide[0]) if is_parted else float("inf")


def _one(left: Word, right: Word) -> Word:
    # A word is as sure as its least sure syllable: one wrong one makes it wrong, but not unreadable.
    mean = (left.confidence * len(left.text) + right.confidence * len(right.text)) / (len(left.text) + len(right.text))
    confidence = max(min(left.confidence, right.confidence), min(mean, BARELY_READ))
    other = (left.other or left.text) + (right.other or right.text) if left.other or right.other else ""
    return Word(left.text + right.text, confidence, left.box.joined(right.box), other, blank_before=left.blank_before)
