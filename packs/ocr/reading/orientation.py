"""A page turned upright, and the way back: results are told in the coordinates of the page as it was given."""

import math
from dataclasses import dataclass

from PIL import Image

from packs.ocr.reading.boxes import Box


@dataclass(frozen=True)
class Turn:
    """From the given page to the one that is read: reduced, then turned counter-clockwise."""

    given: tuple[int, int]
    degrees: float
    scale: float

    def apply(self, image: Image.Image) -> Image.Image:
        if self.scale != 1:
            size = (max(1, round(image.width * self.scale)), max(1, round(image.height * self.scale)))
            image = image.resize(size, Image.Resampling.LANCZOS)
        return turned(image, self.degrees)

    def back(self, box: Box) -> Box:
        width, height = self.given[0] * self.scale, self.given[1] * self.scale
        angle = math.radians(self.degrees)
        cos, sin = math.cos(angle), math.sin(angle)
        turned_width = abs(width * cos) + abs(height * sin)
        turned_height = abs(width * sin) + abs(height * cos)
        corners = [(x, y) for x in (box.left, box.right) for y in (box.top, box.bottom)]
        moved = [
            (
                (cos * (x - turned_width / 2) - sin * (y - turned_height / 2) + width / 2) / self.scale,
                (sin * (x - turned_width / 2) + cos * (y - turned_height / 2) + height / 2) / self.scale,
            )
            for x, y in corners
        ]
        return Box(
            max(0, math.floor(min(x for x, _ in moved))),
            max(0, math.floor(min(y for _, y in moved))),
            min(self.given[0], math.ceil(max(x for x, _ in moved))),
            min(self.given[1], math.ceil(max(y for _, y in moved))),
        )


def turned(image: Image.Image, degrees: float) -> Image.Image:
    quarter = {90: Image.Transpose.ROTATE_90, 180: Image.Transpose.ROTATE_180, 270: Image.Transpose.ROTATE_270}
    if degrees == 0:
        return image
    if degrees in quarter:
        return image.transpose(quarter[int(degrees)])
    return image.rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
