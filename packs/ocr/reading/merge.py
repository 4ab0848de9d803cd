"""Two readings of the same row become one: never both, never neither."""

import re
from collections.abc import Sequence
from dataclasses import replace

from packs.ocr.reading.engine import Line, Word

# Confidences closer than this do not decide.
TIE = 4.0
# A word as sure as this stands, whatever another reading says.
SURE = 88.0
# What only the second reading saw must be this sure; ink that is left over is read again by itself.
ALONE_FROM = 60.0
# Words share a place from this much of the narrower one on; their boxes touch by a stroke or two anyway.
SAME_PLACE = 0.3

_LATIN_AND_KOREAN = re.compile("[A-Za-z].*[가-힣]")

Place = tuple[list[Word], list[Word]]
"""What each of two readings says of one stretch of the row; one may say nothing."""


def merged(first: Line, second: Line) -> Line:
    """Place by place the surer reading. Readings whose confidence is close do not decide: the first leads."""
    words = [word for place in places(first, second) for word in _surer(*place)]
    return Line(tuple(words)) if words else first


def places(first: Line, second: Line) -> list[Place]:
    """From left to right. Readings may part words differently: a place holds all that overlap each other."""
    found: list[Place] = []
    sides = [(word, 0) for word in first.words] + [(word, 1) for word in second.words]
    for word, side in sorted(sides, key=lambda item: (item[0].box.left, item[1])):
        if not found or not any(_overlap(word, other) for other in found[-1][1 - side]):
            found.append(([], []))
        found[-1][side].append(word)
    return found


def confidence(words: Sequence[Word]) -> float:
    return Line(tuple(words)).confidence


def _surer(first: list[Word], second: list[Word]) -> list[Word]:
    if not first:
        return second if confidence(second) >= ALONE_FROM else []
    if not second:
        return first
    if _spells_both(first) != _spells_both(second):
        return first if _spells_both(first) else second
    same = [word.text for word in first] == [word.text for word in second]
    if same or abs(confidence(first) - confidence(second)) >= TIE:
        return max(first, second, key=confidence)
    # The first reading is at the better scale: it leads, and stands alone where it is sure.
    if confidence(first) >= SURE or len(first) != 1 or len(second) != 1:
        return first
    return [replace(first[0], other=second[0].text)]


def _spells_both(words: Sequence[Word]) -> bool:
    """Whether a word was put together from both models, letter by letter, as `118GB를` is. The Korean model alone is
    surer of `11868를`, having no other sign for those letters."""
    return any(_LATIN_AND_KOREAN.search(word.text) for word in words)


def _overlap(one: Word, other: Word) -> bool:
    shared = min(one.box.right, other.box.right) - max(one.box.left, other.box.left)
    return shared > SAME_PLACE * min(one.box.width, other.box.width)
