"""Comparisons: more, less, higher, lower than; decided by the figures of the passage where it only gives figures."""

import re
from collections.abc import Iterator

from packs.claims.alignment import Alignment, Pair
from packs.claims.arithmetic import direction
from packs.claims.compare import same_kind
from packs.claims.findings import Computation, Conflict, Finding, Obstacle, Settled
from packs.claims.parsed import Figure, Kind, Parsed, Role
from packs.claims.parts import part_of
from packs.text.units import kind_of

_MORE = re.compile(
    r"\b(?:more|higher|greater|larger|bigger|longer|faster|older|heavier|dearer|costlier|pricier|taller|above)\b"
    r"|더 많|더 크|더 높|더 길|많이|많다|많았|높다|높았|길다|길었|크다|컸|비싸"
    r"|무겁|무거|빠르|빨랐|빨리|빠른|많은|높은|큰|긴|오래",
    re.IGNORECASE,
)
_LESS = re.compile(
    r"\b(?:less|fewer|lower|smaller|shorter|slower|younger|lighter|cheaper|below)\b"
    r"|덜|더 적|더 낮|더 짧|적게|적다|적었|낮다|낮았|짧다|짧았|작다|작았"
    r"|(?<!비)싸다|(?<!비)쌌|(?<!비)싼|저렴|가볍|가벼|느리|느렸|느린|적은|낮은|짧은|작은",
    re.IGNORECASE,
)
_COMPARES = re.compile(r"\bthan\b|보다|더 (?!이상)|덜 ")
_WITH_WHAT = re.compile(r"\bthan\b|보다")
_PLAIN_MORE = re.compile(r"\b(?:more|less)\b(?= than| in| for)|더 많이|더 적게|덜", re.IGNORECASE)


def compares(claim: Parsed) -> bool:
    """Whether figures could decide it: it speaks of more or less, or of a change."""
    return _COMPARES.search(claim.text) is not None or direction(claim) != 0


def check_comparison(alignment: Alignment) -> Iterator[Finding | Computation | Settled]:
    claim, passage = alignment.claim, alignment.passage
    if not _COMPARES.search(claim.text) or claim.figures:
        return
    if _COMPARES.search(passage.text) and _has_direction(passage.text):
        return  # both compare in words: polarity and roles decide
    if not _WITH_WHAT.search(claim.text) and any(
        pair.same and not pair.in_context and _has_direction(pair.claimed.text) for pair in alignment.pairs
    ):
        return  # "더 낮았다" and "20% 낮았다"
    sign = _sign(claim.text)
    sides = _sides(alignment)
    if sign == 0 or sides is None:
        yield Obstacle("COMPARISON", claim.text)
        return
    one, other = sides
    if _measures_time(claim, one):
        sign = -sign
    for word in alignment.missing:
        if word.kind is Kind.QUALITY and (_has_direction(word.text) or word.lemma in _BARE):
            yield Settled(word.text)
    shown = f"{one.text} {'>' if one.low > other.low else '<' if one.low < other.low else '='} {other.text}"
    if one.low == other.low or (one.low > other.low) != (sign > 0):
        yield Conflict("COMPARISON", claim.text, shown)
    else:
        yield Computation(claim.text, shown)


_QUICK = re.compile(r"\b(?:faster|slower|quicker)\b|빠르|빨랐|느리|느렸", re.IGNORECASE)
_BARE = frozenset(
    {"common", "frequent"}
    | {
        "많다",
        "적다",
        "높다",
        "낮다",
        "크다",
        "작다",
        "길다",
        "짧다",
        "싸다",
        "비싸다",
        "무겁다",
        "가볍다",
        "빠르다",
        "느리다",
    }
)


def _measures_time(claim: Parsed, figure: Figure) -> bool:
    """The faster of two needs fewer minutes."""
    return _QUICK.search(claim.text) is not None and kind_of(figure.unit) == "time"


def _has_direction(text: str) -> bool:
    return _MORE.search(text) is not None or _LESS.search(text) is not None


def _sign(text: str) -> int:
    plain = _PLAIN_MORE.search(text)
    if plain is not None:
        return -1 if plain.group().lower() in ("less", "덜", "더 적게") else 1
    more, less = _MORE.search(text) is not None, _LESS.search(text) is not None
    return 0 if more == less else 1 if more else -1


def _sides(alignment: Alignment) -> tuple[Figure, Figure] | None:
    """The passage's figure for what is compared and for what it is compared with."""
    claim, passage = alignment.claim, alignment.passage
    figures = [each for each in passage.figures if not each.is_range and not each.bound]
    than = _than_words(alignment)
    marked = [pair for pair in alignment.pairs if not pair.in_context and pair.claimed.kind in (Kind.NAME, Kind.NOUN)]
    dated = _dated_sides(alignment, figures)
    if dated is not None:
        return dated
    theirs = {pair.found.lemma for pair in marked if pair.claimed in than}
    mine = {pair.found.lemma for pair in marked if pair.claimed not in than}
    one = _figure_with(
        passage.text,
        figures,
        [pair for pair in marked if pair.claimed not in than and pair.found.lemma not in theirs],
        claim.language,
    )
    if one is None:
        return None
    if than:
        other = _figure_with(
            passage.text,
            figures,
            [pair for pair in marked if pair.claimed in than and pair.found.lemma not in mine],
            claim.language,
        )
        return (one, other) if other is not None and other is not one and same_kind(one, other) else None
    rest = [each for each in figures if each is not one and same_kind(each, one)]
    return (one, rest[0]) if len(rest) == 1 else None


def _than_words(alignment: Alignment) -> list[object]:
    claim = alignment.claim
    if claim.language == "ko":
        marked = [word for word in claim.words if word.role is Role.THAN]
        return [word for word in claim.words if any(word is each or 0 <= each.start - word.end <= 1 for each in marked)]
    place = re.search(r"\bthan\b", claim.text)
    return [word for word in claim.words if place is not None and word.start > place.start()]


def _figure_with(text: str, figures: list[Figure], pairs: list[Pair], language: str) -> Figure | None:
    scores = [
        (sum(part_of(text, pair.found.start) == part_of(text, each.start) for pair in pairs), each) for each in figures
    ]
    best = max((score for score, _ in scores), default=0)
    nearest = [each for score, each in scores if score == best]
    return nearest[0] if best and len(nearest) == 1 else None


def _dated_sides(alignment: Alignment, figures: list[Figure]) -> tuple[Figure, Figure] | None:
    """`lower in May than in April`: the figures by their dates."""
    dates = alignment.claim.dates
    if len(dates) != 2 or len(figures) < 2:
        return None
    moved = _moved_sides(alignment, figures)
    if moved is not None:
        return moved
    found = []
    for each in dates:
        same = [
            other
            for other in alignment.passage.dates
            if (other.year, other.month, other.day) == (each.year, each.month, each.day)
        ]
        if len(same) != 1:
            return None
        found.append(_owner(same[0].start, same[0].end, figures, alignment.claim.language))
    first, second = found
    if alignment.claim.language == "ko" and re.search(r"보다", alignment.claim.text):
        place = alignment.claim.text.index("보다")
        if dates[0].end <= place <= dates[0].end + 2:
            first, second = second, first
    return (first, second) if first is not second and same_kind(first, second) else None


def _moved_sides(alignment: Alignment, figures: list[Figure]) -> tuple[Figure, Figure] | None:
    """`4월 3.4%에서 2.9%로`: what it came from is the figure of the time it is compared with."""
    before = [each for each in figures if each.role is Role.FROM]
    after = [each for each in figures if each.role is Role.TO]
    mark = _WITH_WHAT.search(alignment.claim.text)
    if len(before) != 1 or len(after) != 1 or mark is None:
        return None
    named = [
        each
        for each in alignment.claim.dates
        if (0 <= mark.start() - each.end <= 1 if alignment.claim.language == "ko" else each.start > mark.start())
    ]
    own = [
        each
        for each in alignment.passage.dates
        if named and (each.year, each.month, each.day) == (named[0].year, named[0].month, named[0].day)
    ]
    if len(named) == 1 and len(own) == 1 and _owner(own[0].start, own[0].end, figures, "") is before[0]:
        return after[0], before[0]
    return None


def _owner(start: int, end: int, figures: list[Figure], language: str) -> Figure:
    if language == "ko":
        behind = [each for each in figures if each.start >= end]
        if behind and behind[0].start - end <= 3:
            return behind[0]
    return min(figures, key=lambda each: max(each.start - end, start - each.end))
