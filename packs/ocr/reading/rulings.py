"""Ruled lines: found, told apart from letters, and taken out, so that a table's cells are read like any text."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from packs.ocr.reading.enhance import threshold

Mask = NDArray[np.bool_]

# A stroke of a letter, even of a headline, is shorter than this share of the page, and than this many pixels.
LONG_ACROSS, LONG_DOWN = 0.12, 0.07
LONG_PIXELS = 80
# A ruled line is thin; a black bar or a picture is not.
THICK_PIXELS = 9
BAND_ROWS = 256
# So many lines each way make a table.
TABLE_LINES = 3


@dataclass(frozen=True)
class Ruled:
    image: Image.Image
    """Without the lines."""
    has_lines: bool
    is_table: bool


def without_rulings(grey: Image.Image) -> Ruled:
    pixels = np.asarray(grey)
    ink = pixels <= threshold(pixels)
    across = _thin(_runs(ink, max(LONG_PIXELS, int(grey.width * LONG_ACROSS))))
    down = _thin(_runs(ink.T, max(LONG_PIXELS, int(grey.height * LONG_DOWN)))).T
    lines = across | down
    if not lines.any():
        return Ruled(grey, has_lines=False, is_table=False)
    paper = int(np.median(pixels[~ink])) if (~ink).any() else 255
    # The soft edge of a line would be read as dots and dashes.
    erased = np.where(_fattened(lines, 2), np.uint8(paper), pixels)
    is_table = (
        _count(np.asarray(across.any(axis=1))) >= TABLE_LINES and _count(np.asarray(down.any(axis=0))) >= TABLE_LINES
    )
    return Ruled(Image.fromarray(erased), has_lines=True, is_table=is_table)


def _runs(ink: Mask, long: int) -> Mask:
    """The pixels that lie in a horizontal run of at least this length."""
    found = np.zeros_like(ink)
    if ink.shape[1] >= long:
        # In bands: sums over a whole page at once would take most of the memory that a file may have.
        for top in range(0, ink.shape[0], BAND_ROWS):
            found[top : top + BAND_ROWS] = _runs_in_band(ink[top : top + BAND_ROWS], long)
    return found


def _runs_in_band(ink: Mask, long: int) -> Mask:
    rows, columns = ink.shape
    sums = np.zeros((rows, columns + 1), dtype=np.int32)
    np.cumsum(ink, axis=1, out=sums[:, 1:])
    starts = (sums[:, long:] - sums[:, :-long]) == long
    covered = np.zeros((rows, columns + 1), dtype=np.int32)
    covered[:, : columns - long + 1] += starts
    covered[:, long:] -= starts
    return np.asarray(np.cumsum(covered, axis=1)[:, :columns] > 0)


def _thin(runs: Mask) -> Mask:
    """Only runs that are thin across: what also runs long the other way belongs to an area."""
    return runs & ~_runs(runs.T, THICK_PIXELS + 1).T


def _fattened(mask: Mask, by: int) -> Mask:
    fat = mask.copy()
    for step in range(1, by + 1):
        fat[step:] |= mask[:-step]
        fat[:-step] |= mask[step:]
        fat[:, step:] |= mask[:, :-step]
        fat[:, :-step] |= mask[:, step:]
    return fat


def _count(present: NDArray[np.bool_]) -> int:
    """How many separate stretches."""
    return int(np.count_nonzero(np.diff(np.concatenate(([False], present)).astype(np.int8)) == 1))
