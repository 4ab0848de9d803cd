"""Syllables into words: the engine's Korean model makes a word of nearly every syllable, and says apart from that where
it saw a blank.

It is believed over the paper: in serif type the blank between two words is narrower than the air inside one in
monospace, whatever the measure. Latin words are parted rightly as they are.
"""

import re

from packs.ocr.reading.engine import Line, Word

_HANGUL = re.compile("[가-힣ㄱ-ㅣ]")


def joined(line: Line) -> Line:
    words = [line.words[0]]
    for word in line.words[1:]:
        meets_korean = _HANGUL.match(word.text) or _HANGUL.match(words[-1].text[-1])
        if meets_korean and not word.blank_before:
            words[-1] = _one(words[-1], word)
        else:
            words.append(word)
    return Line(tuple(words))


def _one(left: Word, right: Word) -> Word:
    letters = len(left.text) + len(right.text)
    confidence = (left.confidence * len(left.text) + right.confidence * len(right.text)) / letters
    other = (left.other or left.text) + (right.other or right.text) if left.other or right.other else ""
    return Word(left.text + right.text, confidence, left.box.joined(right.box), other, blank_before=left.blank_before)
