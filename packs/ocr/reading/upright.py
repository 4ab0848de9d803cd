"""The page's way up: lines that run downward, or that are read badly and better upside down."""

from collections.abc import Sequence

from PIL import Image

from packs.ocr.reading.detector import TextPlace
from packs.ocr.reading.engine import Line
from packs.ocr.reading.languages import LineReader

# More lines than this run downward: the page lies on its side.
DOWNWARD_SHARE = 0.6
# A page read with less than this may stand on its head.
MAYBE_TURNED_BELOW = 78.0
SURELY_TURNED_BY = 12.0
SAMPLE_LINES = 4
# In heights of the line: so much of a line says which way up it is, and a whole one read upside down is slow.
SAMPLE_WIDTH = 10
# A letter or two say nothing, however sure.
SAMPLE_LETTERS = 8


def lies_on_its_side(places: Sequence[TextPlace]) -> bool:
    length = sum(place.quad.length for place in places)
    downward = sum(place.quad.length for place in places if place.runs_downward)
    return bool(places) and downward > DOWNWARD_SHARE * length


def stands_on_its_head(images: Sequence[Image.Image], lines: Sequence[Line | None], reader: LineReader) -> bool:
    """Judged by some lines and how they were read; those read surely need no second look."""
    sure = _mean(lines)
    if not images or sure >= MAYBE_TURNED_BELOW:
        return False
    return _mean([reader.read(sample_of(image).rotate(180)) for image in images]) > sure + SURELY_TURNED_BY


def sample_of(image: Image.Image) -> Image.Image:
    """The middle of a line."""
    width = min(image.width, SAMPLE_WIDTH * image.height)
    left = (image.width - width) // 2
    return image.crop((left, 0, left + width, image.height))


def _mean(lines: Sequence[Line | None]) -> float:
    read = [line for line in lines if line is not None]
    letters = sum(len(line.text) for line in read)
    return sum(line.confidence * len(line.text) for line in read) / max(letters, SAMPLE_LETTERS)
