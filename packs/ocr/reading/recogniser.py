"""PP-OCR's recogniser: Latin letters, digits and marks of one line. It knows no Korean.

It answers with one letter or nothing for every few pixels; equal neighbours are one letter.
"""

import math
import re
import unicodedata
from itertools import pairwise, takewhile

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from packs.ocr.reading.boxes import Box, hull
from packs.ocr.reading.engine import Letter, Line, Word
from packs.ocr.reading.latin_words import mended
from packs.ocr.reading.networks import Network

# A longer line is squeezed: memory is bounded, and no line of print is this long.
MOST_WIDTH = 2_400
# A blank of this share of the line's height parts two words, if it is also this many times the line's usual gap;
# beside a mark in type of one width, the gap is wider without being a blank.
BLANK_SHARE = 0.18
BLANK_TIMES, BLANK_TIMES_AT_MARK = 2.4, 3.2
LIST_BLANK_SHARE = 0.13
DIGITS_BLANK_SHARE = 0.32
NARROW_MARKS = frozenset(".,:;'`-()[]!|/*")
POINTS = frozenset(".,")
INK_BELOW = 150
# Chinese signs are how a network without Korean spells it: no reading at all.
FOREIGN_CONFIDENCE = 5.0
_FOREIGN = re.compile("[\u2e80-\u9fff\uf900-\ufaff\u3040-\u30ff\U00020000-\U0003ffff]")


class Recogniser:
    def __init__(self) -> None:
        self._network = Network("line_recogniser")
        self._signs = ["", *self._network.metadata["character"].splitlines(), " "]

    def read(self, line: Image.Image) -> Line | None:
        if line.width > MOST_WIDTH:
            line = line.resize((MOST_WIDTH, line.height), Image.Resampling.LANCZOS)
        pixels = np.asarray(line, dtype=np.float32) / 127.5 - 1
        said = self._network.run(np.repeat(pixels[None], 3, axis=0)[None])[0]
        letters = self._letters(said.argmax(axis=1).tolist(), said.max(axis=1).tolist(), line)
        words = [word_of(group) for group in _grouped(letters, line)]
        return Line(tuple(words)) if words else None

    def _letters(self, signs: list[int], sure: list[float], line: Image.Image) -> list[Letter]:
        step = line.width / len(signs)
        middles = [at for at, sign in enumerate(signs) if sign and (at == 0 or signs[at - 1] != sign)]
        ends = [_end(signs, at) for at in middles]
        letters = []
        for at, end in zip(middles, ends, strict=True):
            text = _plain(self._signs[signs[at]]) if signs[at] < len(self._signs) else ""
            confidence = FOREIGN_CONFIDENCE if _FOREIGN.search(text) else 100 * max(sure[at:end])
            # A letter is at least half as wide as a step, and the network sees a little to both sides.
            box = Box(max(0, round((at - 0.5) * step)), 0, min(line.width, round((end + 0.5) * step)), line.height)
            letters.append(Letter(text, confidence, box))
        return letters


def _end(signs: list[int], at: int) -> int:
    end = at
    while end < len(signs) and signs[end] == signs[at]:
        end += 1
    return end


def _plain(sign: str) -> str:
    """Full-width marks are the same marks."""
    return unicodedata.normalize("NFKC", sign) if sign and "\uff00" <= sign[0] <= "\uffef" else sign


def _grouped(letters: list[Letter], line: Image.Image) -> list[list[Letter]]:
    """Words: parted by the blanks that the network saw, and by those that the paper shows."""
    groups: list[list[Letter]] = [[]]
    gaps = _gaps(letters, np.asarray(line))
    inside = [gap for gap, letter in zip(gaps, letters[1:], strict=False) if letter.text.strip()]
    usual = float(np.median(inside)) if inside else 0.0
    for number, letter in enumerate(letters):
        if not letter.text.strip():
            groups.append([])
            continue
        if number and groups[-1] and gaps[number - 1] >= _blank(letters, number, usual, line.height):
            groups.append([])
        groups[-1].append(letter)
    before: dict[int, int] = {}
    for number, letter in enumerate(letters):
        # A blank that the network saw has a gap on both sides.
        is_behind_blank = number > 1 and not letters[number - 1].text.strip()
        before[id(letter)] = max(gaps[max(0, number - 1 - is_behind_blank) : number], default=0)
    return mended([group for group in groups if group], before, line.height)


def _blank(letters: list[Letter], number: int, usual: float, height: int) -> float:
    """The gap before a letter that is a blank."""
    one, other = letters[number - 1], letters[number]
    if one.text == "," and other.text.isdigit() and not _is_group(letters[number:]):
        # `4, 28`: a list, because thousands come in threes.
        return LIST_BLANK_SHARE * height
    if one.text.isdigit() and other.text in POINTS and number + 1 < len(letters) and letters[number + 1].text.isdigit():
        # `1.5`, in type of one width.
        return math.inf
    if one.text.isdigit() and other.text.isdigit():
        # Digits are set in one width, and a 1 is narrow: half a blank stands beside it.
        return max(DIGITS_BLANK_SHARE * height, BLANK_TIMES_AT_MARK * usual)
    at_mark = one.text in NARROW_MARKS or other.text in NARROW_MARKS
    return max(BLANK_SHARE * height, (BLANK_TIMES_AT_MARK if at_mark else BLANK_TIMES) * max(usual, 1.0))


def _is_group(letters: list[Letter]) -> bool:
    digits = list(takewhile(lambda letter: letter.text.isdigit(), letters))
    return len(digits) == 3


def _gaps(letters: list[Letter], pixels: NDArray[np.uint8]) -> list[int]:
    """The widest blank between each letter's middle and the next one's."""
    inked = np.asarray((pixels[4:-4] < INK_BELOW).any(axis=0))
    gaps = []
    for one, other in pairwise(letters):
        start, end = (one.box.left + one.box.right) // 2, (other.box.left + other.box.right) // 2
        edges = np.flatnonzero(np.pad(inked[start:end], 1, constant_values=True))
        gaps.append(int(np.diff(edges).max()) - 1 if end > start else 0)
    return gaps


def word_of(letters: list[Letter]) -> Word:
    text = "".join(letter.text for letter in letters)
    # A word is as sure as its least sure letters make it, not as its many sure ones.
    mean = sum(letter.confidence for letter in letters) / len(letters)
    least = min(letter.confidence for letter in letters)
    return Word(text, (mean + least) / 2, hull([letter.box for letter in letters]), letters=tuple(letters))
