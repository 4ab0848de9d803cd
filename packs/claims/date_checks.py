"""Checks on the dates of an alignment."""

import re
from collections.abc import Iterator

from packs.claims.alignment import Alignment
from packs.claims.arithmetic import trend
from packs.claims.compare import Match, agree, dates_agree, same_kind
from packs.claims.findings import Conflict, Finding, Obstacle
from packs.claims.parsed import Figure, Mood, Parsed, Role
from packs.claims.parts import part_of
from packs.text.dates import DateSpan

_SHIFTED = re.compile(
    r"\b(?:previous|prior|preceding|last|next|following)\s(?:year|month|quarter|week|season)\b"
    r"|\b(?:year|month|quarter|week|decade|day|hour)s?\s(?:earlier|before|later|ago)\b"
    r"|[0-9가-힣] ?(?:일|주|달|개월|년) (?:뒤|후|전)|전년|지난해|이듬해|전월|전분기|작년|내년"
)


# What happened again, or also then, does not deny that it happened before.
_AGAIN = re.compile(r"\b(?:also|too|as well|again|likewise)\b|또한|다시|역시|[년월일]에도")


def another_time(alignment: Alignment, dates: tuple[DateSpan, ...]) -> bool:
    """The claim gives the figure of another year than the passage: it may have been another figure."""
    passage = alignment.passage
    moods = [{clause.mood for clause in parsed.clauses if clause.main} for parsed in (alignment.claim, passage)]
    if Mood.EXPECTED in moods[0] and moods[1] == {Mood.STATED}:
        return True  # what will be is not what was
    if bool(_SHIFTED.search(alignment.claim.text)) != bool(_SHIFTED.search(passage.text)):
        return True
    years = {each.year for each in passage.dates if each.year is not None}
    return any(each.year is not None and years and each.year not in years for each in dates)


def check_dates(alignment: Alignment, figures: tuple[Figure, ...], dates: tuple[DateSpan, ...]) -> Iterator[Finding]:
    passage = alignment.passage
    for claimed in dates:
        found = _relevant(alignment, passage)
        order = order_of(alignment.claim.text, claimed)
        if order and not any(order_of(passage.text, each) for each in passage.dates):
            yield from _before_or_after(alignment, claimed, order, found)
            continue
        matches = [dates_agree(claimed, each) for each in found]
        if Match.AGREES in matches:
            if _of_another_part(alignment, claimed) or _behind_another(alignment, claimed):
                yield Obstacle("DATE", claimed.text)
            continue
        everywhere = [dates_agree(claimed, each) for each in passage.dates]
        if trend(alignment) is not None and passage.dates and dates_agree(claimed, _latest(passage)) is Match.AGREES:
            continue  # what it came to at the later of two dates, see `arithmetic`
        if Match.AGREES in everywhere and any(same_kind(one, two) for one in figures for two in passage.figures):
            continue  # the figure's own date decides, see `_nearness`
        if Match.AGREES in everywhere and len(dates) > 1:
            continue
        if (
            found
            and Match.AGREES not in everywhere
            and all(match is Match.CLASHES for match in matches)
            and not _figure_of_then(alignment, figures)
            and not _AGAIN.search(alignment.claim.text)
            and not another_time(alignment, ())
        ):
            yield Conflict("DATE", claimed.text, found[0].text)
        else:
            yield Obstacle("DATE", claimed.text)


_ORDER_BEFORE = re.compile(r"\b(before|after)\s(?:the\s)?$", re.IGNORECASE)
_ORDER_BEHIND = re.compile(r"\s?(?:이전|이후)(?![가-힣]*\s?부터)")


def order_of(text: str, found: DateSpan) -> str:
    """`before` or `after`, where the text says that of this date; else ""."""
    match = _ORDER_BEFORE.search(text[: found.start])
    if match is not None:
        return match[1].lower()
    behind = _ORDER_BEHIND.match(text[found.end :])
    return "" if behind is None else "before" if behind.group().strip() == "이전" else "after"


def _before_or_after(alignment: Alignment, claimed: DateSpan, order: str, found: list[DateSpan]) -> Iterator[Finding]:
    """ "After 1992" holds 1993. The passage's only date must lie wholly on one side."""
    spans = {(each.first, each.last) for each in found if each.first is not None and each.last is not None}
    if len(spans) != 1 or claimed.first is None or claimed.last is None:
        yield Obstacle("DATE", claimed.text)
        return
    ((first, last),) = spans
    within = first > claimed.last if order == "after" else last < claimed.first
    # 이후 and 이전 hold the date itself; "after 1992" leaves open how much of 1992.
    beyond = last < claimed.first if order == "after" else first > claimed.last
    if within:
        return
    yield Conflict("DATE", claimed.text, found[0].text) if beyond else Obstacle("DATE", claimed.text)


def _latest(passage: Parsed) -> DateSpan:
    return max(passage.dates, key=lambda each: (each.year or 0, each.month or 0, each.day or 0))


def _of_another_part(alignment: Alignment, claimed: DateSpan) -> bool:
    """ "To banks from 2025 and to insurers from 2026": of a list, the date belongs to its own part."""
    text = alignment.passage.text
    same = {part_of(text, each.start) for each in alignment.passage.dates if dates_agree(claimed, each) is Match.AGREES}
    other = {
        part_of(text, each.start) for each in alignment.passage.dates if dates_agree(claimed, each) is Match.CLASHES
    }
    return any(
        part_of(text, pair.found.start) in other - same
        and pair.claimed.role is not Role.PREDICATE
        and not pair.in_context
        for pair in alignment.pairs
    )


def _behind_another(alignment: Alignment, claimed: DateSpan) -> bool:
    """ "Rose in May after falling in April": between the verb and the claim's date stands another date."""
    claim, passage = alignment.claim, alignment.passage
    if passage.language != "en" or claim.figures or len(claim.dates) != 1:
        return False
    same = [each for each in passage.dates if dates_agree(claimed, each) is Match.AGREES]
    other = [each for each in passage.dates if dates_agree(claimed, each) is Match.CLASHES]
    verbs = [pair.found for pair in alignment.predicate_pairs if pair.found.role is Role.PREDICATE]
    return any(verb.end <= each.start < mine.start for verb in verbs for each in other for mine in same)


def _figure_of_then(alignment: Alignment, figures: tuple[Figure, ...]) -> bool:
    """Another figure at another date: both may be true."""
    comparable = [(one, two) for one in figures for two in alignment.passage.figures if same_kind(one, two)]
    return bool(comparable) and not any(agree(one, two) is Match.AGREES for one, two in comparable)


def _relevant(alignment: Alignment, passage: Parsed) -> list[DateSpan]:
    """The dates of the clauses in which the claim's words were found; of an enumeration, of the parts."""
    verbs = [pair.found.clause for pair in alignment.predicate_pairs if pair.found.role is Role.PREDICATE]
    own = [each for each in passage.dates if _clause_of(passage, each) in verbs]
    if own and any(clause.link == "which" for clause in passage.clauses):
        return own
    parts = [part_of(passage.text, pair.found.start) for pair in alignment.pairs if not pair.in_context]
    counts = {part: parts.count(part) for part in parts}
    most = max(counts.values(), default=0)
    near = [each for each in passage.dates if counts.get(part_of(passage.text, each.start), 0) == most]
    return near or list(passage.dates)


def _clause_of(passage: Parsed, found: DateSpan) -> int | None:
    """The clause of the word before a date."""
    before = [word for word in passage.words if word.end <= found.start]
    return max(before, key=lambda word: word.end).clause if before else None
