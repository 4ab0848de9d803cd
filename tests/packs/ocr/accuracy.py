"""How far a reading is from the known text. Exact edit distances, bit-parallel, so that a page takes milliseconds."""

import re
from collections.abc import Iterator, Sequence

from packs.ocr.reading.marks import DOUBTFUL_MARK, UNREADABLE_MARK
from packs.ocr.reading.read_page import Block
from tests.packs.ocr.corpus import KnownLine, Place

_EITHER = re.compile(r"\S/\S")


def error_rate(truth: str, reading: str) -> float:
    """Wrong, missing and surplus characters per character of the truth, blanks not counted."""
    wanted, got = ("".join(text.split()) for text in (truth, likeliest(reading)))
    return distance(wanted, got) / len(wanted)


def error_rate_with_spaces(truth: str, reading: str) -> float:
    wanted, got = (" ".join(text.split()) for text in (truth, likeliest(reading)))
    return distance(wanted, got) / len(wanted)


def lost_lines(truth: str, reading: str) -> list[str]:
    """Lines of which not even half can be found anywhere in the reading."""
    got = "".join(likeliest(reading).split())
    lines = ["".join(line.split()) for line in truth.splitlines()]
    return [line for line in lines if line and distance(line, got, anywhere=True) > 0.5 * len(line)]


def dropped_lines(known: Sequence[KnownLine], blocks: Sequence[Block]) -> list[str]:
    """Lost lines without any mark in their place: nobody who reads the result would miss them."""
    lost = lost_lines("\n".join(line.text for line in known), "\n".join(block.text for block in blocks))
    marks = [told.place for told in _lines_in_place(blocks) if _is_marked(told.text)]
    return [
        line.text
        for line in known
        if "".join(line.text.split()) in lost and not any(_meet(line.place, mark) for mark in marks)
    ]


def _lines_in_place(blocks: Sequence[Block]) -> Iterator[KnownLine]:
    """The lines of a block follow each other evenly."""
    for block in blocks:
        left, top, right, bottom = block.box.as_tuple()
        texts = block.text.split("\n")
        height = (bottom - top) / len(texts)
        for number, text in enumerate(texts):
            yield KnownLine(text, (left, top + number * height, right, top + (number + 1) * height))


def _is_marked(text: str) -> bool:
    return UNREADABLE_MARK in text or DOUBTFUL_MARK in text or _EITHER.search(text) is not None


def _meet(line: Place, mark: Place) -> bool:
    """Whether the middle of the one lies within the other, from top to bottom, and they share any width."""
    level = mark[1] <= (line[1] + line[3]) / 2 <= mark[3] or line[1] <= (mark[1] + mark[3]) / 2 <= line[3]
    return level and min(line[2], mark[2]) > max(line[0], mark[0])


def likeliest(reading: str) -> str:
    """Without the marks of doubt: of two readings the first. No text of the corpus has a slash."""
    return re.sub(r"(\S)/\S+", r"\1", reading.replace(DOUBTFUL_MARK, ""))


def distance(wanted: str, got: str, *, anywhere: bool = False) -> int:
    """Levenshtein's (Myers' algorithm); `anywhere`: of the best place for `wanted` inside `got`."""
    size = len(wanted)
    places: dict[str, int] = {}
    for number, letter in enumerate(wanted):
        places[letter] = places.get(letter, 0) | (1 << number)
    every, last = (1 << size) - 1, 1 << (size - 1)
    plus, minus, score = every, 0, size
    best = score
    for letter in got:
        equal = places.get(letter, 0)
        vertical = equal | minus
        horizontal = (((equal & plus) + plus) ^ plus) | equal
        up, down = minus | ~(horizontal | plus), plus & horizontal
        score += bool(up & last) - bool(down & last)
        up, down = (up << 1) | (not anywhere), down << 1
        plus, minus = (down | ~(vertical | up)) & every, up & vertical & every
        best = min(best, score)
    return best if anywhere else score
