"""What a picture of a page is: a screen's own pixels, a scan, or a photograph."""

import numpy as np
from PIL import Image

# Of pixels that equal their neighbour: a screen or a drawn page has flat colours, paper never has.
FLAT_FROM = 0.8
# The light of the paper in parts of the page: a lamp in a scanner is even, and nothing but paper is seen.
PARTS, LIGHT = 12, 80
MOST_UNEVEN, LEAST_BRIGHT = 45, 150


def material_of(grey: Image.Image) -> str:
    """`screenshot`, `scan` or `photo`."""
    pixels = np.asarray(grey.reduce(max(1, max(grey.size) // 4_000)))
    if pixels.shape[0] < PARTS or pixels.shape[1] < PARTS:
        return "screenshot"
    if float((pixels[:, 1:] == pixels[:, :-1]).mean()) >= FLAT_FROM:
        # Black and white and nothing between: a fax, or a scanner set to it. Letters on a screen are smooth.
        return "scan" if len(np.unique(pixels)) <= 2 else "screenshot"
    parts = [part for band in np.array_split(pixels, PARTS) for part in np.array_split(band, PARTS, axis=1)]
    light = np.array([np.percentile(part[::2, ::2], LIGHT) for part in parts])
    low, high = np.percentile(light, (5, 95))
    return "scan" if high - low <= MOST_UNEVEN and float(np.median(light)) >= LEAST_BRIGHT else "photo"
