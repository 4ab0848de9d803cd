"""One picture of a page -> blocks of text with their places. The whole pipeline, in its order."""

import functools
import re
import statistics
from dataclasses import dataclass, field
from typing import Any

from PIL import Image

from packs.ocr.bounds import WORK_PIXELS
from packs.ocr.profiles import BODY, FINE, TITLE, OcrProfile
from packs.ocr.reading.boxes import Box, hull
from packs.ocr.reading.detector import Detector, TextPlace
from packs.ocr.reading.engine import Line, Word
from packs.ocr.reading.enhance import enhance
from packs.ocr.reading.languages import LineReader
from packs.ocr.reading.line_image import line_image
from packs.ocr.reading.marks import MarkedLine, is_doubtful, is_strange, is_unsure, marked
from packs.ocr.reading.material import material_of
from packs.ocr.reading.order import Layout, layout_of
from packs.ocr.reading.orientation import Turn, turned
from packs.ocr.reading.structure import HEADING, PARAGRAPH, TABLE, Cell
from packs.ocr.reading.tables import cells_of
from packs.ocr.reading.upright import SAMPLE_LINES, lies_on_its_side, sample_of, stands_on_its_head
from packs.ocr.reading.whole_page import WholePage, letters_outside, outside, quad_of

# Against the page's ordinary lines.
TITLE_TIMES, FINE_TIMES = 1.6, 0.72
# Large letters in more lines than this are no heading.
MOST_HEADING_LINES, HEADING_LEVEL = 3, 2
STRANGE_COSTS = 6.0
# A page of which more words than this are marked was not read as a page should be.
MOST_MARKED = 0.4
# Nor was one that is read less surely than this.
LEAST_SURE = 62.0
# A page without one word read more surely than this shows no text, but grain and edges; of up to three letters more is
# asked, since any edge looks like a letter.
NOISE_BELOW, NOISE_BELOW_OF_FEW = 0.75, {1: 0.97, 2: 0.9, 3: 0.9}
# The whole page is read by the bare engine too where so many letters, and so many against those read, stand outside
# of all places, or where less than this share was read surely.
LEAST_PASSED_OVER, PASSED_OVER, LEAST_SURE_LETTERS = 12, 0.03, 0.4
SURE_WORD, CLEARLY_MORE = 70.0, 1.3
DEFAULT_LINE_HEIGHT = 30
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class ReadWord:
    text: str
    confidence: float


@dataclass(frozen=True)
class ReadLine:
    text: str
    confidence: float
    box: Box
    words: tuple[ReadWord, ...] = ()


@dataclass(frozen=True)
class Block:
    text: str
    confidence: float
    """0 to 1."""
    box: Box
    name: str
    """The size of its type, or `text` where the file itself says what stands there."""
    lines: tuple[ReadLine, ...] = ()
    kind: str = PARAGRAPH
    level: int | None = None
    """Of a heading."""
    cells: tuple[Cell, ...] = ()
    """Of a table."""


@dataclass(frozen=True)
class ReadPage:
    width: int
    height: int
    blocks: list[Block]
    doubts: list[str] = field(default_factory=list)
    low_confidence: int = 0
    preflight: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    is_partial: bool = False
    """Something of the page was not read, or not read well enough to count as read."""
    passes: int = 1
    """How many have a part in the text: a second one that changed no line has none."""


@functools.cache
def line_reader(languages: str) -> LineReader:
    """Loaded once in a process's life."""
    return LineReader(languages)


@functools.cache
def detector() -> Detector:
    return Detector()


@functools.cache
def whole_page(languages: str) -> WholePage:
    return WholePage(languages)


@dataclass(frozen=True)
class FoundLine:
    place: TextPlace
    level: Box
    """On the page turned level."""
    line: Line


def read_image(grey: Image.Image, profile: OcrProfile, languages: str) -> ReadPage:
    scale = min(1.0, (WORK_PIXELS / (grey.width * grey.height)) ** 0.5)
    enhanced = enhance(Turn(grey.size, 0, scale).apply(grey))
    reader = line_reader(languages)
    held, degrees = _upright(enhanced.image, profile, reader)
    lines, again = _read_again(held.all_read(), profile, reader)
    lines = _with_passed_over(lines, held.page, languages)
    turn = Turn(grey.size, degrees, scale)
    page = _page(grey.size, lines, turn, 2 if again else 1, enhanced.steps)
    page.preflight["material"] = material_of(grey)
    rows = [row for block in page.blocks for row in block.lines]
    return page if not rows or any(_is_text(word) for row in rows for word in row.words) else _noise(page, rows)


def _upright(page: Image.Image, profile: OcrProfile, reader: LineReader) -> tuple["_Held", int]:
    """The page as it is read, and by how many degrees it was turned for that, counter-clockwise."""
    places = detector().find(page, most_side=profile.detector_side)
    degrees = 0
    if lies_on_its_side(places):
        degrees, page = 90, turned(page, 90)
        places = detector().find(page, most_side=profile.detector_side)
    held = _Held(page, places, reader)
    longest = held.longest(SAMPLE_LINES)
    images = [held.image(number) for number in longest]
    # A page that lay on its side may as well stand on its head now: its lines are read whole when that is known.
    lines = [reader.read(sample_of(image)) for image in images] if degrees else [held.line(at) for at in longest]
    if not stands_on_its_head(images, lines, reader):
        return held, degrees
    return _Held(turned(page, 180), [place.upside_down(page.size) for place in places], reader), degrees + 180


def _with_passed_over(lines: list[FoundLine], page: Image.Image, languages: str) -> list[FoundLine]:
    """What the detector passed over. The bare engine reads the whole page too where letter-like ink stands outside of
    all places, or where little was read surely; where it is sure of clearly more, its reading stands."""
    places = [line.place.quad for line in lines]
    usual = statistics.median([line.level.height for line in lines]) if lines else DEFAULT_LINE_HEIGHT
    sure = sum(_sure_letters(line.line) for line in lines)
    letters = sum(len(line.line.text) for line in lines)
    is_doubtful_page = sure < LEAST_SURE_LETTERS * letters
    if not is_doubtful_page and letters_outside(page, places, usual) < max(LEAST_PASSED_OVER, PASSED_OVER * letters):
        return lines
    bare = whole_page(languages).lines(page)
    if is_doubtful_page and sum(_sure_letters(line) for line in bare) > CLEARLY_MORE * sure + LEAST_PASSED_OVER:
        return [_found(line) for line in bare]
    return [*lines, *(_found(line) for line in outside(bare, places))]


def _sure_letters(line: Line) -> int:
    return sum(len(word.text) for word in line.words if word.confidence >= SURE_WORD)


def _found(line: Line) -> FoundLine:
    quad = quad_of(line)
    return FoundLine(TextPlace(quad, 0.0, 1.0), quad.box(), line)


@dataclass(frozen=True)
class _ReadPlace:
    place: TextPlace
    image: Image.Image
    line: Line | None


class _Held:
    """A page as it is held. Its longest lines are read first: upside down, everything is noise, and noise is slow."""

    def __init__(self, page: Image.Image, places: list[TextPlace], reader: LineReader) -> None:
        self.page = page
        self._images = [(place, line_image(page, place.quad)) for place in places]
        self._reader = reader
        self._read: dict[int, Line | None] = {}

    def longest(self, count: int) -> list[int]:
        return sorted(range(len(self._images)), key=lambda number: -self._images[number][1].width)[:count]

    def image(self, number: int) -> Image.Image:
        return self._images[number][1]

    def line(self, number: int) -> Line | None:
        if number not in self._read:
            self._read[number] = self._reader.read(self.image(number))
        return self._read[number]

    def all_read(self) -> list[_ReadPlace]:
        """Every place once."""
        return [_ReadPlace(place, image, self.line(number)) for number, (place, image) in enumerate(self._images)]


def _read_again(read: list[_ReadPlace], profile: OcrProfile, reader: LineReader) -> tuple[list[FoundLine], bool]:
    """Doubtful lines a second time, as many as the profile has, and whether that changed any. Every place ends as text
    or as an unreadable word."""
    slant = statistics.median([each.place.radians for each in read]) if read else 0.0
    found: list[FoundLine] = []
    crops, is_changed = profile.crops, False
    for each in read:
        line = each.line
        if crops and (line is None or any(is_doubtful(word) for word in line.words)):
            crops -= 1
            readings = [*([line] if line is not None else []), *reader.read_again(each.image)]
            line = max(readings, key=_worth, default=None)
            is_changed = is_changed or _text_of(line) != _text_of(each.line)
        found.append(FoundLine(each.place, each.place.quad.box(level_by=slant), line or _unreadable(each.image)))
    return found, is_changed


def _text_of(line: Line | None) -> str:
    return marked(line).text if line is not None else ""


def _worth(line: Line) -> float:
    """Confidence, less for letters of strange words: of two readings the one with more known words is the likelier."""
    letters = sum(len(word.text) for word in line.words)
    strange = sum(len(word.text) for word in line.words if is_strange(word.text))
    return line.confidence - STRANGE_COSTS * strange / max(letters, 1)


def _unreadable(image: Image.Image) -> Line:
    return Line((Word("?", 0.0, Box(0, 0, image.width, image.height)),))


def _is_text(word: ReadWord) -> bool:
    """No noise, which a pattern of equal shapes is too: `00000000`."""
    letters = [letter for letter in word.text if letter.isalnum()]
    is_varied = len(set(letters)) > 1 or len(letters) == 1
    return is_varied and word.confidence >= NOISE_BELOW_OF_FEW.get(len(letters), NOISE_BELOW)


def _noise(page: ReadPage, rows: list[ReadLine]) -> ReadPage:
    """Nothing that was read is told as text. That something was seen is: it may be text that nobody can read."""
    surest = max(row.confidence for row in rows)
    warning = f"{len(rows)} places look like text, but none could be read (highest confidence {surest:.2f})."
    preflight = page.preflight | {"unread_places": len(rows)}
    return ReadPage(
        page.width, page.height, [], preflight=preflight, warnings=[warning], is_partial=True, passes=page.passes
    )


def _page(size: tuple[int, int], lines: list[FoundLine], turn: Turn, passes: int, steps: tuple[str, ...]) -> ReadPage:
    figures = {number for number, line in enumerate(lines) if not _LETTER.search(line.line.text)}
    layout = layout_of([line.level for line in lines], figures)
    usual = statistics.median([line.level.height for line in lines]) if lines else 0
    read = ReadPage(*size, [])
    words = marks = 0
    for block in layout.blocks:
        rows = [_row([lines[number] for number in row], turn) for row in block]
        for row, texts in rows:
            read.doubts.extend(doubt for text in texts for doubt in text.doubts)
            words += len(row.words)
            marks += sum(len(text.doubts) for text in texts)
        heights = [lines[number].level.height for row in block for number in row]
        cells = cells_of([_placed_texts([lines[number] for number in row]) for row in block])
        read.blocks.append(_block([row for row, _ in rows], _size(statistics.median(heights), usual), cells))
    sure = _mean_confidence([line for block in read.blocks for line in block.lines])
    is_partial = bool(lines) and (marks > MOST_MARKED * words or 100 * sure < LEAST_SURE)
    warnings = [f"The page was read with doubt: {marks} of {words} words are marked, mean confidence {sure:.2f}."]
    return ReadPage(
        *size,
        read.blocks,
        read.doubts,
        low_confidence=_low_confidence(read.blocks),
        preflight=_preflight(layout, usual, turn, steps),
        warnings=warnings if is_partial else [],
        is_partial=is_partial,
        passes=passes,
    )


def _preflight(layout: Layout, row_height: float, turn: Turn, steps: tuple[str, ...]) -> dict[str, Any]:
    return {
        "layout": "columns" if layout.columns > 1 else "table" if _is_table(layout.blocks) else "single",
        "columns": max(layout.columns, 1),
        "turned_degrees": turn.degrees,
        "row_height_px": round(row_height / turn.scale),
        "preprocessing": list(steps),
    }


def _row(found: list[FoundLine], turn: Turn) -> tuple[ReadLine, list[MarkedLine]]:
    """What stands side by side is one line of the result."""
    texts = [marked(each.line) for each in found]
    words = tuple(ReadWord(word.text, round(word.confidence / 100, 3)) for each in found for word in each.line.words)
    box = turn.back(hull([each.place.quad.box() for each in found]))
    letters = sum(len(word.text) for word in words)
    sure = sum(word.confidence * len(word.text) for word in words) / max(letters, 1)
    return ReadLine(" ".join(text.text for text in texts), round(sure, 3), box, words), texts


def _placed_texts(row: list[FoundLine]) -> list[tuple[Box, str]]:
    return [(each.level, marked(each.line).text) for each in row]


def _block(rows: list[ReadLine], name: str, cells: tuple[Cell, ...]) -> Block:
    box = hull([row.box for row in rows])
    text = "\n".join(row.text for row in rows)
    is_heading = name == TITLE and not cells and len(rows) <= MOST_HEADING_LINES
    kind = TABLE if cells else HEADING if is_heading else PARAGRAPH
    level = HEADING_LEVEL if is_heading else None
    return Block(text, _mean_confidence(rows), box, name, tuple(rows), kind, level, cells)


def _low_confidence(blocks: list[Block]) -> int:
    words = [word for block in blocks for row in block.lines for word in row.words]
    return sum(is_unsure(word.text, 100 * word.confidence) for word in words)


def _mean_confidence(rows: list[ReadLine]) -> float:
    letters = sum(len(row.text) for row in rows)
    return round(sum(row.confidence * len(row.text) for row in rows) / max(letters, 1), 3)


def _size(height: float, usual: float) -> str:
    if height > TITLE_TIMES * usual:
        return TITLE
    return FINE if height < FINE_TIMES * usual else BODY


def _is_table(blocks: tuple[tuple[tuple[int, ...], ...], ...]) -> bool:
    rows = [row for block in blocks for row in block]
    return len(rows) > 2 and sum(len(row) > 1 for row in rows) > len(rows) / 2
