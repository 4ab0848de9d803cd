"""One line as the engines read it best: level, dark on white, evenly lit, of one height."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from packs.ocr.reading.enhance import threshold
from packs.ocr.reading.quads import Quad

# What the recogniser was trained on.
HEIGHT = 48
# Ink and paper closer than this are no line of text.
LEAST_CONTRAST = 12
WHITE = 255
# The light is measured in pieces of this width.
BLOCK = 24


def line_image(page: Image.Image, quad: Quad) -> Image.Image:
    cut = quad.cut_from(page)
    scale = HEIGHT / cut.height
    size = (max(16, round(cut.width * scale)), HEIGHT)
    smooth = Image.Resampling.LANCZOS if scale < 1 else Image.Resampling.BICUBIC
    return Image.fromarray(_even(np.asarray(cut.resize(size, smooth))))


def _even(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """White paper and black ink, whatever light falls on it. Only the line itself is measured: a label on a dark desk,
    or one white line in a dark bar, has its own paper."""
    cut = threshold(pixels)
    if np.median(pixels) <= cut:
        pixels = WHITE - pixels
        cut = WHITE - 1 - cut
    ink, paper = pixels[pixels <= cut], pixels[pixels > cut]
    if not ink.size or not paper.size or float(paper.mean()) - float(ink.mean()) < LEAST_CONTRAST:
        return pixels
    light = _light(pixels)
    dark = float(np.percentile(pixels / light, 2))
    even = (pixels / light - dark) / max(1.0 - dark, 0.05)
    return np.clip(even * WHITE, 0, WHITE).astype(np.uint8)


def _light(pixels: NDArray[np.uint8]) -> NDArray[np.float64]:
    """The paper's brightness along the line: a shadow may fall across it."""
    count = max(1, pixels.shape[1] // BLOCK)
    blocks = np.array([np.percentile(block, 80) for block in np.array_split(pixels, count, axis=1)])
    around = np.lib.stride_tricks.sliding_window_view(np.pad(blocks, 2, mode="edge"), 5)
    paper = np.percentile(around, 70, axis=1)
    columns = np.interp(np.arange(pixels.shape[1]), (np.arange(count) + 0.5) * pixels.shape[1] / count, paper)
    return np.asarray(np.maximum(columns[None], 1.0))
