"""Two readings of the same row become one: never both, never neither."""

from collections.abc import Iterator
from dataclasses import replace

from packs.ocr.reading.engine import Line, Word

# Confidences closer than this do not decide.
TIE = 4.0
# A word as sure as this stands, whatever another reading says.
SURE = 88.0


def merged(first: Line, second: Line) -> Line:
    """Word by word where both readings have the same words apart from some letters; else the surer line.
    Readings whose confidence is close do not decide: the first leads."""
    if _plain(first) == _plain(second):
        return max(first, second, key=lambda line: line.confidence)
    if len(first.words) == len(second.words) and all(_same_place(*pair) for pair in _pairs(first, second)):
        return Line(tuple(_surer(*pair) for pair in _pairs(first, second)))
    # Fewer letters with more confidence may be a row that was only half seen.
    if len(_plain(second)) < 0.8 * len(_plain(first)):
        return first
    if len(_plain(first)) < 0.8 * len(_plain(second)):
        return second
    return second if second.confidence > first.confidence + TIE else first


def _surer(first: Word, second: Word) -> Word:
    if first.text == second.text:
        return max(first, second, key=lambda word: word.confidence)
    if abs(first.confidence - second.confidence) >= TIE:
        return max(first, second, key=lambda word: word.confidence)
    # The first reading is at the better scale: it leads, and stands alone where it is sure.
    return first if first.confidence >= SURE else replace(first, other=second.text)


def _pairs(first: Line, second: Line) -> Iterator[tuple[Word, Word]]:
    return zip(first.words, second.words, strict=True)


def _same_place(one: Word, other: Word) -> bool:
    return min(one.box.right, other.box.right) > max(one.box.left, other.box.left)


def _plain(line: Line) -> str:
    return "".join(word.text for word in line.words)
