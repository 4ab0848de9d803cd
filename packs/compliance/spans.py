"""Many spans of one text, asked in logarithmic time: a text that repeats itself has thousands of them."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

Span = tuple[int, int]


class Spans:
    """Spans that overlap are kept as one."""

    def __init__(self, given: Iterable[Span]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(given):
            if self._ends and start < self._ends[-1]:
                self._ends[-1] = max(end, self._ends[-1])
            else:
                self._starts.append(start)
                self._ends.append(end)

    def overlap(self, span: Span) -> bool:
        """Whether any of them shares a character with the span."""
        place = bisect_left(self._starts, span[1]) - 1
        return place >= 0 and span[0] < self._ends[place]

    def contain(self, span: Span) -> bool:
        """Whether the span lies within one of them."""
        place = bisect_right(self._starts, span[0]) - 1
        return place >= 0 and span[1] <= self._ends[place]
