"""Lines of neighbouring columns that PDFium tells as one, because the gutter between them is narrow."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from packs.ocr.reading.boxes import hull
from packs.ocr.reading.pdfs import TextLine

# In sizes of type: no blank of a justified line is wider, mostly.
LEAST_GAP = 0.9
# So many other lines begin where the right part does, give or take so many points.
LEAST_ALIGNED, ALIGNED_WITHIN = 4, 2


def parted_at_gutters(lines: Sequence[TextLine]) -> list[TextLine]:
    starts = Counter(line.box.left for line in lines)
    return [part for line in lines for part in _parts(line, starts)]


def _parts(line: TextLine, starts: Counter[int]) -> Iterator[TextLine]:
    begin = 0
    for at in range(1, len(line.words)):
        left = line.words[at][0].left
        is_gap = left - line.words[at - 1][0].right >= LEAST_GAP * line.size
        near = range(left - ALIGNED_WITHIN, left + ALIGNED_WITHIN + 1)
        if is_gap and sum(starts[x] for x in near) >= LEAST_ALIGNED:
            yield _part(line, begin, at)
            begin = at
    yield _part(line, begin, len(line.words)) if begin else line


def _part(line: TextLine, begin: int, end: int) -> TextLine:
    words = line.words[begin:end]
    text = " ".join(text for _, text in words)
    return replace(line, text=text, box=hull([box for box, _ in words]), words=words)
