"""Syllables into words: the engine's Korean model makes a word of nearly every syllable, and says apart from that where
it saw a blank.

It is believed over the paper, except where the gap is too wide for anything else (`유 동 자 산`): in serif type the
blank between two words is narrower than the air inside one in monospace. Latin words are parted rightly as they are.
"""

import re
from itertools import pairwise

from packs.ocr.reading.engine import Line, Word

_HANGUL = re.compile("[가-힣ㄱ-ㅣ]")
# In heights of the line's words.
SURELY_BLANK = 0.6


def joined(line: Line) -> Line:
    words = [line.words[0]]
    heights = sorted(word.box.height for word in line.words if _HANGUL.search(word.text)) or [line.box.height]
    height = heights[len(heights) // 2]
    for before, word in pairwise(line.words):
        meets_korean = _HANGUL.match(word.text) or _HANGUL.match(before.text[-1])
        if meets_korean and not word.blank_before and _gap(before, word, height) < SURELY_BLANK * height:
            words[-1] = _one(words[-1], word)
        else:
            words.append(word)
    return Line(tuple(words))


def _gap(before: Word, word: Word, height: int) -> int:
    """A syllable is about as wide as it is high. The engine's boxes often begin too late, and what they leave out is no
    blank."""
    width = max(word.box.width, len(_HANGUL.findall(word.text)) * height)
    return word.box.right - before.box.right - width


def _one(left: Word, right: Word) -> Word:
    letters = len(left.text) + len(right.text)
    confidence = (left.confidence * len(left.text) + right.confidence * len(right.text)) / letters
    other = (left.other or left.text) + (right.other or right.text) if left.other or right.other else ""
    return Word(left.text + right.text, confidence, left.box.joined(right.box), other, blank_before=left.blank_before)
