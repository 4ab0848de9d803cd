"""Cells of words that stand in columns: of a page's own text, with rules between the rows or without any.

A column is what no row's words reach across. What a single row does reach across is a cell that spans columns.
"""

import math
import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from packs.ocr.reading.boxes import Box, hull
from packs.ocr.reading.structure import NUMBER, Cell
from packs.ocr.reading.tables import Placed

# In sizes of type: a wider gap parts two cells of one row; a strip that all rows leave blank parts two columns. In type
# of one width a blank is three quarters of a size wide.
CELL_GAP, COLUMN_GAP = 0.9, 0.4
# At most so many of the rows reach across columns.
MOST_SPANNING = 1 / 3
# Of the rows, so many have several cells.
LEAST_SHARE = 0.5
# A table has a column whose cells have no more words than this, typically.
MOST_WORDS = 4
MOST_CELLS = 20_000
# Two rows are a table only with so many columns.
LEAST_COLUMNS_OF_TWO_ROWS = 3
# A gap between lines so much larger than the smallest one begins another row.
ROW_GAP_TIMES = 1.6
# The last of them is a sign that its font does not explain: alone before a line, it is the mark of a list.
LIST_MARK = re.compile(
    r"[•·▪◦‣∙○●■□➢❖✓–*-]|\(?\d{1,2}[.)]|\d{1,2}(\.\d{1,2})+\.?|\(?[A-Za-z][.)]|\[\d{1,3}\]|[①-⑳]|[가-힣][.)]|\[□\]"
)

Words = Sequence[Placed]
"""Of one line, from left to right."""
Columns = list[tuple[int, int]]


def cells_of_lines(lines: Sequence[Words], size: float, *, between: Sequence[int] = ()) -> tuple[Cell, ...]:
    """None where they are no table. `between`: the heights of rules that part rows; without any, lines are rows, but
    for those that go on with the row above."""
    groups = [[word for at in group for word in lines[at]] for group in _between(lines, between)] if between else lines
    columns = columns_of(groups, size)
    if between:
        # Where rules stand around the head only, all of the body is one group: its lines say more.
        columns = max(columns, columns_of(lines, size), key=len)
    if len(columns) < 2 or len(columns) * len(lines) > MOST_CELLS:
        return ()
    placed = [_in_columns(words, columns, size) for words in lines]
    rows = _ruled_rows(lines, placed, between, size) if between else _rows(lines, placed, size)
    # Between rules a row may have many lines; without any, each line must show what it is.
    if not _is_table(
        [[part for at in row for part in placed[at]] for row in rows] if between else placed, len(columns)
    ):
        return ()
    cells = [cell for number, row in enumerate(rows) for cell in _joined(number, [placed[at] for at in row])]
    return tuple(cells) if len(rows) > 1 else ()


def segments(words: Words, size: float) -> list[list[Placed]]:
    """Words that stand together. The mark of a list belongs to what follows it."""
    found: list[list[Placed]] = []
    for word in words:
        is_near = found and word[0].left - found[-1][-1][0].right < CELL_GAP * size
        is_marked = len(found) == 1 and len(found[0]) == 1 and LIST_MARK.fullmatch(found[0][0][1])
        if found and (is_near or is_marked):
            found[-1].append(word)
        else:
            found.append([word])
    return found


def columns_of(lines: Sequence[Words], size: float) -> Columns:
    """Stretches of the width between strips that no row reaches into, but for the few that span columns."""
    counts = sorted((_parts(words, size) for words in lines), reverse=True)
    wanted = counts[len(counts) // 3]
    kept = list(lines)
    found = [stretches([word for words in kept for word in words], COLUMN_GAP * size)]
    for _ in range(int(MOST_SPANNING * len(lines))):
        if len(found[-1]) >= wanted:
            break
        kept.pop(_most_in_the_way(kept, COLUMN_GAP * size))
        found.append(stretches([word for words in kept for word in words], COLUMN_GAP * size))
    return max(found, key=len)


def _most_in_the_way(lines: Sequence[Words], gap: float) -> int:
    """The line without which there are the most columns; of several, the one that covers most of what few others do."""
    left = min(hull_of(words).left for words in lines)
    covered = np.zeros((len(lines), max(hull_of(words).right for words in lines) - left), dtype=np.int32)
    for row, words in zip(covered, lines, strict=True):
        for box, _ in words:
            row[box.left - left : box.right - left] = 1
    by = covered.sum(axis=0)
    alone = (covered / np.maximum(by, 1) ** 2).sum(axis=1)
    strips = [_blank_strips(by == row, gap) for row in covered]
    return max(range(len(lines)), key=lambda number: (strips[number], alone[number]))


def _blank_strips(blank: NDArray[np.bool_], gap: float) -> int:
    edges = np.flatnonzero(np.diff(np.pad(blank.astype(np.int8), 1)))
    return int((edges[1::2] - edges[::2] >= gap).sum())


def _parts(words: Words, size: float) -> int:
    """Two numbers are two cells where half a blank more would part words."""
    near = pairwise(sorted(words, key=lambda word: word[0].left))
    narrow = sum(
        COLUMN_GAP * size <= other[0].left - one[0].right < CELL_GAP * size
        and _is_number([one])
        and _is_number([other])
        for one, other in near
    )
    return len(stretches(words, CELL_GAP * size)) + narrow


def hull_of(words: Words) -> Box:
    return hull([box for box, _ in words])


def stretches(words: Words, gap: float) -> Columns:
    """Of the width, what words cover; narrower gaps are none."""
    columns: Columns = []
    for left, right in sorted((box.left, box.right) for box, _ in words):
        if columns and left - columns[-1][1] < gap:
            columns[-1] = (columns[-1][0], max(right, columns[-1][1]))
        else:
            columns.append((left, right))
    return columns


Row = list[tuple[int, int, list[Placed]]]
"""First column, how many, and the words: from left to right."""


def _is_table(rows: Sequence[Row], columns: int) -> bool:
    several = [row for row in rows if len(row) > 1]
    if len(several) < LEAST_SHARE * len(rows) or len(several) < 2:
        return False
    if len(rows) == 2 and (columns < LEAST_COLUMNS_OF_TWO_ROWS or len(rows[0]) != len(rows[1])):
        return False
    # Where every column is full of words, they are columns of a page.
    return any(_words_in(several, column) <= MOST_WORDS for column in range(columns))


def _words_in(rows: Sequence[Row], column: int) -> float:
    counts = sorted(len(words) for row in rows for first, _, words in row if first == column)
    return counts[len(counts) // 2] if counts else math.inf


def _in_columns(words: Words, columns: Columns, size: float) -> Row:
    row: Row = []
    group: list[Placed] = []
    for word in words:
        if group and _is_between(group[-1][0].right, word[0].left, columns, size):
            row.append(_spread(group, columns))
            group = []
        group.append(word)
    row.append(_spread(group, columns))
    return _without_overlaps(row)


def _is_between(left: int, right: int, columns: Columns, size: float) -> bool:
    """Whether the blank between two words is one between columns."""
    if right - left < COLUMN_GAP * size:
        return False
    return any(
        min(right, begin) - max(left, end) > 0 or end <= left < right <= begin
        for (_, end), (begin, _) in pairwise(columns)
    )


def _spread(words: list[Placed], columns: Columns) -> tuple[int, int, list[Placed]]:
    box = hull_of(words)
    met = [at for at, (left, right) in enumerate(columns) if min(right, box.right) > max(left, box.left)]
    if met:
        return met[0], met[-1] - met[0] + 1, words
    middle = (box.left + box.right) / 2
    return min(range(len(columns)), key=lambda at: abs(sum(columns[at]) / 2 - middle)), 1, words


def _without_overlaps(row: Row) -> Row:
    kept: Row = []
    for first, span, words in row:
        if kept and first < kept[-1][0] + kept[-1][1]:
            start, wide, before = kept[-1]
            kept[-1] = (start, max(wide, first + span - start), [*before, *words])
        else:
            kept.append((first, span, words))
    return kept


def _between(lines: Sequence[Words], rules: Sequence[int]) -> list[list[int]]:
    """The numbers of the lines between each two rules."""
    groups: dict[int, list[int]] = {}
    for number, words in enumerate(lines):
        box = hull_of(words)
        groups.setdefault(sum(y <= (box.top + box.bottom) / 2 for y in rules), []).append(number)
    return [numbers for _, numbers in sorted(groups.items())]


def _ruled_rows(lines: Sequence[Words], placed: Sequence[Row], between: Sequence[int], size: float) -> list[list[int]]:
    """Lines between two rules are one row, but several full ones are as many rows: some tables have rules only around
    their head."""
    groups = _between(lines, between)
    most = max(len(row) for row in placed)
    rows: list[list[int]] = []
    for numbers in groups:
        full = [number for number in numbers if len(placed[number]) > max(1, most / 2)]
        if len(full) > 1 and (len(groups) <= 3 or len(full) > len(numbers) / 2):
            parts = _rows([lines[at] for at in numbers], [placed[at] for at in numbers], size)
            rows += [[numbers[at] for at in part] for part in parts]
        else:
            rows.append(numbers)
    return rows


def _rows(lines: Sequence[Words], placed: Sequence[Row], size: float) -> list[list[int]]:
    boxes = [hull_of(words) for words in lines]
    gaps = [max(0, below.top - above.bottom) for above, below in pairwise(boxes)]
    near = min(gaps, default=0) + 0.15 * size
    is_parted = bool(gaps) and max(gaps) > ROW_GAP_TIMES * near and sum(gap > near for gap in gaps) >= len(gaps) / 4
    rows = [[0]]
    for number, gap in enumerate(gaps, 1):
        goes_on = gap <= near if is_parted else _goes_on(placed[number], placed[number - 1])
        if goes_on and _may_go_on(placed[number], [placed[at] for at in rows[-1]]):
            rows[-1].append(number)
        else:
            rows.append([number])
    return rows


def _goes_on(row: Row, above: Row) -> bool:
    """Words in few columns, not in the first one, under words."""
    if row[0][0] == 0 or len(row) > max(1, len(above) / 2):
        return False
    over = {first: words for first, _, words in above}
    return all(first in over and not _is_number(words) and not _is_number(over[first]) for first, _, words in row)


def _may_go_on(row: Row, above: Sequence[Row]) -> bool:
    """Numbers under numbers are the next row, however near."""
    numbers = {first for line in above for first, _, words in line if _is_number(words)}
    return not any(first in numbers for first, _, words in row if _is_number(words))


def _is_number(words: Words) -> bool:
    return bool(NUMBER.fullmatch("".join(text for _, text in words)))


def _joined(number: int, lines: Sequence[Row]) -> list[Cell]:
    """The lines of one row as its cells. A cell of several lines is as wide as its widest."""
    parts = sorted((part for line in lines for part in line), key=lambda part: part[0])
    merged: list[tuple[int, int, list[Placed]]] = []
    for first, span, words in parts:
        if merged and first < merged[-1][0] + merged[-1][1]:
            start, wide, before = merged[-1]
            merged[-1] = (start, max(wide, first + span - start), [*before, *words])
        else:
            merged.append((first, span, words))
    return [Cell(number, first, _text(words), column_span=span) for first, span, words in merged]


def _text(words: Sequence[Placed]) -> str:
    """In reading order: line by line."""
    return " ".join(text for _, text in words)
