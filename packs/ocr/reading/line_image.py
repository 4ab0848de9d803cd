"""One line as the engines read it best: level, dark on white, evenly lit, of one height."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from packs.ocr.reading.components import components
from packs.ocr.reading.enhance import threshold
from packs.ocr.reading.quads import Quad

# What the recogniser was trained on.
HEIGHT = 48
# Ink and paper closer than this are no line of text.
LEAST_CONTRAST = 12
WHITE = 255
# The light is measured in pieces of this width.
BLOCK = 24
# A band of ink of at most this share of the height, parted from the letters, and with a row of this much ink: a rule
# that a table drew over or under the line.
RULE_HEIGHT, RULE_INK = 0.2, 0.4
INK_BELOW = 150
# A row with less ink than this is blank.
BLANK_ROW = 0.01
# How far a neighbour's letters reach in, of the height.
REACH = 0.4
# Letters lower than this share of their rectangle are cut out again with this margin, but not as if a dash were one.
LOW_LETTERS, MARGIN, LEAST_HEIGHT = 0.58, 0.2, 0.45


def line_image(page: Image.Image, quad: Quad) -> Image.Image:
    pixels = _cut(page, quad)
    top, bottom = _rows_of_letters(pixels)
    # A long line that bends, or lies a little askew, has a rectangle much higher than its letters.
    if bottom - top < LOW_LETTERS:
        pixels = _cut(page, quad.between(*_with_margin(top, bottom)))
    return Image.fromarray(pixels)


def _cut(page: Image.Image, quad: Quad) -> NDArray[np.uint8]:
    cut = quad.cut_from(page)
    scale = HEIGHT / cut.height
    size = (max(16, round(cut.width * scale)), HEIGHT)
    smooth = Image.Resampling.LANCZOS if scale < 1 else Image.Resampling.BICUBIC
    return _without_neighbours(_without_rules(_even(np.asarray(cut.resize(size, smooth)))))


def _rows_of_letters(pixels: NDArray[np.uint8]) -> tuple[float, float]:
    """Shares of the height."""
    rows = np.flatnonzero((pixels < INK_BELOW).mean(axis=1) > BLANK_ROW)
    return (float(rows[0]) / HEIGHT, float(rows[-1] + 1) / HEIGHT) if rows.size else (0.0, 1.0)


def _with_margin(top: float, bottom: float) -> tuple[float, float]:
    height = max((bottom - top) * (1 + 2 * MARGIN), LEAST_HEIGHT)
    middle = (top + bottom) / 2
    return max(0.0, middle - height / 2), min(1.0, middle + height / 2)


def _without_neighbours(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Feet of the line above, heads of the line below: ink that comes in from an edge and does not reach the middle."""
    cleared = pixels.copy()
    for part in components(pixels < INK_BELOW):
        first, last = int(part.rows[0]), int(part.rows[-1])
        from_above = first <= 1 and last < REACH * HEIGHT
        from_below = last >= HEIGHT - 2 and first >= (1 - REACH) * HEIGHT
        if not (from_above or from_below):
            continue
        for row, start, end in zip(part.rows.tolist(), part.starts.tolist(), part.ends.tolist(), strict=True):
            cleared[max(0, row - 1) : row + 2, max(0, start - 1) : end + 1] = WHITE
    return cleared


def _without_rules(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A rule under all of a line hides the blanks between its words, and is read as letters."""
    ink = (pixels < INK_BELOW).mean(axis=1)
    bands = _bands(ink > BLANK_ROW)
    if len(bands) < 2:
        return pixels
    letters = max(bands, key=lambda band: float(ink[band].sum()) if not _is_rule(ink[band], len(ink)) else 0.0)
    cleared = pixels.copy()
    for band in bands:
        if band != letters and _is_rule(ink[band], len(ink)):
            cleared[max(0, band.start - 1) : band.stop + 1] = WHITE
    return cleared


def _bands(is_inked: NDArray[np.bool_]) -> list[slice]:
    edges = np.flatnonzero(np.diff(np.pad(is_inked, 1).astype(np.int8)))
    return [slice(int(start), int(stop)) for start, stop in zip(edges[::2], edges[1::2], strict=True)]


def _is_rule(ink: NDArray[np.float64], height: int) -> bool:
    return len(ink) <= RULE_HEIGHT * height and float(ink.max()) >= RULE_INK


def _even(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """White paper and black ink, whatever light falls on it. Only the line itself is measured: a label on a dark desk,
    or one white line in a dark bar, has its own paper."""
    cut = threshold(pixels)
    if np.median(pixels) <= cut and _is_light_on_dark(pixels, cut):
        pixels = WHITE - pixels
        cut = WHITE - 1 - cut
    ink, paper = pixels[pixels <= cut], pixels[pixels > cut]
    if not ink.size or not paper.size or float(paper.mean()) - float(ink.mean()) < LEAST_CONTRAST:
        return pixels
    light = _light(pixels)
    dark = float(np.percentile(pixels / light, 2))
    even = (pixels / light - dark) / max(1.0 - dark, 0.05)
    return np.clip(even * WHITE, 0, WHITE).astype(np.uint8)


def _is_light_on_dark(pixels: NDArray[np.uint8], cut: int) -> bool:
    """Judged by its dark pieces, each by itself: where a shadow falls across most of a line, they show darker ink."""
    count = max(1, pixels.shape[1] // BLOCK)
    told = [np.percentile(block, (5, 50, 95)) for block in np.array_split(pixels, count, axis=1)]
    return float(sum((high - middle) - (middle - low) for low, middle, high in told if middle <= cut)) >= 0


def _light(pixels: NDArray[np.uint8]) -> NDArray[np.float64]:
    """The paper's brightness along the line: a shadow may fall across it."""
    count = max(1, pixels.shape[1] // BLOCK)
    blocks = np.array([np.percentile(block, 80) for block in np.array_split(pixels, count, axis=1)])
    around = np.lib.stride_tricks.sliding_window_view(np.pad(blocks, 2, mode="edge"), 5)
    paper = np.percentile(around, 70, axis=1)
    columns = np.interp(np.arange(pixels.shape[1]), (np.arange(count) + 0.5) * pixels.shape[1] / count, paper)
    return np.asarray(np.maximum(columns[None], 1.0))
