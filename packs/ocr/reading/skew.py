"""How far a page is turned, by the rows of its text: upright lines leave the deepest gaps between them."""

import math

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from packs.ocr.reading.enhance import threshold

MOST_DEGREES = 12.0
# Less than this no line finder minds, and turning costs sharpness.
WORTH_TURNING = 0.25
_SAMPLE_WIDTH = 700
_MOST_POINTS = 60_000


def skew_degrees(grey: Image.Image) -> float:
    """Counter-clockwise degrees that set the page upright; 0 when there is nothing to go by."""
    scale = min(1.0, _SAMPLE_WIDTH / grey.width)
    small = grey.resize((max(1, round(grey.width * scale)), max(1, round(grey.height * scale))), Image.Resampling.BOX)
    pixels = np.asarray(small)
    dark_rows, dark_columns = np.nonzero(pixels <= min(threshold(pixels), 200))
    if dark_rows.size < 200:
        return 0.0
    step = max(1, dark_rows.size // _MOST_POINTS)
    rows, columns = dark_rows[::step].astype(np.float32), dark_columns[::step].astype(np.float32)
    coarse = _best(rows, columns, np.arange(-MOST_DEGREES, MOST_DEGREES + 0.01, 0.5))
    fine = _best(rows, columns, np.arange(coarse - 0.5, coarse + 0.51, 0.1))
    if abs(fine) >= MOST_DEGREES or abs(fine) < WORTH_TURNING:
        return 0.0
    upright = _sharpness(rows, columns, 0.0)
    # A page of pictures has no rows; then one angle is as good as another, and none is taken.
    return round(float(fine), 1) if _sharpness(rows, columns, fine) > 1.15 * upright else 0.0


def _best(rows: NDArray[np.float32], columns: NDArray[np.float32], angles: NDArray[np.float64]) -> float:
    return float(max(angles, key=lambda angle: _sharpness(rows, columns, float(angle))))


def _sharpness(rows: NDArray[np.float32], columns: NDArray[np.float32], degrees: float) -> float:
    # The text runs down to the right when the page must be turned counter-clockwise.
    sheared = rows - columns * math.tan(math.radians(degrees))
    counts = np.bincount((sheared - sheared.min()).astype(np.int32)).astype(np.float64)
    return float(np.square(np.diff(counts)).sum())
