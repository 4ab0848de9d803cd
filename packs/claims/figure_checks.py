"""Checks on the figures and dates of an alignment, directly and by arithmetic."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from packs.claims.alignment import Alignment
from packs.claims.arithmetic import (
    Computed,
    compute,
    could_be_computed,
    counted_shares,
    direction,
    direction_of,
    net_change,
    trend,
)
from packs.claims.compare import Match, agree, dates_agree, same_kind
from packs.claims.comparison import check_comparison
from packs.claims.date_checks import another_time, check_dates
from packs.claims.derivable import derivable
from packs.claims.findings import Computation, Conflict, Finding, Obstacle, Settled
from packs.claims.lexicon import word_list
from packs.claims.parsed import Figure, Kind, Mood, Parsed, Role, Word
from packs.claims.parts import part_of
from packs.text.dates import DateSpan
from packs.text.units import CURRENCIES, kind_of

_BESIDE = (Role.OTHER, Role.THAN, Role.PLACE, Role.WITH, Role.FROM, Role.TO, Role.CAUSE)
_SHARE = {"most": "over", "few": "under"}


@dataclass(frozen=True)
class Agreement:
    """A figure of the claim that stands in the passage."""

    figure: Figure


Checked = Finding | Computation | Agreement | Settled


def check_figures(alignment: Alignment, figures: tuple[Figure, ...], dates: tuple[DateSpan, ...]) -> Iterator[Checked]:
    found: list[Checked] = []
    for figure in figures:
        found += _figure(alignment, figure, figures, dates)
    yield from found
    yield from _measuring(alignment, figures, found)
    yield from _trend(alignment)
    yield from _shares(alignment, dates)
    yield from check_dates(alignment, figures, dates)
    yield from check_comparison(alignment)


def _figure(
    alignment: Alignment, figure: Figure, figures: tuple[Figure, ...], dates: tuple[DateSpan, ...]
) -> Iterator[Checked]:
    passage = alignment.passage
    if _over_that_time(alignment, figure):
        return
    candidates = [other for other in passage.figures if same_kind(figure, other)]
    if figure.unit and kind_of(figure.unit) in ("", figure.unit):
        # "49 singles" is held against what is said of singles, not of albums.
        alike = [other for other in candidates if other.unit == figure.unit]
        bare = [other for other in candidates if not other.unit and not _NOUN_BEHIND.match(passage.text[other.end :])]
        candidates = alike + bare if alike else candidates
    several = sum(same_kind(figure, other) for other in figures) > 1
    scores = [(_nearness(alignment, figure, other, candidates, dates, several), other) for other in candidates]
    best = max((score for score, _ in scores), default=0.0)
    nearest = [other for score, other in scores if score >= best - 0.4]
    matches = [agree(figure, other) for other in nearest]
    if figure.bound and len(set(matches)) > 1:
        # "Less than 40" is true of some figure of most sentences: which one is meant must be clear.
        yield Obstacle("FIGURE", figure.text)
        return
    if Match.AGREES in matches:
        found = nearest[matches.index(Match.AGREES)]
        part = _part_of_whole(alignment.passage, found)
        said = any(pair.same and pair.claimed.role is Role.PREDICATE for pair in alignment.predicate_pairs)
        if part and part.low < found.low and said and not figure.bound and _of_the_whole(alignment, figure, found):
            yield Conflict("FIGURE", figure.text, part.text)
        elif (
            _recurs(alignment.claim.text, figure) != _recurs(alignment.passage.text, found)
            or _stretched(alignment, figure, found)
            or _of_another(alignment, found, candidates)
            or _of_a_rival(alignment, found)
            or _of_the_whole(alignment, figure, found)
            or bool(_AGAINST.search(alignment.passage.text[: found.start]))
            != bool(_AGAINST.search(alignment.claim.text[: figure.start]))
            or _otherwise_timed(alignment, figure, found)
        ):
            yield Obstacle("FIGURE", figure.text)
        else:
            yield Agreement(figure)
        return
    computed = compute(alignment, figure) if not figure.bound or not candidates else None
    if computed is not None:
        yield from _computed(figure, computed)
    elif (
        not candidates
        or Match.UNCLEAR in matches
        or (not figure.bound and _equal_nearby(figure, scores, best))
        or could_be_computed(alignment, figure)
        or derivable(figure, alignment.passage.figures, alignment.passage.text)
        or another_time(alignment, dates)
        or _of_each(alignment)
        or _not_the_subject(alignment)
        or _inside(figure, candidates)
        or (figure.bound and any(agree(figure, each) is Match.AGREES for each in candidates))
        or (not figure.unit and not any(each.isdigit() for each in figure.text))
        or (
            kind_of(figure.unit) == "time" and len(candidates) > 1 and all(each.unit != figure.unit for each in nearest)
        )
    ):
        yield Obstacle("FIGURE", figure.text)
    else:
        alike = [other for other in nearest if other.unit == figure.unit]
        yield Conflict("FIGURE", figure.text, (alike or nearest)[0].text)


_WITHIN_A_YEAR = re.compile(r" ?(?:사이|새|만)(?:에)?(?![가-힣])")
_IN_A_YEAR = re.compile(r"\b(?:in|within|over)\s$", re.IGNORECASE)
_AGO = re.compile(r"\s(?:ago|earlier)\b", re.IGNORECASE)
_YEAR_BEFORE = re.compile(
    r"\b(?:a|one|the) year (?:earlier|before|ago)|\b(?:last|previous) year\b|지난해|전년|작년|한 해 전|1년 전",
    re.IGNORECASE,
)


def _over_that_time(alignment: Alignment, figure: Figure) -> bool:
    """ "Rose by 30% in a year", where the passage compares with the year before."""
    text = alignment.claim.text
    ago = _AGO.match(text[figure.end :])
    if ago and (figure.text + ago.group()).lower() in alignment.passage.text.lower():
        return True  # "a year ago" is a time, and no amount
    if figure.unit != "year" or figure.low != 1 or direction(alignment.claim) == 0:
        return False
    said = _WITHIN_A_YEAR.match(text[figure.end :]) or _IN_A_YEAR.search(text[: figure.start])
    return bool(said and _YEAR_BEFORE.search(alignment.passage.text))


_NOUN_BEHIND = re.compile(r"\s[a-z]{3,}")
_MEASURING = {
    "take": "time", "last": "time", "run": "time", "cost": "money", "weigh": "mass", "measure": "length",
    "continue": "time", "spend": "money", "걸리다": "time", "이어지다": "time", "지속": "time", "계속": "time",
    "나가다": "mass", "들다": "money",
}  # fmt: skip
_AMOUNTING = word_list("english", "amounting") | word_list("korean", "amounting")


def _measuring(alignment: Alignment, figures: tuple[Figure, ...], found: list[Checked]) -> Iterator[Settled]:
    """ "It takes 135 minutes" beside "duration: 2 h 15 min": the verb says no more than the unit does."""
    if not figures or any(isinstance(each, Conflict | Obstacle) for each in found):
        return
    kinds = {"money" if each.unit in CURRENCIES else kind_of(each.unit) for each in figures}
    for word in alignment.missing:
        if word.kind is Kind.VERB and (_MEASURING.get(word.lemma) in kinds or word.lemma in _AMOUNTING):
            yield Settled(word.text)


_CHANGE_NEAR = 4


def _equal_nearby(figure: Figure, scores: list[tuple[float, Figure]], best: float) -> bool:
    return any(
        # What a change led to is stated as well as what it began with.
        (score >= best - 1 or (other.role is Role.TO and score >= best - _CHANGE_NEAR))
        and other.low == figure.low
        and other.unit == figure.unit
        and not (other.per and figure.per and other.per != figure.per)
        for score, other in scores
    )


def _trend(alignment: Alignment) -> Iterator[Checked]:
    if net_change(alignment):
        yield from (Settled(word.text) for word in alignment.missing if direction_of(word, alignment.claim.language))
        return
    found = trend(alignment)
    if found is None:
        return
    word, computed = found
    yield Settled(word.text)
    if computed.match is Match.AGREES:
        yield Computation(word.text, computed.arithmetic)
    else:
        yield Conflict("ARITHMETIC", word.text, computed.arithmetic)


def _computed(figure: Figure, computed: Computed) -> Iterator[Checked]:
    if computed.match is Match.AGREES:
        yield Computation(figure.text, computed.arithmetic, computed.compared)
    elif computed.match is Match.CLASHES:
        yield Conflict("ARITHMETIC", figure.text, computed.arithmetic)
    else:
        yield Obstacle("FIGURE", figure.text)


def _stretched(alignment: Alignment, figure: Figure, found: Figure) -> bool:
    """A forecast of 2.4 percent does not promise "at most 2.4 percent"."""
    clause = next((each for each in alignment.passage.clauses if each.index == found.clause), None)
    return (
        bool(figure.bound)
        and not found.bound
        and figure.low == found.low
        and clause is not None
        and clause.mood is Mood.EXPECTED
    )


def _inside(figure: Figure, candidates: list[Figure]) -> bool:
    """Between the two ends of what the passage gives as from and to."""
    ends = [each.low for each in candidates if each.role in (Role.FROM, Role.TO)]
    return len(ends) == 2 and min(ends) < figure.low < max(ends) and figure.role not in (Role.FROM, Role.TO)


def _of_another(alignment: Alignment, found: Figure, candidates: list[Figure]) -> bool:
    """Whether the claim also names what another figure of the enumeration is about."""
    text = alignment.passage.text
    mine = part_of(text, found.start)
    others = {part_of(text, each.start) for each in candidates if each is not found} - {mine}
    for pair in alignment.pairs:
        if pair.in_context or pair.claimed.kind not in (Kind.NAME, Kind.NOUN) or pair.claimed.role is Role.THAN:
            continue
        shared = pair.found.role is Role.SUBJECT and not any(
            word.role is Role.SUBJECT and part_of(text, word.start) == mine for word in alignment.passage.words
        )
        if part_of(text, pair.found.start) in others and len(alignment.claim.figures) == 1 and not shared:
            return True
    return False


_EACH = re.compile(r"\b(?:each|apiece|respectively|both)\b|각각|씩(?![가-힣])|마다", re.IGNORECASE)


def _of_each(alignment: Alignment) -> bool:
    """Three men and three women are `3 each`, and six together."""
    return bool(_EACH.search(alignment.passage.text)) and not _EACH.search(alignment.claim.text)


def _not_the_subject(alignment: Alignment) -> bool:
    """The passage mentions what the claim speaks of only beside another subject: "twice as tall as the church"."""
    subjects = [pair for pair in alignment.pairs if pair.claimed.role is Role.SUBJECT and not pair.in_context]
    return bool(subjects) and all(pair.found.role in _BESIDE for pair in subjects)


_AGAINST = re.compile(r"\b(?:against|versus|instead of|rather than)\s$", re.IGNORECASE)
_WHOLE_BEFORE = re.compile(r"\b(?:of|among)\s(?:the|its|their|all)?\s?$", re.IGNORECASE)
_WHOLE_BEHIND = re.compile(r"\s?(?:중|가운데)(?![가-힣])")


def _of_the_whole(alignment: Alignment, figure: Figure, found: Figure) -> bool:
    """ "Three of the five labs": five are all there are, not those of which it is said."""
    if not any(each is not found and same_kind(each, found) for each in alignment.passage.figures):
        return False
    return _is_whole(alignment.passage.text, found) and not _is_whole(alignment.claim.text, figure)


_OF_THE_WHOLE = re.compile(r"\s(?:out\s)?of\s(?:the\s|its\s|their\s|all\s)?|\s?(?:중|가운데|중에서)\s?")


def _part_of_whole(passage: Parsed, whole: Figure) -> Figure | None:
    """Two in "two of its nine plants": how many of the whole it is said of. In Korean the whole comes first."""
    for part in passage.figures:
        first, second = (whole, part) if passage.language == "ko" else (part, whole)
        if first.end <= second.start and _OF_THE_WHOLE.fullmatch(passage.text[first.end : second.start]):
            return part
    return None


def part_of_a_whole(alignment: Alignment) -> str | None:
    """The part of a whole that the passage speaks of, where a claim says it of all: one of the two towers."""
    verbs = {pair.found.clause for pair in alignment.predicate_pairs if pair.same}
    for whole in alignment.passage.figures:
        part = _part_of_whole(alignment.passage, whole)
        if part is not None and part.low < whole.low and not part.bound and whole.clause in verbs:
            return part.text
    return None


def _is_whole(text: str, figure: Figure) -> bool:
    return bool(_WHOLE_BEFORE.search(text[: figure.start]) or _WHOLE_BEHIND.match(text[figure.end :]))


_PREPOSITIONS = {
    "for": "long", "over": "long", "during": "long", "in": "within", "within": "within", "after": "after",
    "every": "often",
    "until": "until", "before": "before",
}  # fmt: skip
_BEFORE_FIGURE = re.compile(r"(first time )?\b([a-z]+)\s(?:the\s(?:last\s|past\s|next\s)?)?$", re.IGNORECASE)


def _otherwise_timed(alignment: Alignment, figure: Figure, found: Figure) -> bool:
    """For ten years is not the first time in ten years."""
    if kind_of(figure.unit) != "time":
        return False
    sides = [
        _BEFORE_FIGURE.search(text[:start])
        for text, start in ((alignment.claim.text, figure.start), (alignment.passage.text, found.start))
    ]
    if sides[0] is None or sides[1] is None:
        return False
    mine, theirs = (_PREPOSITIONS.get(side[2].lower()) for side in sides if side is not None)
    return bool(sides[0][1]) != bool(sides[1][1]) or (mine is not None and theirs is not None and mine != theirs)


_EVERY = re.compile(r"\b(?:every|each)\s(?:the\s)?$", re.IGNORECASE)


def _recurs(text: str, figure: Figure) -> bool:
    """How often, not how long: every six months, 6개월마다."""
    return bool(_EVERY.search(text[: figure.start])) or text[figure.end :].lstrip().startswith("마다")


def _of_a_rival(alignment: Alignment, found: Figure) -> bool:
    """In a list of parts the figure stands with another subject: "two thirds the state, the rest the city"."""
    text = alignment.passage.text
    part = part_of(text, found.start)
    subjects = [pair for pair in alignment.pairs if pair.claimed.role is Role.SUBJECT and not pair.in_context]
    if not subjects or any(part_of(text, pair.found.start) == part for pair in subjects):
        return False
    used = {id(pair.found) for pair in alignment.pairs}
    return any(
        word.kind in (Kind.NAME, Kind.NOUN)
        and word.role in (Role.SUBJECT, Role.OBJECT, Role.TOPIC)
        and id(word) not in used
        and part_of(text, word.start) == part
        for word in alignment.passage.words
    )


def _nearness(
    alignment: Alignment,
    figure: Figure,
    other: Figure,
    candidates: list[Figure],
    dates: tuple[DateSpan, ...],
    several: bool,
) -> float:
    """How much of what is said around the claim's figure is said around this figure of the passage."""
    claim, passage = alignment.claim, alignment.passage
    part, mine = part_of(passage.text, other.start), part_of(claim.text, figure.start)
    points = 0.0
    for pair in alignment.pairs:
        if pair.in_context or (several and part_of(claim.text, pair.claimed.start) != mine):
            continue
        if part_of(passage.text, pair.found.start) == part:
            points += 1 if pair.same else 0.5
        if pair.claimed.role is Role.PREDICATE and pair.found.clause == other.clause:
            points += 1.5 if pair.same else 0.75
    for each in dates:
        if several and part_of(claim.text, each.start) != mine:
            continue
        own = [found for found in passage.dates if _figure_of(found, candidates, passage.text) is other]
        matches = [dates_agree(each, found) for found in own]
        points += 2 if Match.AGREES in matches else -2 if Match.CLASHES in matches else 0
    for pair in alignment.pairs:
        if pair.claimed.lemma in _TIMES and not pair.in_context:
            points += 2 if _figure_at(passage, pair.found, candidates) is other else -2
    owner = _owner(alignment, other)
    if owner is not None:
        points += 3 if owner else -3
    if figure.role is other.role and figure.role in (Role.FROM, Role.TO, Role.THAN):
        points += 1.5
    if {figure.role, other.role} == {Role.FROM, Role.TO} or (other.role is Role.THAN and figure.role is not Role.THAN):
        points -= 1.5
    return points


def _owner(alignment: Alignment, figure: Figure) -> bool | None:
    """15%를 얻은 오재민: the figure of a relative clause is said of the name behind it.

    Whether the claim names that one; None where nothing can be told.
    """
    passage = alignment.passage
    clause = next((each for each in passage.clauses if each.index == figure.clause and each.link == "which"), None)
    subjects = [pair for pair in alignment.pairs if Kind.NAME in (pair.claimed.kind, pair.found.kind)]
    if passage.language != "ko" or not subjects or not any(each.link == "which" for each in passage.clauses):
        return None
    if clause is None:
        own = [word for word in passage.words if word.clause == figure.clause and word.kind is Kind.NAME]
        return any(alignment.claims_of(word) for word in own) if own else None
    behind = [word for word in passage.words if word.start >= clause.end]
    return bool(behind) and bool(alignment.claims_of(min(behind, key=lambda word: word.start)))


def _figure_of(found: DateSpan, figures: list[Figure], text: str) -> Figure | None:
    """The figure a date belongs to: the nearest one of its part, else the nearest."""
    own = [each for each in figures if part_of(text, each.start) == part_of(text, found.start)]
    return min(own or figures, key=lambda each: max(each.start - found.end, found.start - each.end), default=None)


_TIMES = word_list("korean", "times")


def _figure_at(passage: Parsed, word: Word, figures: list[Figure]) -> Figure | None:
    """올해는 1만 8천 톤으로 지난해 2만 4천 톤보다: the figure of a time is the one behind its word."""
    behind = [each for each in figures if each.start >= word.end]
    return min(behind or figures, key=lambda each: abs(each.start - word.end), default=None)


def _shares(alignment: Alignment, dates: tuple[DateSpan, ...]) -> Iterator[Checked]:
    """ "Most" and "a minority" against a share in percent."""
    shares = [each for each in alignment.passage.figures if each.unit == "%"] or list(counted_shares(alignment))
    if not shares:
        return
    for name, place in alignment.claim.quantifiers:
        if name not in _SHARE or any(each.unit == "%" for each in alignment.claim.figures):
            continue
        half = Figure(name, Decimal(50), Decimal(50), "%", "", "", False, place, place)
        half = replace(half, bound="over" if _SHARE[name] == "over" else "under")
        scores = [(_nearness(alignment, half, other, shares, dates, False), other) for other in shares]
        best = max(score for score, _ in scores)
        nearest = [other for score, other in scores if score == best]
        matches = {agree(half, other) for other in nearest}
        if len(nearest) == 1 and Match.AGREES in matches:
            yield Computation(name, f"{nearest[0].text} {'>' if name == 'most' else '<'} 50 %")
        elif len(nearest) == 1 and Match.CLASHES in matches:
            yield Conflict("QUANTIFIER", name, nearest[0].text)
        else:
            yield Obstacle("QUANTIFIER", name)
