"""Tables that rules are drawn around: where they are, and the cells between their rules."""

from collections.abc import Sequence
from dataclasses import dataclass

from packs.ocr.reading.boxes import Box, hull
from packs.ocr.reading.structure import Cell

# In points: rules nearer to each other are one.
SAME_RULE = 3
LEAST_LEVEL, LEAST_UPRIGHT = 3, 3
# A page's frame around everything is no table, and neither are more cells than anybody reads.
MOST_CELLS = 20_000


@dataclass(frozen=True)
class Grid:
    rows: tuple[int, ...]
    """The heights of its level rules, from the top."""
    columns: tuple[int, ...]

    @property
    def box(self) -> Box:
        return Box(self.columns[0], self.rows[0], self.columns[-1], self.rows[-1])

    def holds(self, box: Box) -> bool:
        middle = (box.left + box.right) / 2, (box.top + box.bottom) / 2
        return self.box.left <= middle[0] <= self.box.right and self.box.top <= middle[1] <= self.box.bottom


def grids_of(level: Sequence[Box], upright: Sequence[Box]) -> list[Grid]:
    """Upright rules that overlap in height and the level ones that they meet."""
    grids = []
    for group in _touching(level, upright):
        rows = _apart([box.top for box in group if box.width > box.height])
        columns = _apart([box.left for box in group if box.width <= box.height])
        is_table = len(rows) >= LEAST_LEVEL and len(columns) >= LEAST_UPRIGHT
        if is_table and len(rows) * len(columns) <= MOST_CELLS:
            grids.append(Grid(tuple(rows), tuple(columns)))
    return grids


def cells_in(grid: Grid, texts: Sequence[tuple[Box, str]]) -> tuple[Cell, ...]:
    """Every cell, empty ones too, but those that a text reaches over belong to it."""
    held: dict[tuple[int, int], list[str]] = {}
    spans: dict[tuple[int, int], int] = {}
    for box, text in texts:
        row = _interval(grid.rows, (box.top + box.bottom) / 2)
        first, last = _interval(grid.columns, box.left + SAME_RULE), _interval(grid.columns, box.right - SAME_RULE)
        held.setdefault((row, first), []).append(text)
        spans[row, first] = max(spans.get((row, first), 1), last - first + 1)
    cells = []
    for row in range(len(grid.rows) - 1):
        column = 0
        while column < len(grid.columns) - 1:
            span = spans.get((row, column), 1)
            cells.append(Cell(row, column, " ".join(held.get((row, column), [])), column_span=span))
            column += span
    return tuple(cells)


def _touching(level: Sequence[Box], upright: Sequence[Box]) -> list[list[Box]]:
    groups: list[list[Box]] = []
    for rule in sorted((*level, *upright), key=lambda box: (box.top, box.left)):
        near = [group for group in groups if _meets(hull(group), rule)]
        joined = [rule, *(box for group in near for box in group)]
        groups = [group for group in groups if group not in near] + [joined]
    return groups


def _meets(group: Box, rule: Box) -> bool:
    x = min(group.right, rule.right) - max(group.left, rule.left)
    y = min(group.bottom, rule.bottom) - max(group.top, rule.top)
    return x >= -SAME_RULE and y >= -SAME_RULE


def _apart(values: Sequence[int]) -> list[int]:
    kept: list[int] = []
    for value in sorted(values):
        if not kept or value - kept[-1] > SAME_RULE:
            kept.append(value)
    return kept


def _interval(edges: Sequence[int], value: float) -> int:
    inside = sum(edge <= value for edge in edges) - 1
    return min(max(inside, 0), len(edges) - 2)
