"""Cells of what stands in rows side by side on a picture: rows, columns, and what spans several columns."""

from collections.abc import Sequence

from packs.ocr.reading.boxes import Box
from packs.ocr.reading.structure import Cell

LEAST_ROWS = 2
# Of the rows, so many have several cells.
LEAST_SHARE = 0.6

Placed = tuple[Box, str]


def cells_of(rows: Sequence[Sequence[Placed]]) -> tuple[Cell, ...]:
    """None where the rows are no table."""
    several = [row for row in rows if len(row) > 1]
    if len(several) < LEAST_ROWS or len(several) < LEAST_SHARE * len(rows):
        return ()
    columns = _columns(several)
    if len(columns) < 2:
        return ()
    return tuple(cell for number, row in enumerate(rows) for cell in _row_cells(number, row, columns))


def _columns(rows: Sequence[Sequence[Placed]]) -> list[tuple[int, int]]:
    """Stretches of the width that cells of different rows share. Rows with the most cells say best where they are."""
    most = max(len(row) for row in rows)
    spans = sorted((box.left, box.right) for row in rows if len(row) == most for box, _ in row)
    columns: list[tuple[int, int]] = []
    for left, right in spans:
        if columns and left < columns[-1][1]:
            columns[-1] = (columns[-1][0], max(right, columns[-1][1]))
        else:
            columns.append((left, right))
    return columns


def _row_cells(number: int, row: Sequence[Placed], columns: Sequence[tuple[int, int]]) -> list[Cell]:
    cells: list[Cell] = []
    for box, text in row:
        first, span = _place(box, columns)
        if cells and first < cells[-1].column + cells[-1].column_span:
            last = cells[-1]
            wider = max(last.column_span, first + span - last.column)
            cells[-1] = Cell(number, last.column, f"{last.text} {text}", column_span=wider)
        else:
            cells.append(Cell(number, first, text, column_span=span))
    return cells


def _place(box: Box, columns: Sequence[tuple[int, int]]) -> tuple[int, int]:
    met = [at for at, (left, right) in enumerate(columns) if min(right, box.right) > max(left, box.left)]
    if met:
        return met[0], met[-1] - met[0] + 1
    middle = (box.left + box.right) / 2
    nearest = min(range(len(columns)), key=lambda at: abs(sum(columns[at]) / 2 - middle))
    return nearest, 1
