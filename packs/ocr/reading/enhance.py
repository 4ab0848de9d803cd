"""Make a page black on white, evenly lit, without grain. Each step only where a measurement says it helps."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter, ImageOps

Pixels = NDArray[np.uint8]

# Below this brightness most of the page is dark: a screen in dark mode, a blackboard.
DARK_PAPER = 110
# The paper's own brightness may vary this much before it is evened out.
UNEVEN_LIGHT = 24
# Ink and paper closer than this are pulled apart.
LOW_CONTRAST = 140
# Mean distance of a pixel from its neighbours' median on plain paper. A clean scan stays below 1.
GRAIN = 3.0
_BLOCK = 16


@dataclass(frozen=True)
class Enhanced:
    image: Image.Image
    """Greyscale, dark ink on light paper."""
    steps: tuple[str, ...]


def enhance(grey: Image.Image) -> Enhanced:
    steps: list[str] = []
    if np.median(np.asarray(grey)) < DARK_PAPER:
        grey = ImageOps.invert(grey)
        steps.append("inverted")
    if _grain(grey) > GRAIN:
        grey = _calmed(grey)
        steps.append("denoised")
    paper = _paper(grey)
    if float(np.percentile(paper, 98)) - float(np.percentile(paper, 2)) > UNEVEN_LIGHT:
        grey = _evened(grey, paper)
        steps.append("evened")
    ink, light = _ink_and_paper(grey)
    if light - ink < LOW_CONTRAST or "evened" in steps:
        grey = _stretched(grey, ink, light)
        steps.append("stretched")
    return Enhanced(grey, tuple(steps))


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
    """Measured on the lighter half of the page: letters are not noise."""
    sample = grey.crop(_middle(grey.size))
    pixels = np.asarray(sample, dtype=np.int16)
    calm = np.asarray(sample.filter(ImageFilter.MedianFilter(3)), dtype=np.int16)
    light = calm >= np.median(calm) - 2
    return float(np.abs(pixels - calm)[light].mean()) if light.any() else 0.0


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


def _paper(grey: Image.Image) -> NDArray[np.float32]:
    """The page without its letters, much reduced: the light as it falls on the paper."""
    small = grey.resize((max(3, grey.width // _BLOCK), max(3, grey.height // _BLOCK)), Image.Resampling.BOX)
    small = small.filter(ImageFilter.MaxFilter(5)).filter(ImageFilter.GaussianBlur(2))
    return np.asarray(small, dtype=np.float32)


def _evened(grey: Image.Image, paper: NDArray[np.float32]) -> Image.Image:
    light = Image.fromarray(np.clip(paper, 1, 255).astype(np.uint8)).resize(grey.size, Image.Resampling.BICUBIC)
    pixels = np.asarray(grey, dtype=np.uint16) * 235 // np.maximum(np.asarray(light, dtype=np.uint16), 1)
    return Image.fromarray(np.minimum(pixels, 255).astype(np.uint8))


def _ink_and_paper(grey: Image.Image) -> tuple[int, int]:
    """Typical brightness of the letters and of the paper."""
    pixels = np.asarray(grey)
    cut = threshold(pixels)
    dark, light = pixels[pixels <= cut], pixels[pixels > cut]
    if not dark.size or not light.size:
        return 0, 255
    return int(np.percentile(dark, 25)), int(np.median(light))


def _stretched(grey: Image.Image, ink: int, paper: int) -> Image.Image:
    span = max(1, paper - ink)
    return grey.point([min(255, max(0, round((value - ink) * 255 / span))) for value in range(256)])
