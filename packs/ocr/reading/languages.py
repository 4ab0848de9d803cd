"""The words of one line: the recogniser reads Latin letters and digits, Tesseract's Korean model the Korean, and each
word is taken from the one that knows it.

The recogniser reads every line. Where it is sure and saw nothing foreign, there is no Korean to read. Neither can say
everything: what looks like digits to the Korean model may be `USD`, and `45dB를` needs both.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from PIL import Image

from packs.ocr.reading.boxes import hull
from packs.ocr.reading.engine import HEIGHT, OTHER_HEIGHTS, Engine, Letter, Line, Word
from packs.ocr.reading.ink import is_all_read, with_unread_ink
from packs.ocr.reading.numbers import is_implausible
from packs.ocr.reading.recogniser import Recogniser, word_of
from packs.ocr.reading.spacing import blank_stretches, joined

KOREAN = "kor"
# The recogniser alone is believed from here on.
LATIN_ALONE_FROM = 88.0
# The recogniser is believed over digits of the Korean model from here on: they may be letters that it has no sign for.
LATIN_FROM = 50.0
# Of single letters, whose confidence is high even where they are wrong.
SURE_LETTER = 90.0
SURE_SYLLABLE = 80.0
LIKELY_SYLLABLE = 60.0
# Words share a place from this much of the narrower one on; their boxes touch by a stroke or two anyway.
SAME_PLACE = 0.3
# In pixels of the line: less is a stroke.
LEAST_STRETCH = 10
# So many letters are no chance.
LEAST_LATIN = 3
BOX_OFF = 3
# In heights of the line: how far from its box a syllable may end.
REACH = 0.2

_SYLLABLE = re.compile("[가-힣]")
_LATIN = re.compile("[A-Za-z]")
_LATIN_OR_DIGIT = re.compile("[A-Za-z0-9]")
_LETTER = re.compile(r"\w")

Place = tuple[list[Word], list[Word]]
"""What the Korean model and the recogniser say of one stretch of the line; one may say nothing."""


class LineReader:
    """The languages of a page, such as `kor+eng`."""

    def __init__(self, languages: str) -> None:
        self._korean = Engine(KOREAN) if KOREAN in languages.split("+") else None
        self._latin = Recogniser()

    def read(self, line: Image.Image) -> Line | None:
        """None where nothing was read. Ink that neither model explains is an unreadable word in its place."""
        return self._read(line, HEIGHT, self._latin.read(line))

    def read_again(self, line: Image.Image) -> list[Line]:
        """At other scales: what came out doubtful may come out better."""
        latin = self._latin.read(line)
        readings = [self._read(line, height, latin) for height in OTHER_HEIGHTS]
        return [reading for reading in readings if reading is not None]

    def _read(self, image: Image.Image, height: int, latin: Line | None) -> Line | None:
        if self._korean is None:
            return with_unread_ink(latin, image)
        if latin is not None and _is_latin(latin) and is_all_read(latin, image):
            return latin
        korean = self._korean.read(image, height=height)
        if korean is not None and _SYLLABLE.search(korean.text):
            latin = self._with_stretches(korean, latin, image)
        return with_unread_ink(_together(korean, latin, image), image)

    def _with_stretches(self, korean: Line, latin: Line | None, image: Image.Image) -> Line | None:
        """Amid Korean the recogniser loses Latin words that it reads well alone: `Stay는` becomes `y`. So the stretches
        that the Korean model does not read as syllables are read again, each by itself."""
        found: list[Word] = []
        left_over = list(latin.words) if latin is not None else []
        for stretch in stretches(korean, image):
            if any(_is_within(word, stretch) and _is_surely_latin(word) for word in left_over):
                continue
            there = parts_within(left_over, stretch)
            left_over = [word for word in left_over if not _is_within(word, stretch)]
            alone = self._latin.read(image.crop((stretch.start, 0, stretch.end, image.height)))
            # What has fewer letters than the Korean model surely sees has lost some.
            letters = len(stretch.letters) if _sure(stretch.letters) > SURE_LETTER else 0
            readings = [there, [moved(word, stretch.start) for word in alone.words] if alone is not None else []]
            whole = [reading for reading in readings if reading and len(_text(reading)) >= letters]
            found += sorted(whole, key=_confidence)[-1] if whole else []
        words = sorted([*left_over, *found], key=lambda word: word.box.left)
        return Line(tuple(words)) if words else None


@dataclass(frozen=True)
class Stretch:
    """Columns of a line, and what the Korean model reads there that is no syllable."""

    start: int
    end: int
    letters: tuple[Letter, ...]

    def has(self, letter: Letter) -> bool:
        return self.start <= _middle(letter) < self.end


def parts_within(words: Sequence[Word], stretch: Stretch) -> list[Word]:
    """Of each word the letters that stand there."""
    groups = [[letter for letter in word.letters if stretch.has(letter)] for word in words]
    return [word_of(group) for group in groups if group]


def _is_surely_latin(word: Word) -> bool:
    return word.confidence >= LATIN_ALONE_FROM and len(_LATIN.findall(word.text)) >= LEAST_LATIN


def _is_within(word: Word, stretch: Stretch) -> bool:
    return any(stretch.has(letter) for letter in word.letters)


def stretches(korean: Line, image: Image.Image) -> list[Stretch]:
    """From syllable to syllable, where something else stands between."""
    letters = [letter for word in korean.words for letter in word.letters]
    gaps = blank_stretches(image)
    found: list[Stretch] = []
    for is_korean, group in groupby(range(len(letters)), lambda at: _is_syllable(letters[at])):
        numbers = list(group)
        if is_korean or not any(_is_foreign(letters[at]) for at in numbers):
            continue
        first, last = numbers[0], numbers[-1]
        start = _border_behind(letters[first - 1].box.right, gaps, image.height) if first else 0
        end = _border_before(letters[last + 1].box.left, gaps, image.height) if last + 1 < len(letters) else image.width
        if end - start >= LEAST_STRETCH:
            found.append(Stretch(start, end, tuple(letters[first : last + 1])))
    return found


def _border_behind(edge: int, gaps: Sequence[tuple[int, int]], height: int) -> int:
    """The Korean model's boxes are off by a stroke or two: the paper says where the syllable ends. Mostly a blank is
    behind it: the widest gap."""
    near = [(end - start, (start + end) // 2) for start, end in gaps if abs((start + end) / 2 - edge) <= REACH * height]
    return max(near)[1] if near else edge


def _border_before(edge: int, gaps: Sequence[tuple[int, int]], height: int) -> int:
    """A syllable often stands close behind a digit, and its box begins too late: the nearest gap."""
    near = [
        (start + end) // 2 for start, end in gaps if edge - 2 * REACH * height <= (start + end) / 2 <= edge + BOX_OFF
    ]
    return max(near) if near else edge


def _is_foreign(letter: Letter) -> bool:
    return bool(_LETTER.match(letter.text)) and not _SYLLABLE.match(letter.text)


def _is_syllable(letter: Letter) -> bool:
    """Of a Latin word the Korean model makes syllables too, but unsure ones."""
    return bool(_SYLLABLE.match(letter.text)) and letter.confidence >= LIKELY_SYLLABLE


def moved(word: Word, right: int) -> Word:
    letters = tuple(replace(letter, box=letter.box.moved(right, 0)) for letter in word.letters)
    return replace(word, box=word.box.moved(right, 0), letters=letters)


def _is_latin(line: Line) -> bool:
    least = min((word.confidence for word in line.words if _LETTER.search(word.text)), default=0.0)
    # `1,0007H` is `1,000개`.
    if any(is_implausible(word.text) for word in line.words):
        return False
    return line.confidence >= LATIN_ALONE_FROM and least >= LATIN_FROM


def _together(korean: Line | None, latin: Line | None, image: Image.Image) -> Line | None:
    if korean is None or latin is None:
        alone = korean or latin
        return joined(alone, image) if alone is not None else None
    return merged(korean, latin, image)


def merged(korean: Line, latin: Line, image: Image.Image) -> Line | None:
    words: list[Word] = []
    for place in places(korean, latin):
        chosen = _chosen(place, korean.box.height)
        # Whether a blank stands before the place is the Korean model's to say, where it read anything there: to the
        # other one a particle behind `6.2GB` is the next word.
        if chosen and place[0]:
            chosen = (replace(chosen[0], blank_before=place[0][0].blank_before), *chosen[1:])
        words.extend(chosen)
    return joined(Line(tuple(words)), image) if words else None


def places(first: Line, second: Line) -> list[Place]:
    """From left to right. Readings may part words differently: a place holds all that overlap each other."""
    found: list[Place] = []
    sides = [(word, 0) for word in first.words] + [(word, 1) for word in second.words]
    for word, side in sorted(sides, key=lambda item: (item[0].box.left, item[1])):
        if not found or not any(_overlap(word, other) for other in found[-1][1 - side]):
            found.append(([], []))
        found[-1][side].append(word)
    return found


def _overlap(one: Word, other: Word) -> bool:
    shared = min(one.box.right, other.box.right) - max(one.box.left, other.box.left)
    return shared > SAME_PLACE * min(one.box.width, other.box.width)


def _chosen(place: Place, height: int) -> Sequence[Word]:
    korean, latin = place
    if not korean or not latin:
        alone = korean or latin
        # A sliver that one model calls a mark and the other takes for part of its word.
        is_sliver = hull([word.box for word in alone]).width < height / 2 and not _SYLLABLE.search(_text(alone))
        is_mark = not _LATIN_OR_DIGIT.search(_text(alone)) and _confidence(alone) < SURE_LETTER
        return () if is_sliver and is_mark else alone
    mixed = _mixed(korean, latin, height)
    if mixed is not None:
        return mixed
    if _SYLLABLE.search(_text(korean)):
        # Both know the marks: where one sees `=` and the other a syllable, it is no `=`.
        is_word = _LETTER.search(_text(latin)) or _confidence(korean) < LATIN_FROM
        if is_implausible(_text(latin)) and not is_implausible(_text(korean)) and _confidence(korean) >= LATIN_FROM:
            return korean
        return latin if is_word and _confidence(latin) > _confidence(korean) else korean
    return latin if _confidence(latin) > min(LATIN_FROM, _confidence(korean)) else korean


def _mixed(korean: Sequence[Word], latin: Sequence[Word], height: int) -> Sequence[Word] | None:
    """Latin letters or digits with Korean behind them (`45dB를`, `1,340만원을`): each from the model that knows it."""
    syllables = [(letter, at) for at, word in enumerate(korean) for letter in word.letters]
    begins = next((at for at, (letter, _) in enumerate(syllables) if _SYLLABLE.match(letter.text)), 0)
    before, tail = [each for each, _ in syllables[:begins]], [each for each, _ in syllables[begins:]]
    if not before or any(_LATIN.match(letter.text) for letter in tail):
        return None
    letters = [letter for word in latin for letter in word.letters]
    # The engine's boxes of single letters reach a stroke too far.
    head = [letter for letter in letters if _middle(letter) < tail[0].box.left]
    behind = letters[len(head) :]
    if _sure(behind) > _sure(tail) and _confidence(latin) > _confidence(korean):
        # All of it is Latin: `both`, in which the Korean model saw a syllable.
        return None
    spelled = "".join(letter.text for letter in head)
    as_korean = "".join(letter.text for letter in before)
    if not _LATIN_OR_DIGIT.search(spelled) or spelled == as_korean:
        return None
    latin_letters = _LATIN.findall(spelled)
    is_latin = (
        _sure(head) > SURE_LETTER
        if len(latin_letters) != 1
        # A single `T` may be a `7`.
        else _sure(head) > max(_sure(before), SURE_LETTER)
    )
    if is_implausible(as_korean) and not is_implausible(spelled):
        is_latin = is_latin or _sure(head) > LATIN_FROM
    if not is_latin or _sure(tail) <= SURE_SYLLABLE:
        return None
    # Words of the Korean model behind the first stay parted as it parted them.
    first = syllables[begins][1]
    own_tail = [letter for letter, at in syllables[begins:] if at == first]
    text = spelled + "".join(letter.text for letter in own_tail)
    box = hull([letter.box for letter in (*head, *own_tail)])
    confidence = min(_sure(head), korean[first].confidence)
    return (Word(text, confidence, box, blank_before=korean[0].blank_before), *korean[first + 1 :])


def _middle(letter: Letter) -> float:
    return (letter.box.left + letter.box.right) / 2


def _sure(letters: Sequence[Letter]) -> float:
    return sum(letter.confidence for letter in letters) / len(letters) if letters else 0.0


def _confidence(words: Sequence[Word]) -> float:
    return Line(tuple(words)).confidence


def _text(words: Sequence[Word]) -> str:
    return "".join(word.text for word in words)
