"""Connected components of a mask, as runs of pixels: a small page has hundreds, so the loop over runs is cheap."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Component:
    """Runs of one component: row, first column, column after the last."""

    rows: Ints
    starts: Ints
    ends: Ints

    @property
    def lengths(self) -> Ints:
        return self.ends - self.starts

    @property
    def area(self) -> int:
        return int(self.lengths.sum())

    @property
    def height(self) -> int:
        return int(self.rows[-1] - self.rows[0]) + 1

    @property
    def width(self) -> int:
        return int(self.ends.max() - self.starts.min())


def components(mask: NDArray[np.bool_]) -> list[Component]:
    edges = np.diff(np.pad(mask, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    rows, starts = np.nonzero(edges == 1)
    _, ends = np.nonzero(edges == -1)
    if not rows.size:
        return []
    roots = _roots(rows, starts.tolist(), ends.tolist(), mask.shape[0])
    order = np.argsort(roots, kind="stable")
    groups = np.split(order, np.nonzero(np.diff(roots[order]))[0] + 1)
    return [Component(rows[group], starts[group], ends[group]) for group in groups]


def _roots(rows: Ints, starts: list[int], ends: list[int], height: int) -> Ints:
    """Union-find over runs that touch runs of the row above."""
    parents = list(range(len(starts)))

    def root(number: int) -> int:
        while parents[number] != number:
            parents[number] = parents[parents[number]]
            number = parents[number]
        return number

    first_of_row = np.searchsorted(rows, np.arange(height + 1)).tolist()
    for row in range(1, height):
        above, above_end = first_of_row[row - 1], first_of_row[row]
        here, here_end = above_end, first_of_row[row + 1]
        while above < above_end and here < here_end:
            if ends[above] <= starts[here]:
                above += 1
            elif ends[here] <= starts[above]:
                here += 1
            else:
                low, high = sorted((root(above), root(here)))
                parents[high] = low
                if ends[above] < ends[here]:
                    above += 1
                else:
                    here += 1
    return np.array([root(number) for number in range(len(starts))], dtype=np.int64)
