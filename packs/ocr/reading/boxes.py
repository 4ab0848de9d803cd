"""Rectangles on a page, in pixels: left, top, right, bottom; right and bottom are outside."""

from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True)
class Box:
    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def height(self) -> int:
        return self.bottom - self.top

    @property
    def area(self) -> int:
        return max(0, self.width) * max(0, self.height)

    def shared(self, other: Self) -> int:
        """The area that both cover."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return width * height if width > 0 and height > 0 else 0

    def shared_height(self, other: Self) -> int:
        return max(0, min(self.bottom, other.bottom) - max(self.top, other.top))

    def joined(self, other: Self) -> "Box":
        return Box(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )

    def grown(self, by: int, within: tuple[int, int]) -> "Box":
        """Larger on every side, but not beyond a page of this width and height."""
        width, height = within
        return Box(
            max(0, self.left - by), max(0, self.top - by), min(width, self.right + by), min(height, self.bottom + by)
        )

    def moved(self, right: int, down: int) -> "Box":
        return Box(self.left + right, self.top + down, self.right + right, self.bottom + down)

    def scaled(self, by: float) -> "Box":
        return Box(int(self.left * by), int(self.top * by), round(self.right * by), round(self.bottom * by))

    def as_tuple(self) -> tuple[int, int, int, int]:
        return self.left, self.top, self.right, self.bottom


def hull(boxes: list[Box]) -> Box:
    """The smallest box around all of them."""
    whole = boxes[0]
    for box in boxes[1:]:
        whole = whole.joined(box)
    return whole
