"""From lines anywhere on a page to its reading order: columns, rows of what stands side by side, blocks."""

from collections.abc import Collection
from dataclasses import dataclass

from packs.ocr.reading.boxes import Box, hull

# A gutter between columns is this many lines wide, and few lines cross it: headlines.
GUTTER_LINES = 1.0
MOST_CROSSING = 0.25
# A narrower one parts only columns of prose.
NARROW_GUTTER, MOST_CROSSING_NARROW = 0.3, 0.15
LONG_LINE, LONG_LINES = 0.8, 0.3
LEAST_COLUMN_LINES = 3
# Side by side and level with each other: cells of a table. Not level, or full lines: columns.
LEVEL_SHARE = 0.7
FULL_LINES = 0.6
WIDE_COLUMN = 10
SAME_ROW = 0.5
MOST_DEPTH = 4
MOST_FIGURES = 0.5
# A gap of this many lines ends a block, and so does a change of size by this much.
BLOCK_GAP = 1.0
TAIL_GAP, MOST_TAIL = 0.8, 3
SIZE_CHANGE = 1.45


@dataclass(frozen=True)
class Layout:
    blocks: tuple[tuple[tuple[int, ...], ...], ...]
    """Blocks of rows of lines, by their numbers, in reading order."""
    columns: int


def layout_of(boxes: list[Box], numbers: Collection[int] = ()) -> Layout:
    """The boxes are level: a page that lies askew was turned back first. `numbers`: which of them hold nothing else; a
    column of them belongs to a table."""
    columns = _columns(boxes, list(range(len(boxes))), MOST_DEPTH, frozenset(boxes[number] for number in numbers))
    blocks = [block for column in columns for block in _blocks(boxes, _rows(boxes, column))]
    return Layout(tuple(blocks), _side_by_side([hull([boxes[number] for number in column]) for column in columns]))


def _columns(boxes: list[Box], numbers: list[int], depth: int, figures: frozenset[Box]) -> list[list[int]]:
    gutter = _gutter([boxes[number] for number in numbers], figures) if depth and len(numbers) > 1 else None
    if gutter is None:
        return [numbers] if numbers else []
    parts: list[list[int]] = []
    band: list[int] = []
    # Lines that cross the gutter part the page into bands, each with its own columns.
    for number in sorted(numbers, key=lambda each: boxes[each].top + boxes[each].bottom):
        if boxes[number].left < gutter < boxes[number].right:
            tail = _tail(boxes, band, gutter)
            columns = [each for each in band if each not in tail]
            parts += [*_both_sides(boxes, columns, gutter, depth, figures), *([tail] if tail else []), [number]]
            band = []
        else:
            band.append(number)
    parts += _both_sides(boxes, band, gutter, depth, figures)
    return _with_neighbours_joined(boxes, parts, gutter)


def _tail(boxes: list[Box], band: list[int], gutter: float) -> list[int]:
    """Lines of the left side below all of the right one, and apart: the headline of what crosses the gutter next.
    Columns above such a thing end at about one height; only at the end of a page may the left one be much longer."""
    left = [number for number in band if boxes[number].right <= gutter]
    right = [number for number in band if boxes[number].right > gutter]
    if not left or not right:
        return []
    end = max(boxes[number].bottom for number in right)
    below = [number for number in left if boxes[number].top >= end]
    above = [boxes[number].bottom for number in left if number not in below]
    is_apart = (
        bool(below and above) and min(boxes[n].top for n in below) - max(above) > TAIL_GAP * boxes[below[0]].height
    )
    return below if is_apart and len(below) <= MOST_TAIL else []


def _both_sides(
    boxes: list[Box], band: list[int], gutter: float, depth: int, figures: frozenset[Box]
) -> list[list[int]]:
    left = [number for number in band if boxes[number].right <= gutter]
    right = [number for number in band if boxes[number].right > gutter]
    return [*_columns(boxes, left, depth - 1, figures), *_columns(boxes, right, depth - 1, figures)]


def _with_neighbours_joined(boxes: list[Box], parts: list[list[int]], gutter: float) -> list[list[int]]:
    """Several lines in a row that cross the gutter are one part."""
    joined: list[list[int]] = []
    crossed = False
    for part in parts:
        crosses = any(boxes[number].left < gutter < boxes[number].right for number in part)
        if crosses and crossed:
            joined[-1].extend(part)
        else:
            joined.append(list(part))
        crossed = crosses
    return joined


def _gutter(boxes: list[Box], figures: frozenset[Box]) -> float | None:
    """Where the page is parted into columns, or None. Of the strips that few lines cross the one that the fewest do,
    and then the widest: a wider one may be cut through the ends of the longer lines."""
    height = _typical_height(boxes)
    found: list[tuple[int, float, float]] = []
    edges = sorted({box.right for box in boxes})
    for edge in edges[:-1]:
        right_of = [box.left for box in boxes if box.left >= edge]
        if not right_of:
            continue
        width = min(right_of) - edge
        if width < NARROW_GUTTER * height:
            continue
        middle = edge + width / 2
        crossing = [box for box in boxes if box.left < middle < box.right]
        is_narrow = width < GUTTER_LINES * height
        if is_narrow and (len(crossing) > MOST_CROSSING_NARROW * len(boxes) or not _is_prose(boxes, middle)):
            continue
        if len(crossing) <= MOST_CROSSING * len(boxes) and _parts_columns(boxes, middle, figures):
            found.append((-len(crossing), width, middle))
    return max(found)[2] if found else None


def _parts_columns(boxes: list[Box], gutter: float, figures: frozenset[Box]) -> bool:
    left = [box for box in boxes if box.right <= gutter]
    right = [box for box in boxes if box.left >= gutter]
    few, many = sorted((left, right), key=len)
    if len(few) < LEAST_COLUMN_LINES:
        return False
    if _is_of_figures(left, figures) or _is_of_figures(right, figures):
        return False
    level = sum(any(_is_level(box, other) for other in many) for box in few) / len(few)
    return level < LEVEL_SHARE or min(_fullness(left), _fullness(right)) >= FULL_LINES or _is_prose(boxes, gutter)


def _is_prose(boxes: list[Box], gutter: float) -> bool:
    """Lines from side to side on both sides of it, among shorter ones and headlines."""
    sides = [box for box in boxes if box.right <= gutter], [box for box in boxes if box.left >= gutter]
    return all(_long_lines(side) >= LONG_LINES * len(side) > 0 for side in sides)


def _long_lines(boxes: list[Box]) -> int:
    width = hull(boxes).width if boxes else 0
    is_wide = bool(boxes) and width >= WIDE_COLUMN * _typical_height(boxes)
    return sum(box.width >= LONG_LINE * width for box in boxes) if is_wide else 0


def _is_of_figures(boxes: list[Box], figures: frozenset[Box]) -> bool:
    """Most of its rows hold numbers and nothing else."""
    if sum(box in figures for box in boxes) <= MOST_FIGURES * len(boxes):
        return False
    rows = _rows(boxes, list(range(len(boxes))))
    return sum(all(boxes[number] in figures for number in row) for row in rows) > MOST_FIGURES * len(rows)


def _is_level(box: Box, other: Box) -> bool:
    return abs((box.top + box.bottom) - (other.top + other.bottom)) <= 0.3 * (box.height + other.height)


def _fullness(boxes: list[Box]) -> float:
    """How far lines fill the column from side to side, typically: prose does it, cells do not."""
    column = hull(boxes)
    if column.width < WIDE_COLUMN * _typical_height(boxes):
        return 0.0
    rows = _rows(boxes, list(range(len(boxes))))
    # Several cells in one row are no prose, however full they make it.
    widths = sorted(boxes[row[0]].width if len(row) == 1 else 0 for row in rows)
    return widths[len(widths) // 2] / column.width


def _rows(boxes: list[Box], numbers: list[int]) -> list[tuple[int, ...]]:
    """What stands side by side, from left to right; rows from the top."""
    rows: list[list[int]] = []
    for number in sorted(numbers, key=lambda each: boxes[each].top + boxes[each].bottom):
        box = boxes[number]
        if rows and _shares_row(box, [boxes[each] for each in rows[-1]]):
            rows[-1].append(number)
        else:
            rows.append([number])
    return [tuple(sorted(row, key=lambda each: boxes[each].left)) for row in rows]


def _shares_row(box: Box, row: list[Box]) -> bool:
    if any(_stands_above(box, other) for other in row):
        return False
    nearest = min(row, key=lambda other: max(other.left - box.right, box.left - other.right))
    return box.shared_height(nearest) > SAME_ROW * min(box.height, nearest.height)


def _stands_above(box: Box, other: Box) -> bool:
    """Or below: they share more than a stroke of the width."""
    return min(box.right, other.right) - max(box.left, other.left) > 0.3 * min(box.width, other.width)


def _blocks(boxes: list[Box], rows: list[tuple[int, ...]]) -> list[tuple[tuple[int, ...], ...]]:
    blocks: list[list[tuple[int, ...]]] = []
    for row in rows:
        box = hull([boxes[number] for number in row])
        if not blocks or _is_apart(hull([boxes[number] for number in blocks[-1][-1]]), box):
            blocks.append([])
        blocks[-1].append(row)
    return [tuple(block) for block in blocks]


def _is_apart(above: Box, box: Box) -> bool:
    low, high = sorted((above.height, box.height))
    return box.top - above.bottom > BLOCK_GAP * low or high > SIZE_CHANGE * low


def _typical_height(boxes: list[Box]) -> int:
    heights = sorted(box.height for box in boxes)
    return heights[len(heights) // 2]


def _side_by_side(columns: list[Box]) -> int:
    """The most columns at any height."""
    return max((sum(column.shared_height(other) > 0 for other in columns) for column in columns), default=0)
