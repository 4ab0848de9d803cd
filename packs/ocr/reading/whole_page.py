"""What the detector may have passed over: letter-like ink of the whole page outside of its places, and the page as the
bare engine reads it, with its own layout. Both are asked only where there is reason to."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import tesserocr  # type: ignore[import-untyped]
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from packs.ocr.models import MODELS
from packs.ocr.reading.boxes import Box, hull
from packs.ocr.reading.components import components
from packs.ocr.reading.engine import Line, Word
from packs.ocr.reading.quads import Quad

# The page is looked at so small that its lines have this height.
LINE_HEIGHT = 14
INK = 28
# Letters, in pixels of that: heights, widths, and how many side by side are a line.
LEAST_HEIGHT, MOST_HEIGHT, LEAST_WIDTH, MOST_WIDTH = 5, 18, 2, 30
LEAST_IN_ROW, MOST_GAP = 4, 20
# A line of the bare engine is believed from this confidence on, and with so many letters.
LEAST_SURE, LEAST_LETTERS = 70.0, 3


class WholePage:
    def __init__(self, languages: str) -> None:
        self._api = tesserocr.PyTessBaseAPI(
            path=str(MODELS), lang=languages, psm=tesserocr.PSM.AUTO, oem=tesserocr.OEM.LSTM_ONLY
        )

    def lines(self, page: Image.Image) -> list[Line]:
        """Only those that it is sure of. Coordinates are the page's."""
        self._api.SetImage(page)
        self._api.Recognize()
        iterator = self._api.GetIterator()
        lines: list[Line] = []
        words: list[Word] = []
        for at in tesserocr.iterate_level(iterator, tesserocr.RIL.WORD) if iterator is not None else ():
            box = at.BoundingBox(tesserocr.RIL.WORD)
            text = at.GetUTF8Text(tesserocr.RIL.WORD).strip() if box else ""
            if text:
                words.append(Word(text, float(at.Confidence(tesserocr.RIL.WORD)), Box(*box)))
            if at.IsAtFinalElement(tesserocr.RIL.TEXTLINE, tesserocr.RIL.WORD):
                lines.append(Line(tuple(words)))
                words = []
        return [line for line in lines if _is_believed(line)]


def letters_outside(page: Image.Image, places: Sequence[Quad], line_height: float) -> int:
    """How many pieces of ink outside of all places look like letters: of their size, several in a row."""
    scale = min(1.0, LINE_HEIGHT / max(line_height, 1.0))
    size = (max(1, round(page.width * scale)), max(1, round(page.height * scale)))
    small = page.resize(size, Image.Resampling.BOX)
    paper = small.filter(ImageFilter.BoxBlur(LINE_HEIGHT))
    told = Image.new("L", size, 0)
    draw = ImageDraw.Draw(told)
    for quad in places:
        draw.polygon([(x * scale, y * scale) for x, y in quad.corners], fill=1, outline=1, width=LINE_HEIGHT // 3)
    ink = (np.asarray(paper, dtype=np.int16) - np.asarray(small, dtype=np.int16) > INK) & (np.asarray(told) == 0)
    return _in_rows(ink)


def outside(lines: Sequence[Line], places: Sequence[Quad]) -> list[Line]:
    """Lines that stand where no place is."""
    boxes = [quad.box() for quad in places]
    return [line for line in lines if sum(line.box.shared(box) for box in boxes) < 0.3 * line.box.area]


def quad_of(line: Line) -> Quad:
    box = hull([word.box for word in line.words])
    corners = ((box.left, box.top), (box.right, box.top), (box.right, box.bottom), (box.left, box.bottom))
    return Quad(*((float(x), float(y)) for x, y in corners))


def _is_believed(line: Line) -> bool:
    return line.confidence >= LEAST_SURE and sum(letter.isalnum() for letter in line.text) >= LEAST_LETTERS


def _in_rows(ink: NDArray[np.bool_]) -> int:
    rows: dict[int, list[tuple[int, int]]] = {}
    for part in components(ink):
        if LEAST_HEIGHT <= part.height <= MOST_HEIGHT and LEAST_WIDTH <= part.width <= MOST_WIDTH:
            middle = (int(part.rows[0]) + int(part.rows[-1])) // 2
            rows.setdefault(middle // (LINE_HEIGHT // 2), []).append((int(part.starts.min()), int(part.ends.max())))
    return sum(_longest_run(sorted(parts)) for parts in rows.values())


def _longest_run(parts: list[tuple[int, int]]) -> int:
    longest = run = 1
    for (_, end), (start, _) in pairwise(parts):
        run = run + 1 if 0 <= start - end <= MOST_GAP else 1
        longest = max(longest, run)
    return longest if longest >= LEAST_IN_ROW else 0
