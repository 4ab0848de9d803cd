"""Tesseract, through tesserocr: an image in, lines of words with their confidence and place out."""

import os

# Before the library is loaded: its threads get in each other's way, and one page alone is eight times slower.
os.environ["OMP_THREAD_LIMIT"] = "1"

from dataclasses import dataclass, replace

import tesserocr  # type: ignore[import-untyped]
from PIL import Image

from packs.ocr.models import MODELS
from packs.ocr.reading.boxes import Box, hull

BORDER = 12
ONE_BLOCK, ONE_LINE = tesserocr.PSM.SINGLE_BLOCK, tesserocr.PSM.SINGLE_LINE


@dataclass(frozen=True)
class Letter:
    text: str
    confidence: float
    box: Box


@dataclass(frozen=True)
class Word:
    text: str
    confidence: float
    """0 to 100, as the engine says."""
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
        self._api = tesserocr.PyTessBaseAPI(path=str(MODELS), lang=language, psm=ONE_BLOCK, oem=tesserocr.OEM.LSTM_ONLY)

    def read(self, page: Image.Image, box: Box, *, row_height: int, scale: float, mode: int = ONE_BLOCK) -> list[Line]:
        """What stands in the box, in the page's own coordinates whatever the scale it is read at."""
        # A little air, by the height of a row and not of the box: more would let the neighbours' rows in.
        around = box.grown(max(3, row_height // 6), page.size)
        part = page.crop(around.as_tuple())
        if scale != 1:
            size = (max(1, round(part.width * scale)), max(1, round(part.height * scale)))
            part = part.resize(size, Image.Resampling.LANCZOS)
        framed = Image.new("L", (part.width + 2 * BORDER, part.height + 2 * BORDER), 255)
        framed.paste(part, (BORDER, BORDER))
        self._api.SetPageSegMode(mode)
        self._api.SetImage(framed)
        self._api.SetSourceResolution(150)
        self._api.Recognize()
        return [_moved(line, around, scale) for line in self._lines()]

    def _lines(self) -> list[Line]:
        found: list[Line] = []
        words: list[Word] = []
        iterator = self._api.GetIterator()
        if iterator is None:
            return []
        letters: list[Letter] = []
        for at in tesserocr.iterate_level(iterator, tesserocr.RIL.SYMBOL):
            box = at.BoundingBox(tesserocr.RIL.SYMBOL)
            if box:
                sure = float(at.Confidence(tesserocr.RIL.SYMBOL))
                letters.append(Letter(at.GetUTF8Text(tesserocr.RIL.SYMBOL), sure, Box(*box)))
            if at.IsAtFinalElement(tesserocr.RIL.WORD, tesserocr.RIL.SYMBOL):
                box = at.BoundingBox(tesserocr.RIL.WORD)
                text = at.GetUTF8Text(tesserocr.RIL.WORD).strip() if box else ""
                if text:
                    sure = float(at.Confidence(tesserocr.RIL.WORD))
                    blank = not words or at.BlanksBeforeWord() > 0
                    words.append(Word(text, sure, Box(*box), letters=tuple(letters), blank_before=blank))
                letters = []
            if words and at.IsAtFinalElement(tesserocr.RIL.TEXTLINE, tesserocr.RIL.SYMBOL):
                found.append(Line(tuple(words)))
                words = []
        return [*found, Line(tuple(words))] if words else found


def engine_version() -> str:
    return str(tesserocr.tesseract_version()).splitlines()[0]


def _moved(line: Line, origin: Box, scale: float) -> Line:
    def moved(word: Word) -> Word:
        letters = tuple(replace(letter, box=_on_page(letter.box, origin, scale)) for letter in word.letters)
        return replace(word, box=_on_page(word.box, origin, scale), letters=letters)

    return Line(tuple(moved(word) for word in line.words))


def _on_page(box: Box, origin: Box, scale: float) -> Box:
    def along(value: int, start: int, end: int) -> int:
        return min(end, max(start, start + round((value - BORDER) / scale)))

    return Box(
        along(box.left, origin.left, origin.right),
        along(box.top, origin.top, origin.bottom),
        along(box.right, origin.left, origin.right),
        along(box.bottom, origin.top, origin.bottom),
    )
