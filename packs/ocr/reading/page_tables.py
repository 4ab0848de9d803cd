"""The tables of a PDF page: which of its lines stand in one, and the cells they make."""

import statistics
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from packs.ocr.reading.boxes import Box, hull
from packs.ocr.reading.marks import marked_text
from packs.ocr.reading.order import layout_of
from packs.ocr.reading.pdfs import PdfPage, TextLine
from packs.ocr.reading.ruled_tables import Grid, cells_in, with_neighbours
from packs.ocr.reading.slivers import without_slivers
from packs.ocr.reading.structure import NUMBER, Cell
from packs.ocr.reading.tables import Placed
from packs.ocr.reading.text_tables import CELL_GAP, cells_of_lines, hull_of, segments, stretches

# Rows of a table without rules: so many lines of one cell may stand among them, so many sizes of type
# between two rows.
MOST_SINGLE, MOST_ROW_GAP = 1, 1.8
# Their type is of about one size.
SAME_SIZE = 1.15
# In points: how far from the rules a row without one may stand.
MOST_PITCH = 24
# Of the lines in a table, so many may have a word that reaches over a rule: headlines, mostly.
MOST_CUT = 0.2
# Of a table's width: a wider line is no cell of its head.
MOST_OF_WIDTH = 0.5
# So many numbers above each other are as many cells.
LEAST_STACKED = 3

Row = list[TextLine]
Found = tuple[list[Row], tuple[Cell, ...]]
"""The rows of lines that stand in a table, and its cells."""


def ruled_tables(page: PdfPage) -> Iterator[Found]:
    """Each with its lines, which belong to no other."""
    taken: set[int] = set()
    for grid in (_with_neighbours(_whole(each, page), page) for each in page.grids):
        held = [line for line in page.lines if grid.holds(line.box) and id(line) not in taken]
        for found in _tables_of(grid, held):
            taken |= {id(line) for row in found[0] for line in row}
            yield found


def tables_without_rules(rows: list[Row]) -> Iterator[tuple[int, int, tuple[Cell, ...]]]:
    """Without rules: from the first row to behind the last one."""
    if not rows:
        return
    words = [_words(row) for row in rows]
    several = [len(segments(each, _type_size([row]))) > 1 for row, each in zip(rows, words, strict=True)]
    number = 0
    while number < len(rows):
        end = _run_end(rows, words, several, number) if several[number] else number
        cells = cells_of_lines(words[number:end], _type_size(rows[number:end])) if end - number > 1 else ()
        if cells:
            yield number, end, cells
        number = max(end, number + 1)


def _run_end(rows: list[Row], words: list[list[Placed]], several: list[bool], start: int) -> int:
    """Behind the last row that has several cells, or goes on with one that has."""
    size = _type_size([rows[start]])
    first_column = hull_of(segments(words[start], size)[0])
    end = number = start + 1
    while number < len(words) and _is_next(hull_of(words[number - 1]), hull_of(words[number]), size):
        if not _is_of_one_size(rows[start], rows[number]):
            break
        if several[number] or hull_of(words[number]).left > first_column.right:
            end = number + 1
        elif number - end >= MOST_SINGLE:
            break
        number += 1
    return end


def _is_of_one_size(row: Row, other: Row) -> bool:
    low, high = sorted((row[0].size, other[0].size))
    return high <= SAME_SIZE * low


def _is_next(above: Box, below: Box, size: float) -> bool:
    is_under = min(above.right, below.right) > max(above.left, below.left)
    return is_under and above.top <= below.top and below.top - above.bottom <= MOST_ROW_GAP * size


def _whole(grid: Grid, page: PdfPage) -> Grid:
    held = [line for line in page.lines if grid.holds(line.box)]
    return without_slivers(grid, [box for line in held for box, _ in line.words], _type_size([held])) if held else grid


def _with_neighbours(grid: Grid, page: PdfPage) -> Grid:
    """A head may stand above the first rule, and the last row below the last one."""
    if grid.has_columns:
        return with_neighbours(grid, [box for line in page.lines for box, _ in line.words]) if grid.has_rows else grid
    pitch = round(min(statistics.median([below - above for above, below in pairwise(grid.rows)]), MOST_PITCH))
    above = grid.rows[0] - pitch
    beside = [line for line in page.lines if grid.columns[0] <= _center(line) <= grid.columns[-1]]
    head = [line for line in beside if above <= _middle([line]) < grid.rows[0]]
    first = (above,) if _has_cells(head, grid) else ()
    return replace(grid, rows=(*first, *grid.rows, *_rows_below(beside, grid)))


def _rows_below(lines: list[TextLine], grid: Grid) -> tuple[int, ...]:
    """Some tables have rules around their head only: what goes on below the last one with several cells a row."""
    end = reached = grid.rows[-1]
    singles = 0
    for row in _visual_rows([line for line in lines if _middle([line]) > grid.rows[-1]]):
        box = hull([line.box for line in row])
        is_cells = _has_cells(row, grid)
        singles = 0 if is_cells else singles + 1
        if box.top - reached > MOST_ROW_GAP * _type_size([row]) or singles > MOST_SINGLE:
            break
        reached = max(reached, box.bottom)
        end = reached + 1 if is_cells else end
    return (end,) if end > grid.rows[-1] else ()


def _has_cells(row: Row, grid: Grid) -> bool:
    """A caption above a table, or a note below it, has none: it is a line of words."""
    if not row:
        return False
    cells = stretches(_words(row), CELL_GAP * _type_size([row]))
    return len(cells) > 1 and max(right - left for left, right in cells) < MOST_OF_WIDTH * grid.box.width


def _center(line: TextLine) -> float:
    return (line.box.left + line.box.right) / 2


def _tables_of(grid: Grid, lines: list[TextLine]) -> Iterator[Found]:
    rows = _visual_rows(lines)
    if not rows:
        return
    if _is_drawing(grid, lines):
        return
    if grid.has_columns and grid.has_rows and not _is_coarse(grid, rows):
        cells = cells_in(grid, [word for row in rows for line in row for word in _marked_words(line)])
        yield rows, cells
        return
    for run in _runs_between_rules(grid, rows):
        cells = cells_of_lines([_words(row) for row in run], _type_size(run), between=grid.rows) if run else ()
        if cells:
            yield run, cells


def _is_drawing(grid: Grid, lines: list[TextLine]) -> bool:
    """Rules that run through words part no cells: a page's decoration, a chart."""
    cut = [any(_cuts(rule, box) for rule in grid.upright for box, _ in line.words) for line in lines]
    return sum(cut) > MOST_CUT * len(lines)


def _cuts(rule: Box, word: Box) -> bool:
    is_level = rule.top < (word.top + word.bottom) / 2 < rule.bottom
    return is_level and word.left + 1 < rule.left < word.right - 1


def _is_coarse(grid: Grid, rows: list[Row]) -> bool:
    """Whether rules part only groups of rows or of columns: several numbers stand between two of them."""
    size = _type_size(rows)
    stacked: Counter[tuple[int, int]] = Counter()
    for row in rows:
        for segment in segments(_words(row), size):
            if NUMBER.fullmatch("".join(text for _, text in segment)):
                stacked[grid.place_of(hull_of(segment))] += 1
    return sum(count for count in stacked.values() if count >= LEAST_STACKED) > sum(stacked.values()) / 2


def _type_size(rows: list[Row]) -> float:
    return statistics.median([line.size for row in rows for line in row]) or 1.0


def _runs_between_rules(grid: Grid, rows: list[Row]) -> Iterator[list[Row]]:
    """Stretches between rules in which most lines have several cells: prose between two rules is no table."""
    size = _type_size(rows)
    run: list[Row] = []
    single: list[Row] = []
    for top, bottom in pairwise(grid.rows):
        held = [row for row in rows if top <= _middle(row) < bottom]
        # Prose leaves no strip blank over all of its lines.
        if held and len(stretches([word for row in held for word in _words(row)], CELL_GAP * size)) > 1:
            run += [*single, *held]
            single = []
        elif run and len(held) <= MOST_SINGLE:
            # A row of which only one cell is filled, or a headline amid the rows.
            single += held
        else:
            yield run
            run, single = [], []
    yield run


def _middle(row: Row) -> float:
    box = hull([line.box for line in row])
    return (box.top + box.bottom) / 2


def _visual_rows(lines: list[TextLine]) -> list[Row]:
    layout = layout_of([line.box for line in lines])
    rows = sorted((list(row) for block in layout.blocks for row in block), key=lambda row: lines[row[0]].box.top)
    return [[lines[number] for number in row] for row in rows]


def _words(row: Row) -> list[Placed]:
    return [word for line in sorted(row, key=lambda line: line.box.left) for word in _marked_words(line)]


def _marked_words(line: TextLine) -> list[Placed]:
    return [(box, marked_text(text).text) for box, text in line.words]
