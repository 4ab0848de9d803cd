"""The page's way up: lines that run downward, or that are read badly and better upside down."""

from PIL import Image

from packs.ocr.reading.detector import Detector, TextPlace
from packs.ocr.reading.engine import Line
from packs.ocr.reading.languages import LineReader
from packs.ocr.reading.line_image import line_image
from packs.ocr.reading.orientation import turned

# More lines than this run downward: the page lies on its side.
DOWNWARD_SHARE = 0.6
# A page read with less than this may stand on its head.
MAYBE_TURNED_BELOW = 78.0
SURELY_TURNED_BY = 12.0
SAMPLE_LINES = 4
# A letter or two say nothing, however sure.
SAMPLE_LETTERS = 8


def on_its_side(grey: Image.Image, places: list[TextPlace], detector: Detector, reader: LineReader) -> int:
    """Degrees counter-clockwise that set its lines level: 0, 90, 270."""
    if not places:
        return 0
    length = sum(place.quad.length for place in places)
    downward = sum(place.quad.length for place in places if place.runs_downward)
    if downward > DOWNWARD_SHARE * length:
        on_left = turned(grey, 90)
        sure, upside_down = _both_ways_up(on_left, detector.find(on_left), reader)
        return 90 if sure >= upside_down else 270
    return 0


def stands_on_its_head(longest: list[tuple[Image.Image, Line | None]], reader: LineReader) -> bool:
    """Judged by the longest lines, as they were read; those read surely need no second look."""
    sure = _mean([line for _, line in longest])
    if not longest or sure >= MAYBE_TURNED_BELOW:
        return False
    return _mean([reader.read(image.rotate(180)) for image, _ in longest]) > sure + SURELY_TURNED_BY


def _both_ways_up(grey: Image.Image, places: list[TextPlace], reader: LineReader) -> tuple[float, float]:
    """How surely the longest lines are read, as they are and upside down."""
    longest = sorted(places, key=lambda place: -place.quad.length)[:SAMPLE_LINES]
    lines = [line_image(grey, place.quad) for place in longest]
    return _mean([reader.read(line) for line in lines]), _mean([reader.read(line.rotate(180)) for line in lines])


def _mean(lines: list[Line | None]) -> float:
    read = [line for line in lines if line is not None]
    letters = sum(len(line.text) for line in read)
    return sum(line.confidence * len(line.text) for line in read) / max(letters, SAMPLE_LETTERS)
