"""Spaces inside Korean words: the engine's Korean model parts words at every syllable. The paper knows better.

Two words are one when the blank between them is no wider than between two letters, and one of the letters that meet
is Korean: Latin words are parted rightly as they are.
"""

import re

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from packs.ocr.reading.boxes import Box
from packs.ocr.reading.engine import Line, Word
from packs.ocr.reading.enhance import threshold

# Of the line's height. Measured over the corpus: fonts differ, and finding it line by line did worse.
SPACE_SHARE = 0.17

_HANGUL = re.compile("[가-힣ㄱ-ㅣ]")


class Spacing:
    def __init__(self, page: Image.Image) -> None:
        pixels = np.asarray(page)
        self._ink: NDArray[np.bool_] = pixels <= min(threshold(pixels), 200)

    def joined(self, line: Line) -> Line:
        height = line.box.height
        words = [line.words[0]]
        for word in line.words[1:]:
            meets_korean = _HANGUL.match(word.text) or _HANGUL.match(words[-1].text[-1])
            if meets_korean and self._gap(words[-1].box, word.box, height) < SPACE_SHARE * height:
                words[-1] = _one(words[-1], word)
            else:
                words.append(word)
        return Line(tuple(words))

    def _gap(self, left: Box, right: Box, height: int) -> int:
        """The widest blank near where the two meet. The engine's boxes are off by a stroke or two; ink is not."""
        top, bottom = min(left.top, right.top), max(left.bottom, right.bottom)
        middle, reach = (left.right + right.left) // 2, max(2, height // 3 + abs(right.left - left.right) // 2)
        start = max(0, left.left, middle - reach)
        inked = self._ink[top:bottom, start : min(right.right, middle + reach)].any(axis=0)
        places = np.flatnonzero(inked)
        return int(np.diff(places).max() - 1) if places.size > 1 else height


def _one(left: Word, right: Word) -> Word:
    letters = len(left.text) + len(right.text)
    confidence = (left.confidence * len(left.text) + right.confidence * len(right.text)) / letters
    other = (left.other or left.text) + (right.other or right.text) if left.other or right.other else ""
    return Word(left.text + right.text, confidence, left.box.joined(right.box), other)
