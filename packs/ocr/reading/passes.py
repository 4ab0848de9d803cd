"""The passes over a page whose regions are fixed: titles, body, fine print, each read at the scale that suits it.

After each region its rows are checked piece by piece. What the engine passed over or doubts is read again alone, as
often as the profile allows; what still has no text becomes an unreadable word in its place.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from PIL import Image

from packs.ocr.profiles import OcrProfile
from packs.ocr.reading.boxes import Box
from packs.ocr.reading.engine import ONE_LINE, Engine, Line, Word
from packs.ocr.reading.marks import UNREADABLE_MARK
from packs.ocr.reading.merge import merged
from packs.ocr.reading.regions import Layout, Region, Row, Size

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
# Thinner than this is a rule or a shadow, whatever its length.
LEAST_TEXT_HEIGHT = 7

_HANGUL = re.compile("[가-힣ㄱ-ㅣ]")


@dataclass(frozen=True)
class ReadRegion:
    region: Region
    name: str
    """Of the pass that read it."""
    lines: tuple[Line, ...]


class Passes:
    """One page. `latin` is the English model alone, where the profile reads with both."""

    def __init__(self, page: Image.Image, profile: OcrProfile, engine: Engine, latin: Callable[[], Engine]) -> None:
        self._page = page
        self._profile = profile
        self._engine = engine
        self._latin = latin
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
        rows = self._by_row(region, self._engine.read(self._page, region.box, scale=self._scale(region.row_height)))
        if region.size in self._profile.second_reading:
            again = self._engine.read(self._page, region.box, scale=self._other_scale(region.row_height))
            rows = [_both(*pair) for pair in zip(rows, self._by_row(region, again), strict=True)]
        if self._profile.both_engines:
            rows = [self._with_latin(row, lines) for row, lines in zip(region.rows, rows, strict=True)]
        return [
            line for row, lines in zip(region.rows, rows, strict=True) for line in self._completed(region, row, lines)
        ]

    def _by_row(self, region: Region, lines: list[Line]) -> list[list[Line]]:
        """Each line to the row it shares most height with."""
        rows: list[list[Line]] = [[] for _ in region.rows]
        for line in lines:
            box = line.box
            nearest = max(range(len(rows)), key=lambda number: region.rows[number].box.shared_height(box))
            rows[nearest].append(line)
        return rows

    def _with_latin(self, row: Row, lines: list[Line]) -> list[Line]:
        if len(lines) != 1 or _HANGUL.search(lines[0].text) or not re.search("[A-Za-z]", lines[0].text):
            return lines
        again = self._latin().read(self._page, row.box, scale=self._scale(row.box.height), mode=ONE_LINE)
        return [merged(lines[0], again[0])] if len(again) == 1 else lines

    def _completed(self, region: Region, row: Row, lines: list[Line]) -> list[Line]:
        if len(lines) > 1:
            return self._tight(row, lines)
        if (lines and lines[0].confidence < REREAD_BELOW) or not lines:
            again = self._reread(row.box, self._other_scale(row.box.height))
            if again is not None:
                lines = [merged(lines[0], again)] if lines else [again]
        words = list(lines[0].words) if lines else []
        words += [word for piece in row.pieces if not _is_covered(piece, words) for word in self._piece(region, piece)]
        return [Line(tuple(sorted(words, key=lambda word: word.box.left)))] if words else []

    def _tight(self, row: Row, lines: list[Line]) -> list[Line]:
        """Several lines where the cut saw one row: they stand below or beside each other, as the engine says."""
        level = all(line.box.shared_height(lines[0].box) > 0.5 * line.box.height for line in lines)
        if level:
            words = [word for line in lines for word in line.words]
            return [Line(tuple(sorted(words, key=lambda word: word.box.left)))]
        return sorted(lines, key=lambda line: line.box.top)

    def _piece(self, region: Region, piece: Box) -> list[Word]:
        """A piece of ink that no reading has explained yet."""
        if piece.height < LEAST_TEXT_HEIGHT or piece.width < LEAST_TEXT_HEIGHT:
            return []
        again = self._reread(piece, self._scale(region.row_height))
        if again is not None and again.confidence >= TEXT_FROM:
            return list(again.words)
        return [Word(UNREADABLE_MARK, 0.0, piece)]

    def _reread(self, box: Box, scale: float) -> Line | None:
        if self._crops_left == 0 or box.height < LEAST_TEXT_HEIGHT:
            return None
        self._crops_left -= 1
        lines = self._engine.read(self._page, box, scale=scale, mode=ONE_LINE)
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


def _is_covered(piece: Box, words: list[Word]) -> bool:
    covered = sum(max(0, min(piece.right, word.box.right) - max(piece.left, word.box.left)) for word in words)
    return covered >= 0.5 * piece.width
