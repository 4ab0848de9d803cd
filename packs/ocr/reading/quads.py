"""A line's place on a page that may lie askew: four corners, from the line's own upper left clockwise."""

import math
from dataclasses import dataclass

from PIL import Image

from packs.ocr.reading.boxes import Box

Point = tuple[float, float]


@dataclass(frozen=True)
class Quad:
    upper_left: Point
    upper_right: Point
    lower_right: Point
    lower_left: Point

    @property
    def corners(self) -> tuple[Point, Point, Point, Point]:
        return self.upper_left, self.upper_right, self.lower_right, self.lower_left

    @property
    def width(self) -> float:
        return math.dist(self.upper_left, self.upper_right)

    @property
    def height(self) -> float:
        return math.dist(self.upper_left, self.lower_left)

    @property
    def length(self) -> float:
        return max(self.width, self.height)

    def box(self, *, level_by: float = 0.0) -> Box:
        """The upright box around it, on the page turned back by so many radians."""
        cos, sin = math.cos(level_by), math.sin(level_by)
        x = [x * cos + y * sin for x, y in self.corners]
        y = [y * cos - x * sin for x, y in self.corners]
        return Box(math.floor(min(x)), math.floor(min(y)), math.ceil(max(x)), math.ceil(max(y)))

    def between(self, top: float, bottom: float) -> "Quad":
        """The part from one share of its height to another."""

        def along(one: Point, other: Point, share: float) -> Point:
            return one[0] + (other[0] - one[0]) * share, one[1] + (other[1] - one[1]) * share

        left, right = (self.upper_left, self.lower_left), (self.upper_right, self.lower_right)
        return Quad(along(*left, top), along(*right, top), along(*right, bottom), along(*left, bottom))

    def upside_down(self, page: tuple[int, int]) -> "Quad":
        """The same place on a page of this width and height turned by half."""
        corners = [(page[0] - x, page[1] - y) for x, y in self.corners]
        return Quad(*corners[2:], *corners[:2])

    def cut_from(self, page: Image.Image) -> Image.Image:
        """The line as a level picture, at the page's own resolution."""
        size = (max(8, round(self.width)), max(8, round(self.height)))
        corners = (*self.upper_left, *self.lower_left, *self.lower_right, *self.upper_right)
        return page.transform(size, Image.Transform.QUAD, corners, Image.Resampling.BICUBIC)
