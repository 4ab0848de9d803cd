"""Tables that rules are drawn around: where they are, and the cells between their rules."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from packs.ocr.reading.boxes import Box
from packs.ocr.reading.structure import NUMBER, Cell

# In points: rules nearer to each other are one.
SAME_RULE = 3
LEAST_LEVEL, LEAST_UPRIGHT = 3, 3
# A rule along this share of a cell's side parts it from its neighbour.
LEAST_DRAWN = 0.5
# Tables that stand nearer to each other, between the same two heights, are parts of one.
MOST_BESIDE = 12
# A page's frame around everything is no table, and neither are more cells than anybody reads.
MOST_CELLS = 20_000
# A drawing of lines has more.
MOST_RULES = 4_000

Place = tuple[int, int]


@dataclass(frozen=True)
class Grid:
    rows: tuple[int, ...]
    """The heights of its level rules, from the top."""
    columns: tuple[int, ...]
    """Of its upright rules; of a table that has none inside, its two sides."""
    rules: tuple[Box, ...] = field(default=(), repr=False)

    @property
    def box(self) -> Box:
        return Box(self.columns[0], self.rows[0], self.columns[-1], self.rows[-1])

    @property
    def upright(self) -> list[Box]:
        return [box for box in self.rules if box.width <= box.height]

    @property
    def has_columns(self) -> bool:
        return len(self.columns) >= LEAST_UPRIGHT

    @property
    def has_rows(self) -> bool:
        return len(self.rows) >= LEAST_LEVEL

    def place_of(self, box: Box) -> Place:
        return _interval(self.rows, (box.top + box.bottom) / 2), _interval(self.columns, (box.left + box.right) / 2)

    def holds(self, box: Box) -> bool:
        middle = (box.left + box.right) / 2, (box.top + box.bottom) / 2
        return self.box.left <= middle[0] <= self.box.right and self.box.top <= middle[1] <= self.box.bottom


def grids_of(level: Sequence[Box], upright: Sequence[Box]) -> list[Grid]:
    """Rules that touch each other, and level ones of one width below each other."""
    level, upright = _whole(level, is_level=True), _whole(upright, is_level=False)
    grids = []
    loose: list[Box] = []
    for group in _touching([*level, *upright][:MOST_RULES]):
        rows = _apart([box.top for box in group if box.width > box.height])
        columns = _apart([box.left for box in group if box.width <= box.height])
        is_table = len(columns) >= LEAST_UPRIGHT - 1 and len(rows) >= 2
        if is_table:
            # Many tables have no rule at their sides, or none at their ends.
            columns = _apart([*columns, min(box.left for box in group), max(box.right for box in group)])
            rows = _apart([*rows, min(box.top for box in group), max(box.bottom for box in group)])
            is_table = len(columns) >= LEAST_UPRIGHT
        if is_table and len(rows) * len(columns) <= MOST_CELLS:
            grids.append(Grid(tuple(rows), tuple(columns), tuple(group)))
        else:
            loose += [box for box in group if box.width > box.height]
    grids = _beside(_stacked(_without_frames(grids)))
    return grids + [grid for grid in _row_ruled(loose) if not any(_overlap(grid.box, other.box) for other in grids)]


def with_neighbours(grid: Grid, boxes: Sequence[Box]) -> Grid:
    """The row above the first rule and the one below the last, where words stand clear in several of its columns: a
    head without a frame, or a last row without a shade."""
    pitch = min(below - above for above, below in pairwise(grid.rows))
    above = [box for box in boxes if grid.rows[0] - pitch <= _level(box) < grid.rows[0]]
    below = [box for box in boxes if grid.rows[-1] < _level(box) <= grid.rows[-1] + pitch]
    first = (min(box.top for box in above) - 1,) if _fits(grid, above) else ()
    last = (max(box.bottom for box in below) + 1,) if _fits(grid, below) else ()
    return replace(grid, rows=(*first, *grid.rows, *last))


def _fits(grid: Grid, boxes: Sequence[Box]) -> bool:
    if any(box.left < x < box.right for box in boxes for x in grid.columns):
        return False
    inside = [box for box in boxes if grid.columns[0] <= box.left and box.right <= grid.columns[-1]]
    return len({_interval(grid.columns, (box.left + box.right) / 2) for box in inside}) > 1


def _level(box: Box) -> float:
    return (box.top + box.bottom) / 2


def cells_in(grid: Grid, words: Sequence[tuple[Box, str]]) -> tuple[Cell, ...]:
    """Every cell, empty ones too. Where no rule is drawn between two of the grid's places, they are one cell."""
    places = [grid.place_of(box) for box, _ in words]
    merged = _merged_places(grid, _parted(grid, places, [box for box, _ in words]), _stacked_places(places, words))
    held: dict[Place, list[str]] = {}
    for place, (_, text) in zip(places, words, strict=True):
        held.setdefault(merged[place][0], []).append(text)
    cells = []
    for place, (first, last) in sorted(merged.items()):
        if place == first:
            spans = last[0] - first[0] + 1, last[1] - first[1] + 1
            cells.append(Cell(*first, " ".join(held.get(first, [])), row_span=spans[0], column_span=spans[1]))
    return tuple(cells)


def _parted(grid: Grid, places: Sequence[Place], boxes: Sequence[Box]) -> set[Place]:
    """Places whose words keep clear of those of the next column: two cells, whether a rule is drawn or not. Some
    tables shade every other row, and have rules only there."""
    filled = set(places)
    crossed = {
        (row, column + step)
        for (row, column), box in zip(places, boxes, strict=True)
        for step, x in ((0, grid.columns[column + 1]), (-1, grid.columns[column]))
        if box.left < x < box.right
    }
    # A row without any rule inside: one cell where one stands in it, and as many as the grid has where several do.
    bare = {
        row
        for row in range(len(grid.rows) - 1)
        if not any(_is_drawn_upright(grid.upright, x, *grid.rows[row : row + 2]) for x in grid.columns[1:-1])
    }
    groups = Counter(row for row, column in filled if (row, column) not in crossed)
    several = {(row, column) for row in bare if groups[row] > 1 for column in range(len(grid.columns) - 1)}
    return ({(row, column) for row, column in filled if (row, column + 1) in filled} | several) - crossed


def _stacked_places(places: Sequence[Place], words: Sequence[tuple[Box, str]]) -> set[Place]:
    """Places that are no cell with the one below, though no rule is drawn between them: where numbers stand under
    numbers in one column, all columns have two rows."""
    others = {place for place, (_, text) in zip(places, words, strict=True) if not NUMBER.fullmatch(text)}
    filled = set(places)
    rows = {row for row, column in filled - others if (row + 1, column) in filled - others}
    return {(row, column) for row, column in filled if row in rows and (row + 1, column) in filled}


def _merged_places(grid: Grid, parted: set[Place], stacked: set[Place]) -> dict[Place, tuple[Place, Place]]:
    """Of each place the first and the last one of its cell. A cell is a rectangle."""
    rows, columns = len(grid.rows) - 1, len(grid.columns) - 1
    level = [box for box in grid.rules if box.width > box.height]
    cells = {(row, column): ((row, column), (row, column)) for row in range(rows) for column in range(columns)}
    for row in range(rows):
        for column in range(columns - 1):
            drawn = _is_drawn_upright(grid.upright, grid.columns[column + 1], grid.rows[row], grid.rows[row + 1])
            if not drawn and (row, column) not in parted:
                _unite(cells, (row, column), (row, column + 1))
    for column in range(columns):
        for row in range(rows - 1):
            drawn = _is_drawn_level(level, grid.rows[row + 1], grid.columns[column], grid.columns[column + 1])
            if not drawn and (row, column) not in stacked:
                _unite(cells, (row, column), (row + 1, column))
    return cells


def _is_drawn_upright(rules: Sequence[Box], x: int, top: int, bottom: int) -> bool:
    along = sum(
        max(0, min(bottom, rule.bottom) - max(top, rule.top)) for rule in rules if abs(rule.left - x) <= SAME_RULE
    )
    return along >= LEAST_DRAWN * (bottom - top)


def _is_drawn_level(rules: Sequence[Box], y: int, left: int, right: int) -> bool:
    along = sum(
        max(0, min(right, rule.right) - max(left, rule.left)) for rule in rules if abs(rule.top - y) <= SAME_RULE
    )
    return along >= LEAST_DRAWN * (right - left)


def _unite(cells: dict[Place, tuple[Place, Place]], one: Place, other: Place) -> None:
    """Only what makes a rectangle with all it touches: else rules are missing, not cells."""
    (top, left), (bottom, right) = cells[one]
    (top2, left2), (bottom2, right2) = cells[other]
    first, last = (min(top, top2), min(left, left2)), (max(bottom, bottom2), max(right, right2))
    inside = [(row, column) for row in range(first[0], last[0] + 1) for column in range(first[1], last[1] + 1)]
    if all(cells[place] in (cells[one], cells[other]) for place in inside):
        for place in inside:
            cells[place] = (first, last)


def _row_ruled(level: Sequence[Box]) -> list[Grid]:
    """Level rules with the same ends: a table without upright ones, perhaps."""
    grids = []
    groups: list[list[Box]] = []
    for rule in sorted(level, key=lambda box: box.top):
        same = [group for group in groups if _same_ends(group[-1], rule)]
        if same:
            same[-1].append(rule)
        else:
            groups.append([rule])
    for group in groups:
        rows = _apart([rule.top for rule in group])
        if len(rows) >= LEAST_LEVEL:
            grids.append(Grid(tuple(rows), (group[0].left, max(box.right for box in group)), tuple(group)))
    return grids


def _same_ends(rule: Box, other: Box) -> bool:
    return abs(rule.left - other.left) <= SAME_RULE and abs(rule.right - other.right) <= SAME_RULE


def _without_frames(grids: Sequence[Grid]) -> list[Grid]:
    """A grid around another one is a frame."""
    return [
        grid
        for grid in grids
        if not any(
            other is not grid and other.box.area < grid.box.area and _overlap(grid.box, other.box) for other in grids
        )
    ]


def _stacked(grids: Sequence[Grid]) -> list[Grid]:
    """Where every other row is shaded, each makes a grid of its own; together they are one table."""
    joined: list[Grid] = []
    for grid in sorted(grids, key=lambda each: each.rows[0]):
        above = next((each for each in joined if _continues(each, grid)), None)
        if above is None:
            joined.append(grid)
        else:
            rows = _apart([*above.rows, *grid.rows])
            joined[joined.index(above)] = Grid(tuple(rows), above.columns, (*above.rules, *grid.rules))
    return joined


def _beside(grids: Sequence[Grid]) -> list[Grid]:
    """Where a blank strip parts two groups of columns, each group makes a grid of its own."""
    joined: list[Grid] = []
    for grid in sorted(grids, key=lambda each: each.columns[0]):
        left = next((each for each in joined if _goes_on_beside(each, grid)), None)
        if left is None:
            joined.append(grid)
        else:
            rows, columns = _apart([*left.rows, *grid.rows]), _apart([*left.columns, *grid.columns])
            joined[joined.index(left)] = Grid(tuple(rows), tuple(columns), (*left.rules, *grid.rules))
    return joined


def _goes_on_beside(left: Grid, grid: Grid) -> bool:
    if len(left.rows) != len(grid.rows):
        return False
    same = all(abs(y - other) <= SAME_RULE for y, other in zip(left.rows, grid.rows, strict=True))
    return same and 0 <= grid.columns[0] - left.columns[-1] <= MOST_BESIDE


def _continues(above: Grid, grid: Grid) -> bool:
    if len(above.columns) != len(grid.columns):
        return False
    same = all(abs(x - other) <= SAME_RULE for x, other in zip(above.columns, grid.columns, strict=True))
    pitch = max(above.rows[-1] - above.rows[-2], grid.rows[1] - grid.rows[0])
    return same and 0 <= grid.rows[0] - above.rows[-1] <= 1.5 * pitch


def _overlap(one: Box, other: Box) -> bool:
    return one.shared(other) > 0


def _whole(rules: Sequence[Box], *, is_level: bool) -> list[Box]:
    """Pieces of one rule, drawn cell by cell, as one."""
    lanes: list[list[Box]] = []
    for rule in sorted(rules, key=lambda box: box.top if is_level else box.left):
        at = rule.top if is_level else rule.left
        if lanes and at - (lanes[-1][0].top if is_level else lanes[-1][0].left) <= 1:
            lanes[-1].append(rule)
        else:
            lanes.append([rule])
    return [whole for lane in lanes for whole in _joined(lane, is_level=is_level)]


def _joined(lane: Sequence[Box], *, is_level: bool) -> list[Box]:
    first = lane[0]
    ends: list[tuple[int, int]] = []
    for start, end in sorted((box.left, box.right) if is_level else (box.top, box.bottom) for box in lane):
        if ends and start - ends[-1][1] <= SAME_RULE:
            ends[-1] = (ends[-1][0], max(end, ends[-1][1]))
        else:
            ends.append((start, end))
    if is_level:
        return [Box(start, first.top, end, first.top) for start, end in ends]
    return [Box(first.left, start, first.left, end) for start, end in ends]


def _touching(rules: Sequence[Box]) -> list[list[Box]]:
    """Groups of rules that meet."""
    edges = np.array([box.as_tuple() for box in rules], dtype=np.int64).reshape(-1, 4)
    left, top, right, bottom = edges.T
    unseen = np.ones(len(rules), dtype=bool)
    groups: list[list[Box]] = []
    for start in range(len(rules)):
        if not unseen[start]:
            continue
        unseen[start] = False
        group, waiting = [], [start]
        while waiting:
            at = waiting.pop()
            group.append(rules[at])
            meets = (np.minimum(right, right[at]) - np.maximum(left, left[at]) >= -SAME_RULE) & (
                np.minimum(bottom, bottom[at]) - np.maximum(top, top[at]) >= -SAME_RULE
            )
            found = np.flatnonzero(meets & unseen)
            unseen[found] = False
            waiting += found.tolist()
        groups.append(group)
    return groups


def _apart(values: Sequence[int]) -> list[int]:
    kept: list[int] = []
    for value in sorted(values):
        if not kept or value - kept[-1] > SAME_RULE:
            kept.append(value)
    return kept


def _interval(edges: Sequence[int], value: float) -> int:
    inside = sum(edge <= value for edge in edges) - 1
    return min(max(inside, 0), len(edges) - 2)
