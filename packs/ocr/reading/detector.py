"""Where the lines of text are: PP-OCR's detector (differentiable binarisation), and a turned rectangle for each line.

The network says for every pixel whether it belongs to the core of a line. Cores are narrower than their lines, so that
tight lines stay apart; each rectangle is widened by what training took away.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from PIL import Image

from packs.ocr.reading.components import Component, components
from packs.ocr.reading.networks import Floats, Network
from packs.ocr.reading.quads import Quad

# The network sees the page at most so large, and at least so large if it is small.
MOST_SIDE = 1_280
LEAST_SIDE = 736
# What its training pictures were normalised by.
_MEAN = np.array([0.485, 0.456, 0.406], dtype=np.float32)[:, None, None]
_DEVIATION = np.array([0.229, 0.224, 0.225], dtype=np.float32)[:, None, None]
# Its input's sides are multiples of this.
STEP = 32
TEXT_FROM = 0.3
LINE_FROM = 0.5
# How much of a core's area over its perimeter is added on each side.
WIDEN = 1.6
LEAST_CORE_HEIGHT = 3
LEAST_CORE_AREA = 12
# In pixels of what the network saw.
LEAST_LINE_HEIGHT = 6
# A core about as wide as it is high has no direction of its own.
ROUND_FROM, ROUND_TO = 0.55, 1.8


@dataclass(frozen=True)
class TextPlace:
    quad: Quad
    radians: float
    """How far the line falls to the right."""
    score: float

    @property
    def runs_downward(self) -> bool:
        """From the top of the page to its bottom, or the other way."""
        return abs(self.radians) > math.pi / 4

    def upside_down(self, page: tuple[int, int]) -> "TextPlace":
        """The same place on the page turned by half."""
        return replace(self, quad=self.quad.upside_down(page))


class Detector:
    def __init__(self) -> None:
        self._network = Network("text_detector")

    def find(self, grey: Image.Image, *, most_side: int = MOST_SIDE) -> list[TextPlace]:
        width, height = grey.size
        scale = min(most_side / max(width, height), max(1.0, LEAST_SIDE / min(width, height)))
        size = (_stepped(width * scale), _stepped(height * scale))
        text = self._network.run(_normalised(grey.resize(size, Image.Resampling.BOX if scale < 1 else _SMOOTH)))[0, 0]
        found = (_place(core, text, width / size[0], height / size[1]) for core in components(text > TEXT_FROM))
        return [place for place in found if place is not None]


_SMOOTH = Image.Resampling.BILINEAR


def _stepped(side: float) -> int:
    return max(STEP, round(side / STEP) * STEP)


def _normalised(grey: Image.Image) -> Floats:
    pixels = np.asarray(grey, dtype=np.float32) / 255
    return ((np.repeat(pixels[None], 3, axis=0) - _MEAN) / _DEVIATION)[None].astype(np.float32)


def _place(core: Component, text: Floats, x_scale: float, y_scale: float) -> TextPlace | None:
    if core.height < LEAST_CORE_HEIGHT or core.area < LEAST_CORE_AREA:
        return None
    runs = zip(core.rows.tolist(), core.starts.tolist(), core.ends.tolist(), strict=True)
    score = sum(float(text[row, start:end].sum()) for row, start, end in runs) / core.area
    if score < LINE_FROM:
        return None
    radians = _direction(core)
    cos, sin = math.cos(radians), math.sin(radians)
    x = np.concatenate([core.starts, core.ends]).astype(np.float64)
    y = np.concatenate([core.rows, core.rows]) + 0.5
    along, across = x * cos + y * sin, y * cos - x * sin
    left, right = float(along.min()), float(along.max())
    top, bottom = float(across.min()) - 0.5, float(across.max()) + 0.5
    more = (right - left) * (bottom - top) * WIDEN / (2 * (right - left + bottom - top))
    left, right, top, bottom = left - more, right + more, top - more, bottom + more
    if min(right - left, bottom - top) < LEAST_LINE_HEIGHT:
        return None
    corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
    points = [((u * cos - v * sin) * x_scale, (u * sin + v * cos) * y_scale) for u, v in corners]
    return TextPlace(Quad(*points), radians, score)


def _direction(core: Component) -> float:
    """The main axis of its pixels."""
    if ROUND_FROM < core.width / core.height < ROUND_TO:
        return 0.0
    lengths = core.lengths.astype(np.float64)
    middles = (core.starts + core.ends) / 2
    x = middles - (middles * lengths).sum() / lengths.sum()
    y = core.rows - (core.rows * lengths).sum() / lengths.sum()
    xx = ((x**2 + lengths**2 / 12) * lengths).sum()
    yy, xy = (y**2 * lengths).sum(), (x * y * lengths).sum()
    return 0.5 * math.atan2(2 * xy, xx - yy)
