"""Small words that turn a statement round: up and down, earlier and later, from and until, if and unless.

They are no content words, so no word is missing when they are exchanged. What stands beside them tells which of them
belong together: the same figure, date or word in the claim and in the passage.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from packs.claims.alignment import Alignment
from packs.claims.compare import Match, agree, dates_agree
from packs.claims.findings import Conflict, Finding, Obstacle
from packs.claims.parsed import Parsed


@dataclass(frozen=True)
class _Direction:
    sides: tuple[re.Pattern[str], re.Pattern[str]]
    near: int = 0
    """How far the figure, date or word may stand that it belongs to; 0: it belongs to the whole sentence."""
    behind: bool = True
    """The figure, date or word stands behind it; otherwise before it."""
    excludes: bool = False
    """With the same figure or date, both sides cannot be true."""


def _direction(one: str, other: str, near: int = 0, behind: bool = True, excludes: bool = False) -> _Direction:
    return _Direction((re.compile(one, re.IGNORECASE), re.compile(other, re.IGNORECASE)), near, behind, excludes)


_ENGLISH = (
    _direction(r"\b(?:earlier|sooner)\b", r"\blater\b"),
    _direction(r"\bthis (?:year|season|month|week)\b", r"\blast (?:year|season|month|week)\b"),
    _direction(r"\bup\b(?! to\b)", r"\bdown\b"),
    _direction(r"\bup\b(?= (?:from\b|by\b|[$£€]?[0-9]))", r"\bdown\b", 20, excludes=True),
    _direction(
        r"\b(?:from|since|starting|as of)\b(?! (?:now|then)\b)", r"\b(?:until|till|to|through)\b", 8, excludes=True
    ),
    _direction(r"\bwith\b", r"\bwithout\b", 24),
    _direction(
        r"\b(?:because|due to|owing to|thanks to|as a result of)\b", r"\b(?:although|though|despite|in spite of)\b"
    ),
    _direction(r"\bif\b", r"\bunless\b"),
    _direction(r"\b(?:more|higher)\b", r"\b(?:fewer|less|lower)\b", 10, behind=False),
)
_KOREAN = (
    _direction(r"올해|금년", r"지난해|작년|전년", 6),
    _direction(r"부터", r"까지", 1, behind=False, excludes=True),
    _direction(r"에서(?= )", r"으?로(?= )", 1, behind=False),
    _direction(r"보다", r"만큼"),
    _direction(r"(?<![가-힣])더 ", r"(?<![가-힣])덜 "),
)


def check_directions(alignment: Alignment) -> Iterator[Finding]:
    for each in _ENGLISH if alignment.claim.language == "en" else _KOREAN:
        found = _beside(alignment, each) if each.near else _in_sentence(alignment, each)
        if found is not None:
            yield found
            return
    yield from _ordinals(alignment)
    yield from _periods(alignment)


def _sides(text: str, direction: _Direction) -> set[int]:
    return {side for side, pattern in enumerate(direction.sides) if pattern.search(text)}


def _in_sentence(alignment: Alignment, direction: _Direction) -> Finding | None:
    mine, theirs = _sides(alignment.claim.text, direction), _sides(alignment.passage.text, direction)
    if len(mine) != 1 or not theirs or mine & theirs:
        return None
    said = direction.sides[mine.pop()].search(alignment.claim.text)
    return Obstacle("DIRECTION", said.group().strip()) if said else None


def _beside(alignment: Alignment, direction: _Direction) -> Finding | None:
    mine, theirs = _sides(alignment.claim.text, direction), _sides(alignment.passage.text, direction)
    if not mine or not theirs or len(mine | theirs) < 2:
        return None
    for here, there, counted in _places(alignment):
        side, word = _side(alignment.claim, here, direction)
        other, opposed = _side(alignment.passage, there, direction)
        if word and opposed and side != other:
            if direction.excludes and counted:
                return Conflict("OPPOSITE", word, opposed)
            return Obstacle("DIRECTION", word)
    return None


def _places(alignment: Alignment) -> Iterator[tuple[tuple[int, int], tuple[int, int], bool]]:
    """What corresponds: figures, dates and words, each by its place in the claim and in the passage."""
    claim, passage = alignment.claim, alignment.passage
    for figure in claim.figures:
        same = [each for each in passage.figures if agree(figure, each) is Match.AGREES]
        if len(same) == 1:
            yield (figure.start, figure.end), (same[0].start, same[0].end), True
    for date in claim.dates:
        named = [each for each in passage.dates if dates_agree(date, each) is Match.AGREES]
        if len(named) == 1:
            yield (date.start, date.end), (named[0].start, named[0].end), True
    for pair in alignment.pairs:
        if not pair.in_context and pair.same:
            yield (pair.claimed.start, pair.claimed.end), (pair.found.start, pair.found.end), False


def _side(parsed: Parsed, place: tuple[int, int], direction: _Direction) -> tuple[int, str]:
    """Which of the two stands nearest beside a place, and how it is written."""
    start, end = place
    beside = []
    for side, pattern in enumerate(direction.sides):
        for match in pattern.finditer(parsed.text):
            away = start - match.end() if direction.behind else match.start() - end
            if 0 <= away <= direction.near:
                beside.append((away, side, match.group()))
    nearest = min(beside, default=(0, 0, ""))
    return nearest[1], nearest[2]


_NUMBERED = {
    "first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5", "sixth": "6", "seventh": "7",
    "eighth": "8", "ninth": "9", "tenth": "10", "eleventh": "11", "twelfth": "12",
}  # fmt: skip
_ORDINAL_EN = re.compile(
    r"(?<!\ba )(?<!\bone )(?<!\btwo )(?<!-)\b(" + "|".join(_NUMBERED) + r"|[0-9]+(?:st|nd|rd|th))[ -]([a-z]+)",
    re.IGNORECASE,
)
_ORDINAL_KO = re.compile(
    r"(?:제 ?)?([0-9]+|[첫두세네]|다섯|여섯|일곱|여덟|아홉|열)"
    r" ?(번째|분기|위|차(?![가-힣])|회(?=[ ,.]|에)|호선|등(?=[을으 ]))"
)


def _ordered(text: str, language: str) -> Iterator[tuple[str, str, str]]:
    """Number, what is numbered, and how it is written."""
    for match in (_ORDINAL_EN if language == "en" else _ORDINAL_KO).finditer(text):
        written = match.group(1).lower()
        number = _NUMBERED.get(written) or (re.sub(r"\D", "", written) or written)
        yield number, match.group(2).lower().rstrip("s"), match.group()


def _ordinals(alignment: Alignment) -> Iterator[Finding]:
    """The third quarter is not the fourth."""
    language = alignment.claim.language
    theirs = list(_ordered(alignment.passage.text, language))
    for number, counted, written in _ordered(alignment.claim.text, language):
        others = [each for each, what, _ in theirs if what == counted]
        if others and number not in others:
            yield Obstacle("FIGURE", written)
            return


_PERIOD = re.compile(
    r"\b(a|an|per|each|every|this|last|next|the|one|same|previous|following)"
    r" (day|week|month|quarter|year|decade|century|hour|minute)\b",
    re.IGNORECASE,
)


def _periods(alignment: Alignment) -> Iterator[Finding]:
    """A week later is not a month later."""
    mine, theirs = (_period_of(parsed) for parsed in (alignment.claim, alignment.passage))
    for before, period in mine:
        others = [each for word, each in theirs if word == before]
        if others and period not in (each for _, each in theirs):
            yield Obstacle("FIGURE", f"{before} {period}")
            return


def _period_of(parsed: Parsed) -> Sequence[tuple[str, str]]:
    return [(match[1].lower(), match[2].lower()) for match in _PERIOD.finditer(parsed.text)]
