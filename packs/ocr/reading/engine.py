"""Tesseract, through tesserocr: one line in, words with their confidence and place out."""

import os

# Before the library is loaded: its threads get in each other's way, and one page alone is eight times slower.
os.environ["OMP_THREAD_LIMIT"] = "1"

from dataclasses import dataclass, replace

import numpy as np
import tesserocr  # type: ignore[import-untyped]
from PIL import Image

from packs.ocr.models import MODELS
from packs.ocr.reading.boxes import Box, hull

BORDER = 10
# The height at which its Korean model reads best, and those for a second pass.
HEIGHT, OTHER_HEIGHTS = 40, (32, 36)
# The Korean model spells the dot between two nouns as an old vowel, which nobody prints any more, or as a dash; but a
# dash is wider than high.
MIDDLE_DOT, OLD_VOWEL, DASH = "·", "ㆍ", "-"
INK_BELOW, MOST_DOT, DASH_FROM = 150, 0.18, 1.7


@dataclass(frozen=True)
class Letter:
    text: str
    confidence: float
    box: Box


@dataclass(frozen=True)
class Word:
    text: str
    confidence: float
    """0 to 100."""
    box: Box
    other: str = ""
    """What another reading of the same place says, when it is as likely."""
    letters: tuple[Letter, ...] = ()
    blank_before: bool = True
    """The Korean model makes a word of nearly every syllable; whether it saw a blank there, it says apart from that."""


@dataclass(frozen=True)
class Line:
    words: tuple[Word, ...]

    @property
    def box(self) -> Box:
        return hull([word.box for word in self.words])

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    @property
    def confidence(self) -> float:
        """Mean over the characters: a long word counts for more than a dash."""
        letters = sum(len(word.text) for word in self.words)
        return sum(word.confidence * len(word.text) for word in self.words) / letters if letters else 0.0


class Engine:
    """One language. Loading takes half a second; a process keeps it for all its pages."""

    def __init__(self, language: str) -> None:
        one_line = tesserocr.PSM.SINGLE_LINE
        self._api = tesserocr.PyTessBaseAPI(path=str(MODELS), lang=language, psm=one_line, oem=tesserocr.OEM.LSTM_ONLY)

    def read(self, line: Image.Image, *, height: int = HEIGHT) -> Line | None:
        """In the coordinates of the line as it was given."""
        scale = height / line.height
        size = (max(8, round(line.width * scale)), height)
        framed = Image.new("L", (size[0] + 2 * BORDER, size[1] + 2 * BORDER), 255)
        framed.paste(line.resize(size, Image.Resampling.BICUBIC), (BORDER, BORDER))
        self._api.SetImage(framed)
        self._api.SetSourceResolution(150)
        self._api.Recognize()
        words = [_with_dots(_moved(word, line.size, scale), line) for word in self._words()]
        return Line(tuple(words)) if words else None

    def _words(self) -> list[Word]:
        words: list[Word] = []
        letters: list[Letter] = []
        iterator = self._api.GetIterator()
        if iterator is None:
            return []
        blank = True
        for at in tesserocr.iterate_level(iterator, tesserocr.RIL.SYMBOL):
            box = at.BoundingBox(tesserocr.RIL.SYMBOL)
            if not letters:
                blank = not words or at.BlanksBeforeWord() > 0
            if box:
                sure = float(at.Confidence(tesserocr.RIL.SYMBOL))
                letters.append(Letter(at.GetUTF8Text(tesserocr.RIL.SYMBOL), sure, Box(*box)))
            if at.IsAtFinalElement(tesserocr.RIL.WORD, tesserocr.RIL.SYMBOL):
                box = at.BoundingBox(tesserocr.RIL.WORD)
                text = at.GetUTF8Text(tesserocr.RIL.WORD).strip() if box else ""
                if text:
                    sure = float(at.Confidence(tesserocr.RIL.WORD))
                    words.append(Word(text, sure, Box(*box), letters=tuple(letters), blank_before=blank))
                letters = []
        return words


def engine_version() -> str:
    return str(tesserocr.tesseract_version()).splitlines()[0]


def _with_dots(word: Word, line: Image.Image) -> Word:
    if OLD_VOWEL not in word.text and DASH not in word.text:
        return word
    letters = tuple(replace(each, text=MIDDLE_DOT) if _is_dot(each, line) else each for each in word.letters)
    return replace(word, text="".join(letter.text for letter in letters), letters=letters)


def _is_dot(letter: Letter, line: Image.Image) -> bool:
    if letter.text != DASH:
        return letter.text == OLD_VOWEL
    inked = np.asarray(line.crop((letter.box.left - 1, 0, letter.box.right + 1, line.height))) < INK_BELOW
    rows, columns = np.flatnonzero(inked.any(axis=1)), np.flatnonzero(inked.any(axis=0))
    if not rows.size:
        return False
    high, wide = int(rows[-1] - rows[0]) + 1, int(columns[-1] - columns[0]) + 1
    return max(high, wide) <= MOST_DOT * line.height and wide < DASH_FROM * high


def _moved(word: Word, size: tuple[int, int], scale: float) -> Word:
    letters = tuple(replace(letter, box=_unframed(letter.box, size, scale)) for letter in word.letters)
    return replace(word, box=_unframed(word.box, size, scale), letters=letters)


def _unframed(box: Box, size: tuple[int, int], scale: float) -> Box:
    def along(value: int, most: int) -> int:
        return min(most, max(0, round((value - BORDER) / scale)))

    width, height = size
    return Box(along(box.left, width), along(box.top, height), along(box.right, width), along(box.bottom, height))
