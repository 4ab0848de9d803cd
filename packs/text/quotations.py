"""Passages a text quotes: between quotation marks on one line, or as a block whose lines begin with `>`."""

from collections.abc import Iterator

_CLOSING = {"“": "”", '"': '"', "「": "」", "„": "“"}
_CORNER_MIN_CHARS = 30  # shorter corner brackets hold a title, not a quotation


def quoted_passages(text: str) -> Iterator[tuple[int, int]]:
    """In order of place. A mark left open ends with its line: one slip must not swallow the page."""
    offset = 0
    block: tuple[int, int] | None = None
    for line in text.split("\n"):
        end = offset + len(line)
        if line[:4].lstrip().startswith(">"):
            block = (block[0] if block else offset, end)
        else:
            if block:
                yield block
                block = None
            yield from ((offset + first, offset + last) for first, last in _inline(line))
        offset = end + 1
    if block:
        yield block


def _inline(line: str) -> Iterator[tuple[int, int]]:
    place = 0
    without_end: set[str] = set()  # a mark never closed is looked for once, not at each of its openings
    while place < len(line):
        closing = _CLOSING.get(line[place])
        end = -1 if closing is None or closing in without_end else line.find(closing, place + 1)
        if end < 0:
            if closing is not None:
                without_end.add(closing)
            place += 1
            continue
        if line[place] != "「" or end - place > _CORNER_MIN_CHARS:
            yield place + 1, end
        place = end + 1
