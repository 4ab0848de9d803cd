"""The three marks: `[□]` for what cannot be read, `(?)` behind what is doubtful, `A/B` for two equal readings."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from packs.ocr.reading.engine import Line, Word
from packs.ocr.reading.lexicon import has_unknown
from packs.ocr.reading.numbers import is_implausible

UNREADABLE_MARK = "[□]"
DOUBTFUL_MARK = "(?)"
# In the text of a PDF: a letter that is drawn, and of which its font does not say which one it is.
UNKNOWN_LETTER = "\ufffd"
# The engines' own confidence, 0 to 100. The one that reads Latin letters and digits is sure of nearly all it says, so
# that less than that is doubt. A strange word has to be surer. Measured on real pages, docs/packs-ocr.md.
UNREADABLE_BELOW = 15.0
DOUBTFUL_BELOW, DOUBTFUL_STRANGE_BELOW = 94.0, 98.5
DOUBTFUL_KOREAN_BELOW, DOUBTFUL_STRANGE_KOREAN_BELOW = 80.0, 92.0

_LETTER = re.compile(r"\w")
_KOREAN = re.compile("[가-힣]")
_LATIN = re.compile("[A-Za-z]")
_DIGIT = re.compile(r"\d")
# A price of which the point was passed over.
_PRICE_IN_HALVES = re.compile(r"\D{0,3}\d{1,4} \d\d")
_UNKNOWN = re.compile(f"{UNKNOWN_LETTER}+")


@dataclass(frozen=True)
class MarkedLine:
    text: str
    doubts: tuple[str, ...]
    """Words whose spelling a person should check, as they stand in the text."""


def marked(line: Line) -> MarkedLine:
    words = [_marked(word) for word in line.words]
    if _is_hardly_all(line):
        words = [
            word if word != read.text else word + DOUBTFUL_MARK for word, read in zip(words, line.words, strict=True)
        ]
    doubts = tuple(text for text, word in zip(words, line.words, strict=True) if text != word.text)
    return MarkedLine(" ".join(_once(words)), doubts)


def marked_text(text: str) -> MarkedLine:
    """A line that a file carries itself."""
    words = text.split(" ")
    marks = [_UNKNOWN.sub(UNREADABLE_MARK, word) for word in words]
    doubts = tuple(mark for mark, word in zip(marks, words, strict=True) if mark != word)
    return MarkedLine(" ".join(_once(marks)), doubts)


def _is_hardly_all(line: Line) -> bool:
    """A line of nothing but `=` or `|` is hardly what stands there: a single syllable, a letter, an icon."""
    if len(line.words) == 1 and not _LETTER.search(line.text):
        return True
    is_syllable = len(line.text) == 1 and bool(_KOREAN.match(line.text))
    return _PRICE_IN_HALVES.fullmatch(line.text) is not None or (
        is_syllable and line.confidence < DOUBTFUL_STRANGE_KOREAN_BELOW
    )


def _marked(word: Word) -> str:
    if word.confidence < UNREADABLE_BELOW:
        return UNREADABLE_MARK
    if word.other:
        return f"{word.text}/{word.other}"
    return word.text + DOUBTFUL_MARK if is_doubtful(word) else word.text


def is_doubtful(word: Word) -> bool:
    """A doubtful dash or dot is not worth a person's time; a number that cannot be right is, however sure."""
    if not _LETTER.search(word.text):
        return False
    return is_unsure(word.text, word.confidence) or is_implausible(word.text)


def is_unsure(text: str, confidence: float) -> bool:
    if _KOREAN.search(text):
        return confidence < (DOUBTFUL_STRANGE_KOREAN_BELOW if is_strange(text) else DOUBTFUL_KOREAN_BELOW)
    return confidence < (DOUBTFUL_STRANGE_BELOW if is_strange(text) else DOUBTFUL_BELOW)


def is_strange(text: str) -> bool:
    """In no list of words, or made of letters that seldom stand in one word: `하L카드`, `50OA`."""
    is_mixed = _LATIN.search(text) and (_KOREAN.search(text) or _DIGIT.search(text))
    return bool(is_mixed) or has_unknown(text)


def _once(words: Iterable[str]) -> Iterator[str]:
    """Neighbouring unreadable words are one unreadable place."""
    before = ""
    for word in words:
        if not word == before == UNREADABLE_MARK:
            yield word
        before = word
