"""Each language's model reads a place alone; the surer reading of each word stands.

The engine can hold both models at once, but then settles a word before it has weighed both: it keeps `TY` (75) where
the Korean model alone reads `7일` (93). Neither model can say everything: the Korean one has no Latin letters, the
English one no Korean. So what looks like digits to the Korean model may be `USD`, and `45dB를` needs both.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from PIL import Image

from packs.ocr.reading.boxes import Box, hull
from packs.ocr.reading.engine import ONE_BLOCK, Engine, Letter, Line, Word
from packs.ocr.reading.merge import Place, confidence, places

KOREAN = "kor"
# Of the smaller of two lines: less in common, and they are not the same line.
SAME_LINE = 0.3
# The English model is believed over digits of the Korean one from here on: they may be letters that it has no sign for.
LATIN_FROM = 50.0
# Of single letters, whose confidence is high even where they are wrong.
SURE_LETTER = 95.0
SURE_SYLLABLE = 90.0

_SYLLABLE = re.compile("[가-힣]")
_LATIN = re.compile("[A-Za-z]")
_LETTER = re.compile(r"\w")


class Tongues:
    """The languages of a page, such as `kor+eng`."""

    def __init__(self, languages: str) -> None:
        # Korean first: `together` takes them in this order.
        names = sorted(languages.split("+"), key=lambda name: name != KOREAN)
        self._engines = [Engine(name) for name in names]

    def read(self, page: Image.Image, box: Box, *, row_height: int, scale: float, mode: int = ONE_BLOCK) -> list[Line]:
        readings = [engine.read(page, box, row_height=row_height, scale=scale, mode=mode) for engine in self._engines]
        return readings[0] if len(readings) == 1 else together(*readings)


def together(korean: list[Line], latin: list[Line]) -> list[Line]:
    """Lines in the order in which they stand. The same picture gives both models the same lines, nearly always."""
    unmatched = list(latin)
    lines: list[Line] = []
    for line in korean:
        other = max(unmatched, key=lambda each: each.box.shared(line.box), default=None)
        if other is None or other.box.shared(line.box) < SAME_LINE * min(other.box.area, line.box.area):
            lines.append(line)
            continue
        unmatched.remove(other)
        chosen = ((place, _chosen(place, line.box.height)) for place in places(line, other))
        lines.append(Line(tuple(word for place, words in chosen for word in _parted(place, words))))
    return sorted((line for line in [*lines, *unmatched] if line.words), key=lambda line: line.box.top)


def _chosen(place: Place, height: int) -> Sequence[Word]:
    korean, latin = place
    if not korean or not latin:
        alone = korean or latin
        # A sliver that one model calls a mark and the other takes for part of its word.
        is_sliver = hull([word.box for word in alone]).width < height / 2 and not _SYLLABLE.search(_text(alone))
        return () if is_sliver and not _LATIN.search(_text(alone)) else alone
    mixed = _mixed(korean, latin, height)
    if mixed is not None:
        return (mixed,)
    if _SYLLABLE.search(_text(korean)):
        # Both know the marks: where one sees `=` and the other a syllable, it is no `=`.
        is_word = _LETTER.search(_text(latin)) or confidence(korean) < LATIN_FROM
        return latin if is_word and confidence(latin) > confidence(korean) else korean
    return latin if confidence(latin) > min(LATIN_FROM, confidence(korean)) else korean


def _parted(place: Place, chosen: Sequence[Word]) -> Iterator[Word]:
    """Whether a blank stands before the place is the Korean model's to say, where it read anything there: to the other
    one a particle behind `6.2GB` is the next word."""
    korean, _ = place
    for number, word in enumerate(chosen):
        yield replace(word, blank_before=korean[0].blank_before) if number == 0 and korean else word


def _mixed(korean: Sequence[Word], latin: Sequence[Word], height: int) -> Word | None:
    """Latin letters or digits with Korean behind them, in one word: each part from the model that knows its letters."""
    syllables = [letter for word in korean for letter in word.letters]
    begins = next((at for at, letter in enumerate(syllables) if _SYLLABLE.match(letter.text)), 0)
    before, tail = syllables[:begins], syllables[begins:]
    if not before or any(_LETTER.match(letter.text) and not _SYLLABLE.match(letter.text) for letter in tail):
        return None
    letters = [letter for word in latin for letter in word.letters]
    # The engine's boxes of single letters reach a stroke too far.
    head = [letter for letter in letters if letter.box.left < tail[0].box.left - height / 4]
    behind = letters[len(head) :]
    latin_letters = _LATIN.findall("".join(letter.text for letter in head))
    if not latin_letters or not behind:
        return None
    # A single `T` may be a `7`. Two letters are letters, however sure the other model is of the digits it has instead.
    is_latin = _sure(head) > (SURE_LETTER if len(latin_letters) > 1 else max(_sure(before), SURE_LETTER))
    is_korean = _sure(tail) > _sure(behind) or confidence(korean) >= confidence(latin)
    if not is_latin or not is_korean or _sure(tail) <= SURE_SYLLABLE:
        return None
    text = "".join(letter.text for letter in (*head, *tail))
    return Word(text, max(confidence(korean), confidence(latin)), hull([word.box for word in korean]))


def _sure(letters: Sequence[Letter]) -> float:
    return sum(letter.confidence for letter in letters) / len(letters)


def _text(words: Sequence[Word]) -> str:
    return "".join(word.text for word in words)
