"""Strips between the cells of a table, which are no rows and no columns."""

from collections.abc import Sequence

from packs.ocr.reading.boxes import Box
from packs.ocr.reading.ruled_tables import SAME_RULE, Grid

# In sizes of type: a narrower column, or a lower row, without a word is a strip between cells.
NARROW, LOW = 1.2, 0.7

Edges = list[tuple[int, list[int]]]
"""Groups of edges that are one, each with its middle."""


def without_slivers(grid: Grid, boxes: Sequence[Box], size: float) -> Grid:
    """Cells drawn apart from each other, or with a shade inside of their frame, leave strips between them in which no
    word stands: their two sides are one rule. `size`: of the type."""
    columns = _joined(grid.columns, NARROW * size, [(box.left, box.right) for box in boxes])
    rows = _joined(grid.rows, LOW * size, [(box.top, box.bottom) for box in boxes])
    if len(columns) == len(grid.columns) and len(rows) == len(grid.rows):
        return grid
    rules = tuple(
        Box(_moved(columns, rule.left), _moved(rows, rule.top), _moved(columns, rule.right), _moved(rows, rule.bottom))
        for rule in grid.rules
    )
    return Grid(tuple(middle for middle, _ in rows), tuple(middle for middle, _ in columns), rules)


def _joined(edges: Sequence[int], most: float, words: Sequence[tuple[int, int]]) -> Edges:
    groups: list[list[int]] = []
    for edge in edges:
        before = groups[-1][-1] if groups else 0
        is_filled = any(before - 1 <= start and end <= edge + 1 for start, end in words)
        if groups and edge - before <= most and not is_filled:
            groups[-1].append(edge)
        else:
            groups.append([edge])
    return [((group[0] + group[-1]) // 2, group) for group in groups]


def _moved(edges: Edges, at: int) -> int:
    for middle, group in edges:
        if group[0] - SAME_RULE <= at <= group[-1] + SAME_RULE:
            return middle
    return at
