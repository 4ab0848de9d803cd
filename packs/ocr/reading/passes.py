"""The passes over a page whose regions are fixed: titles, body, fine print, each read at the scale that suits it.

After each region the ink of its rows is held against the words. What the engine passed over or doubts is read again
alone, as often as the profile allows; ink that still has no text becomes an unreadable word in its place.
"""

from dataclasses import dataclass
from functools import reduce

from PIL import Image

from packs.ocr.profiles import OcrProfile
from packs.ocr.reading.boxes import Box, hull
from packs.ocr.reading.engine import ONE_LINE, Line, Word
from packs.ocr.reading.marks import UNREADABLE_MARK
from packs.ocr.reading.merge import merged
from packs.ocr.reading.regions import Layout, Region, Row, Size
from packs.ocr.reading.tongues import Tongues

# Rows between these heights are read as they are: resampling costs more than it gains.
LEAST_NATURAL, MOST_NATURAL = 20, 48
# Otherwise they are brought to this height; the second reading uses the other one.
GOOD_HEIGHT, OTHER_HEIGHT = 32, 24
# Very small type gains from more than that.
TINY = 14
MOST_SCALE = 4.0
REREAD_BELOW = 65.0
# A reading of a piece that was passed over must be at least this sure to count as text.
TEXT_FROM = 30.0
# A row thinner than this is a rule or a shadow, whatever its length; ink that is smaller both ways is a dot.
LEAST_TEXT = 7


@dataclass(frozen=True)
class ReadRegion:
    region: Region
    name: str
    """Of the pass that read it."""
    lines: tuple[Line, ...]


class Passes:
    """One page."""

    def __init__(self, page: Image.Image, profile: OcrProfile, tongues: Tongues) -> None:
        self._page = page
        self._profile = profile
        self._tongues = tongues
        self._crops_left = profile.crops

    def read(self, layout: Layout) -> list[ReadRegion]:
        """Every region once, in the profile's order; the answer is in reading order."""
        found: dict[int, ReadRegion] = {}
        for name in self._profile.passes:
            for number, region in enumerate(layout.regions):
                if number not in found and (len(self._profile.passes) == 1 or region.size == Size(name)):
                    found[number] = ReadRegion(region, name, tuple(self._region(region)))
        return [found[number] for number in sorted(found)]

    def _region(self, region: Region) -> list[Line]:
        rows = self._rows(region, self._scale(region.row_height))
        if region.size in self._profile.second_reading:
            again = self._rows(region, self._other_scale(region.row_height))
            rows = [_both(*pair) for pair in zip(rows, again, strict=True)]
        return [
            line for row, lines in zip(region.rows, rows, strict=True) for line in self._completed(region, row, lines)
        ]

    def _rows(self, region: Region, scale: float) -> list[list[Line]]:
        """Each line that is read to the row it shares most height with."""
        rows: list[list[Line]] = [[] for _ in region.rows]
        for line in self._tongues.read(self._page, region.box, row_height=region.row_height, scale=scale):
            box = line.box
            nearest = max(range(len(rows)), key=lambda number: region.rows[number].box.shared_height(box))
            # What touches no row of this region stands in another, and is read there.
            if region.rows[nearest].box.shared_height(box):
                rows[nearest].append(line)
        return [_tight(lines) for lines in rows]

    def _completed(self, region: Region, row: Row, lines: list[Line]) -> list[Line]:
        if len(lines) < 2 and (not lines or lines[0].confidence < REREAD_BELOW):
            again = self._reread(row.box, self._other_scale(row.box.height))
            if again is not None:
                lines = [merged(lines[0], again)] if lines else [again]
        left_over = uncovered(row, [word for line in lines for word in line.words])
        found = [word for piece in left_over for word in self._piece(region, piece)]
        if len(lines) < 2:
            words = [*(word for line in lines for word in line.words), *found]
            return [_in_order(words)] if words else []
        return [*lines, _in_order(found)] if found else lines

    def _piece(self, region: Region, piece: Box) -> list[Word]:
        """A piece of ink that no reading has explained yet: text, or the mark for what cannot be read."""
        again = self._reread(piece, self._scale(region.row_height))
        if again is not None and again.confidence >= TEXT_FROM:
            return list(again.words)
        return [Word(UNREADABLE_MARK, 0.0, piece)]

    def _reread(self, box: Box, scale: float) -> Line | None:
        if self._crops_left == 0 or box.height < LEAST_TEXT:
            return None
        self._crops_left -= 1
        lines = self._tongues.read(self._page, box, row_height=box.height, scale=scale, mode=ONE_LINE)
        return Line(tuple(word for line in lines for word in line.words)) if lines else None

    def _scale(self, row_height: int) -> float:
        if not self._profile.own_scale or LEAST_NATURAL <= row_height <= MOST_NATURAL:
            return 1.0
        height = OTHER_HEIGHT if TINY <= row_height < LEAST_NATURAL else GOOD_HEIGHT
        return min(MOST_SCALE, height / max(row_height, 1))

    def _other_scale(self, row_height: int) -> float:
        height = OTHER_HEIGHT if row_height > GOOD_HEIGHT or row_height < TINY else GOOD_HEIGHT + 8
        return min(MOST_SCALE, height / max(row_height, 1))


def _both(first: list[Line], second: list[Line]) -> list[Line]:
    if len(first) == len(second) == 1:
        return [merged(first[0], second[0])]
    return first or second


def _tight(lines: list[Line]) -> list[Line]:
    """Several lines where the cut saw one row. Below each other they stay as the engine says. Level with each other,
    they are one: it may read the upper halves of some syllables as a line of their own, and the whole line besides."""
    if len(lines) < 2 or not all(_is_level(line.box, lines[0].box) for line in lines):
        return sorted(lines, key=lambda line: line.box.top)
    return [reduce(merged, sorted(lines, key=lambda line: -line.box.width))]


def _is_level(box: Box, other: Box) -> bool:
    return box.shared_height(other) > 0.5 * min(box.height, other.height)


def _in_order(words: list[Word]) -> Line:
    return Line(tuple(sorted(words, key=lambda word: word.box.left)))


def uncovered(row: Row, words: list[Word]) -> list[Box]:
    """Stretches of the row, as high as the row, whose ink lies under no word. A dot is none; nor is a letter or two
    beside a word, because the engine's boxes are off by as much where it parts a word into syllables."""
    height = row.box.height
    groups: list[list[Box]] = []
    after_word = True
    for ink in row.ink:
        if _is_covered(ink, words):
            after_word = True
        elif after_word or ink.left - groups[-1][-1].right >= height:
            groups.append([ink])
            after_word = False
        else:
            groups[-1].append(ink)
    covered = [ink for ink in row.ink if _is_covered(ink, words)]
    found = []
    for group in groups:
        whole = hull(group)
        is_dot = whole.width < LEAST_TEXT and whole.height < LEAST_TEXT
        near = any(ink.left - whole.right < height and whole.left - ink.right < height for ink in covered)
        if height >= LEAST_TEXT and not is_dot and not (near and whole.width < 2 * height):
            found.append(Box(whole.left, row.box.top, whole.right, row.box.bottom))
    return found


def _is_covered(ink: Box, words: list[Word]) -> bool:
    covered = sum(max(0, min(ink.right, word.box.right) - max(ink.left, word.box.left)) for word in words)
    return covered >= 0.5 * ink.width
