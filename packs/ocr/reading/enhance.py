"""A page without grain, and the brightness that parts ink from paper."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

Pixels = NDArray[np.uint8]

# Mean distance of a pixel from its neighbours' median on plain paper. A clean scan stays below 1.
GRAIN = 3.0


@dataclass(frozen=True)
class Enhanced:
    image: Image.Image
    steps: tuple[str, ...]


def enhance(grey: Image.Image) -> Enhanced:
    """Light and contrast are each line's own matter: `line_image`."""
    if _grain(grey) > GRAIN:
        return Enhanced(_calmed(grey), ("denoised",))
    return Enhanced(grey, ())


def threshold(pixels: Pixels) -> int:
    """Otsu's: the brightness that best parts the page into ink and paper."""
    counts = np.bincount(pixels.ravel(), minlength=256).astype(np.float64)
    below = np.cumsum(counts)
    weighted = np.cumsum(counts * np.arange(256))
    above = below[-1] - below
    with np.errstate(divide="ignore", invalid="ignore"):
        between = (weighted[-1] * below / below[-1] - weighted) ** 2 / (below * above)
    return int(np.nanargmax(np.where(np.isfinite(between), between, -1.0)))


def _grain(grey: Image.Image) -> float:
    """Measured on the paper's half of the page, which on a dark screen is the darker one: letters are not noise."""
    sample = grey.crop(_middle(grey.size))
    pixels = np.asarray(sample, dtype=np.int16)
    calm = np.asarray(sample.filter(ImageFilter.MedianFilter(3)), dtype=np.int16)
    paper = np.median(calm)
    is_dark = paper <= threshold(np.asarray(sample))
    plain = calm <= paper + 2 if is_dark else calm >= paper - 2
    return float(np.abs(pixels - calm)[plain].mean())


def _calmed(grey: Image.Image) -> Image.Image:
    """The median of each pixel and its four neighbours, twice. Of all nine it would eat the thin strokes of small
    Korean letters."""
    pixels = np.asarray(grey)
    for _ in range(2):
        around = np.pad(pixels, 1, mode="edge")
        five = [around[1:-1, 1:-1], around[:-2, 1:-1], around[2:, 1:-1], around[1:-1, :-2], around[1:-1, 2:]]
        for low, high in ((0, 1), (3, 4), (0, 3), (1, 4), (1, 2), (2, 3), (1, 2)):
            five[low], five[high] = np.minimum(five[low], five[high]), np.maximum(five[low], five[high])
        pixels = five[2]
    return Image.fromarray(pixels)


def _middle(size: tuple[int, int]) -> tuple[int, int, int, int]:
    """At most 1,000 pixels square: noise is everywhere, and a filter over a large page is not free."""
    width, height = min(size[0], 1_000), min(size[1], 1_000)
    left, top = (size[0] - width) // 2, (size[1] - height) // 2
    return left, top, left + width, top + height
