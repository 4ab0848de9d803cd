"""Where the text is: a page cut into columns, columns into rows, rows into regions of one size of type.

The cut is made once, before anything is read, and then stays: every pass reads inside it, and a row that no pass
could read is known by its place and written `[□]`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from packs.ocr.profiles import BODY, FINE, TITLE
from packs.ocr.reading.boxes import Box, hull
from packs.ocr.reading.enhance import threshold

Cells = NDArray[np.bool_]

# The cut works on cells of 3 × 3 pixels. A cell counts as inked from 3 dark pixels on, so dust does not.
CELL = 3
INKED = 3
# Ink all over a cell-high strip of less than this is a speck, not a row.
LEAST_ROW_CELLS = 2
# Against the higher of two neighbours, and against both together.
PART_OF_ROW = 0.5
SPLIT_GAP = 0.12
# A gutter between columns is this many rows wide and runs along this share of the text's height, the longest first.
GUTTER_ROWS = 1.1
GUTTER_SHARES = (0.98, 0.9, 0.8, 0.7, 0.6, 0.5)
# Side by side with rows level with each other: cells of a table. Not level, or full lines: columns.
LEVEL_SHARE = 0.7
FULL_LINES = 0.6
LEAST_COLUMN_ROWS = 3
# Against the page's ordinary rows.
TITLE_TIMES = 1.6
FINE_TIMES = 0.72
FINE_PIXELS = 13
SMALL_PIXELS = 15


class Size(StrEnum):
    TITLE = TITLE
    BODY = BODY
    FINE = FINE


@dataclass(frozen=True)
class Row:
    box: Box
    ink: tuple[Box, ...]
    """Stretches of ink without a blank, from left to right: letters, mostly. Each must end as text or `[□]`."""


@dataclass(frozen=True)
class Region:
    box: Box
    size: Size
    row_height: int
    """Of a typical row, in pixels."""
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Layout:
    regions: tuple[Region, ...]
    """In reading order."""
    columns: int
    body_height: int


def find_regions(grey: Image.Image, *, is_table: bool) -> Layout:
    cells = _cells(grey)
    leaves = list(_leaves(cells, Box(0, 0, cells.shape[1], cells.shape[0]), is_table=is_table))
    rows = [_rows(cells, leaf) for leaf in leaves]
    body = _body_height([row for found in rows for row in found])
    regions = [_region(cells, group, body) for found in rows for group in _grouped(found, body)]
    return Layout(tuple(regions), _side_by_side(leaves), body)


def _cells(grey: Image.Image) -> Cells:
    pixels = np.asarray(grey)
    height, width = (pixels.shape[0] // CELL) * CELL, (pixels.shape[1] // CELL) * CELL
    ink = pixels[:height, :width] <= min(threshold(pixels), 215)
    dark = ink.reshape(height // CELL, CELL, width // CELL, CELL).sum(axis=(1, 3), dtype=np.uint8)
    return np.asarray(dark >= INKED)


def _leaves(cells: Cells, box: Box, *, is_table: bool, depth: int = 0) -> Iterator[Box]:
    """The columns of the page, in reading order; what lies above and below them comes before and after."""
    trimmed = _trimmed(cells, box)
    if trimmed is None:
        return
    gutter = None if is_table or depth > 4 else _gutter(cells, trimmed)
    if gutter is None:
        yield trimmed
        return
    above = Box(trimmed.left, trimmed.top, trimmed.right, gutter.top)
    below = Box(trimmed.left, gutter.bottom, trimmed.right, trimmed.bottom)
    left = Box(trimmed.left, gutter.top, gutter.left, gutter.bottom)
    right = Box(gutter.right, gutter.top, trimmed.right, gutter.bottom)
    for part in (above, left, right, below):
        yield from _leaves(cells, part, is_table=is_table, depth=depth + 1)


def _trimmed(cells: Cells, box: Box) -> Box | None:
    part = cells[box.top : box.bottom, box.left : box.right]
    rows, columns = np.nonzero(part.any(axis=1))[0], np.nonzero(part.any(axis=0))[0]
    if not rows.size:
        return None
    return Box(
        box.left + int(columns[0]), box.top + int(rows[0]), box.left + int(columns[-1]) + 1, box.top + int(rows[-1]) + 1
    )


def _gutter(cells: Cells, box: Box) -> Box | None:
    """The widest empty strip that parts the text into columns, as far down as it is empty."""
    part = cells[box.top : box.bottom, box.left : box.right]
    row_height = _typical_height([_scaled_down(row) for row in _rows(cells, box)]) or 1
    least_width = max(3, round(GUTTER_ROWS * row_height))
    tops, bottoms = _longest_empty(part)
    for share in GUTTER_SHARES:
        least_height = max(share * box.height, 4 * row_height)
        found = [
            Box(box.left + start, box.top + top, box.left + end, box.top + bottom)
            for start, end in _stretches(bottoms - tops >= least_height)
            if end - start >= least_width and start > 0 and end < box.width
            for top, bottom in [(int(tops[start:end].max()), int(bottoms[start:end].min()))]
            if bottom - top >= least_height
        ]
        found = [gutter for gutter in found if _parts_columns(cells, box, gutter)]
        if found:
            return _between_rows(cells, box, max(found, key=lambda gutter: gutter.width), row_height)
    return None


def _between_rows(cells: Cells, box: Box, gutter: Box, row_height: int) -> Box:
    """Where a headline crosses the gutter, the strip begins among the feet of its letters and would cut them off: it
    is moved to where the page is blank from side to side, if that is near."""
    blank = np.asarray(~cells[:, box.left : box.right].any(axis=1))
    below = np.flatnonzero(blank[gutter.top : gutter.top + 2 * row_height])
    above = np.flatnonzero(blank[max(0, gutter.bottom - 2 * row_height) : gutter.bottom][::-1])
    top = gutter.top + int(below[0]) if gutter.top > box.top and below.size else gutter.top
    bottom = gutter.bottom - int(above[0]) if gutter.bottom < box.bottom and above.size else gutter.bottom
    return Box(gutter.left, top, gutter.right, bottom)


def _longest_empty(part: Cells) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """For every column of cells, where its longest empty stretch begins and ends."""
    height, width = part.shape
    begins = np.zeros(width, dtype=np.int32)
    tops, bottoms = np.zeros(width, dtype=np.int32), np.zeros(width, dtype=np.int32)
    for y in range(height + 1):
        inked = part[y] if y < height else np.ones(width, dtype=np.bool_)
        longer = inked & (y - begins > bottoms - tops)
        tops[longer], bottoms[longer] = begins[longer], y
        begins[inked] = y + 1
    return tops, bottoms


def _parts_columns(cells: Cells, box: Box, gutter: Box) -> bool:
    """Whether the strip stands between columns of text, not between the cells of a table."""
    left = _rows(cells, Box(box.left, gutter.top, gutter.left, gutter.bottom))
    right = _rows(cells, Box(gutter.right, gutter.top, box.right, gutter.bottom))
    if min(len(left), len(right)) < LEAST_COLUMN_ROWS:
        return False
    few, many = sorted((left, right), key=len)
    level = sum(any(_level(row, other) for other in many) for row in few) / len(few)
    return level < LEVEL_SHARE or min(_fullness(cells, left), _fullness(cells, right)) >= FULL_LINES


def _level(row: Box, other: Box) -> bool:
    return abs((row.top + row.bottom) - (other.top + other.bottom)) <= 0.3 * (row.height + other.height)


def _fullness(cells: Cells, rows: list[Box]) -> float:
    """How far ink fills the column from side to side, typically: lines of prose do it, cells do not."""
    widest = max(row.width for row in rows)
    if widest < 8 * rows[0].height:
        return 0.0
    small = [_scaled_down(row) for row in rows]
    inked = [cells[row.top : row.bottom, row.left : row.right].any(axis=0).sum() * CELL for row in small]
    return float(np.median(inked)) / widest


def _rows(cells: Cells, box: Box) -> list[Box]:
    """Rows of text in a column, in pixels of the page."""
    part = cells[box.top : box.bottom, box.left : box.right]
    found: list[Box] = []
    for start, end in _whole_rows(_stretches(np.asarray(part.any(axis=1)))):
        columns = np.nonzero(part[start:end].any(axis=0))[0]
        row = Box(box.left + int(columns[0]), box.top + start, box.left + int(columns[-1]) + 1, box.top + end)
        if row.height >= LEAST_ROW_CELLS or row.width >= 2 * LEAST_ROW_CELLS:
            found.append(Box(row.left * CELL, row.top * CELL, row.right * CELL, row.bottom * CELL))
    return found


def _whole_rows(stretches: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """A blank may run through a whole line of Korean, between the parts of its syllables. It is narrow, and what it
    parts from the line is much lower than the rest."""
    rows: list[tuple[int, int]] = []
    for start, end in stretches:
        if rows:
            top, bottom = rows[-1]
            low, high = sorted((bottom - top, end - start))
            if low < PART_OF_ROW * high and start - bottom <= SPLIT_GAP * (end - top):
                rows[-1] = (top, end)
                continue
        rows.append((start, end))
    return rows


def _scaled_down(box: Box) -> Box:
    return Box(box.left // CELL, box.top // CELL, box.right // CELL, box.bottom // CELL)


def _stretches(present: NDArray[np.bool_]) -> list[tuple[int, int]]:
    edges = np.diff(np.concatenate(([False], present, [False])).astype(np.int8))
    starts, ends = np.nonzero(edges == 1)[0], np.nonzero(edges == -1)[0]
    return [(int(start), int(end)) for start, end in zip(starts, ends, strict=True)]


def _typical_height(rows: list[Box]) -> int:
    """The median, weighted by how much each row holds: three headlines do not outvote a page of text."""
    if not rows:
        return 0
    ordered = sorted(rows, key=lambda row: row.height)
    half, passed = sum(row.width / max(row.height, 1) for row in ordered) / 2, 0.0
    for row in ordered:
        passed += row.width / max(row.height, 1)
        if passed >= half:
            return row.height
    return ordered[-1].height


def _body_height(rows: list[Box]) -> int:
    """What the page's ordinary text measures. Small print may hold more words than the text it belongs to."""
    readable = [row for row in rows if row.height > SMALL_PIXELS]
    enough = sum(row.width for row in readable) >= 0.2 * sum(row.width for row in rows)
    return _typical_height(readable if enough else rows)


def _size(row: Box, body: int) -> Size:
    if row.height > TITLE_TIMES * body:
        return Size.TITLE
    is_fine = row.height < FINE_TIMES * body or row.height <= FINE_PIXELS
    return Size.FINE if is_fine else Size.BODY


def _grouped(rows: list[Box], body: int) -> Iterator[list[Box]]:
    """Neighbouring rows of one size, cut where the gap between them is wide."""
    group: list[Box] = []
    for row in rows:
        if group and (_size(row, body) is not _size(group[-1], body) or _is_apart(group, row)):
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def _is_apart(group: list[Box], row: Box) -> bool:
    return row.top - group[-1].bottom > 2.2 * max(row.height, group[-1].height)


def _region(cells: Cells, rows: list[Box], body: int) -> Region:
    height = _typical_height(rows)
    size = _size(Box(0, 0, 1, height), body)
    return Region(hull(rows), size, height, tuple(Row(row, _ink(cells, row)) for row in rows))


def _ink(cells: Cells, row: Box) -> tuple[Box, ...]:
    small = _scaled_down(row)
    part = cells[small.top : small.bottom, small.left : small.right]
    found: list[Box] = []
    for start, end in _stretches(np.asarray(part.any(axis=0))):
        inked = np.nonzero(part[:, start:end].any(axis=1))[0]
        top, bottom = row.top + int(inked[0]) * CELL, row.top + (int(inked[-1]) + 1) * CELL
        found.append(Box(row.left + start * CELL, top, row.left + end * CELL, bottom))
    return tuple(found)


def _side_by_side(leaves: list[Box]) -> int:
    """The most columns at any height."""
    return max((sum(leaf.shared_height(other) > 0 for other in leaves) for leaf in leaves), default=0)
