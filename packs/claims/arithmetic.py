"""Figures of a claim that a passage does not write but implies: differences, sums, shares, changes, durations."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from itertools import combinations, pairwise

from packs.claims.alignment import Alignment
from packs.claims.compare import Match, agree, same_kind
from packs.claims.lexicon import Relation, lexicon, word_list
from packs.claims.parsed import Figure, Kind, Parsed, Role, Word
from packs.claims.parts import part_of

_TOTAL = re.compile(
    r"\b(?:together|in total|combined|altogether|in all|sum|overall|total)\b"
    r"|합치|합하|합쳐|합계|모두|(?<![가-힣])총(?![가-힣])|더하",
    re.IGNORECASE,
)
_REST = re.compile(r"\bthe rest\b|\bthe remaind|\bremaining\b|나머지", re.IGNORECASE)
_PART_OF_WHOLE = re.compile(
    r"\bof (?:which|whom|that|these|them|those)\b|\bout of\b|\bof (?:the |its |all |some |about |around )?[0-9]"
    r"|그중|이 중|이 가운데|그 가운데|중에서|[0-9만천백명곳개대건] ?(?:중|가운데)(?![가-힣])|곳에 물",
    re.IGNORECASE,
)
_SHARE_WORDS = re.compile(
    r"\b(?:share|proportion|percent(?:age)? of|make up|made up|account(?:s|ed)? for|represent)\b|비중|비율|차지|몫",
    re.IGNORECASE,
)
_MORE_NEEDED = re.compile(r"\b(?:more|further|additional|still|left|short)\b|더|남|부족|모자라", re.IGNORECASE)
_DIFFERENCE = re.compile(
    r"\b(?:gap|difference|below|above|fewer|less|more|lower|higher)\b|차이|격차|폭|보다|낮|높|많|적", re.IGNORECASE
)
# 절반 이하로 줄었다: what is left, not what went.
_TO_A_SHARE = re.compile(r"\s?(?:이하|미만|수준|가까이)?(?:으로|로)\s?(?:줄|감소|떨어|낮아|축소)")
UP, DOWN = "increase", "decrease"
KO_UP, KO_DOWN = "증가", "감소"


@dataclass(frozen=True)
class Computed:
    match: Match
    arithmetic: str
    compared: bool = False


_MORE = word_list("english", "more") | word_list("korean", "more")
_LESS = word_list("english", "less") | word_list("korean", "less")
_BECOMES = re.compile(r"(?<=[가-힣])(?:아|어)지다$")
_CHANGE_NOUNS = frozenset(("increase", "decrease", "rise", "fall", "growth", "decline", "drop"))


def direction_of(word: Word, language: str) -> int:
    """+1 for a word of more, -1 for a word of less, turned round by a negation."""
    if word.kind is Kind.NOUN and language == "en" and word.lemma not in _CHANGE_NOUNS:
        return 0
    known = lexicon(language)
    up, down = (KO_UP, KO_DOWN) if language == "ko" else (UP, DOWN)
    turned = -1 if word.negated else 1
    plain = _BECOMES.sub("다", word.lemma)
    if known.relation(word.lemma, up) is Relation.SAME or plain in _MORE:
        return turned
    if known.relation(word.lemma, down) is Relation.SAME or plain in _LESS:
        return -turned
    return 0


def direction(parsed: Parsed) -> int:
    """+1 where the sentence speaks of more, -1 of less, 0 of neither or of both."""
    signs = {direction_of(word, parsed.language) for word in parsed.words} - {0}
    if not signs and parsed.marks & {"fewer", "less", "lower"}:
        signs.add(-1)
    if not signs and parsed.marks & {"more", "higher"}:
        signs.add(1)
    return signs.pop() if len(signs) == 1 else 0


def compute(alignment: Alignment, figure: Figure) -> Computed | None:
    """The first rule that applies. None where no arithmetic could give such a figure."""
    for rule in (_compared_with, _net, _sum, _share, _change, _needed, _duration, _rest, _whole):
        found = rule(alignment, figure)
        if found is not None:
            return found
    return None


def trend(alignment: Alignment) -> tuple[Word, Computed] | None:
    """A rise or fall that the passage does not name but shows by two figures of two times."""
    sign = direction(alignment.claim)
    named = [word for word in alignment.missing if direction_of(word, alignment.claim.language)]
    if sign == 0 or len(named) != 1:
        return None
    pairs = list(_pairs(alignment))
    if len(pairs) > 1:
        pairs = _between_the_dates(alignment, pairs)
    if not pairs:
        return None
    shown = ", ".join(f"{before.text} -> {after.text}" for before, after in pairs)
    signs = {(after.low > before.low) - (after.low < before.low) for before, after in pairs}
    if len(signs) > 1:
        return None
    right = signs == {sign}
    return named[0], Computed(Match.AGREES if right else Match.CLASHES, shown)


def _between_the_dates(alignment: Alignment, pairs: list[tuple[Figure, Figure]]) -> list[tuple[Figure, Figure]]:
    """Of a series, the steps that the claim speaks of: between its two dates, or all of them."""
    dates = sorted((each.year or 0, each.month or 0) for each in alignment.claim.dates)
    if not dates:
        return pairs
    if len(dates) != 2:
        return []
    return [
        (before, after)
        for before, after in pairs
        if [_date_of(alignment.passage, before), _date_of(alignment.passage, after)] == dates
    ]


def could_be_computed(alignment: Alignment, figure: Figure) -> bool:
    """Whether a sum or difference of the passage's figures gives the claim's: it may be right for a reason unseen."""
    parts = [each for each in _exact(alignment.passage.figures) if same_kind(figure, each)][:6]
    values = {sum((each.low for each in chosen), Decimal(0)) for size in (2, 3) for chosen in combinations(parts, size)}
    values |= {abs(one.low - two.low) for one, two in combinations(parts, 2)}
    values |= {100 - each.low for each in parts if each.unit == "%"}
    return figure.low in values


def _whole(alignment: Alignment, figure: Figure) -> Computed | None:
    """60% of it are 18 million, so all of it is 30 million. One share and one amount, else nothing can be told."""
    shares = [each for each in _exact(alignment.passage.figures) if each.unit == "%" and each.low]
    amounts = [each for each in _exact(alignment.passage.figures) if same_kind(figure, each)]
    if figure.unit in ("%", "%p", "times") or len(shares) != 1 or len(amounts) != 1 or figure.low <= amounts[0].low:
        return None
    whole = amounts[0].low * 100 / shares[0].low
    made = _compare(figure, whole, amounts[0].unit, f"{amounts[0].text} / {shares[0].text} = {_plain(whole)}")
    return made if made.match is Match.AGREES else Computed(Match.UNCLEAR, made.arithmetic)


def _exact(figures: tuple[Figure, ...]) -> list[Figure]:
    return [each for each in figures if not each.is_range and not each.bound]


def _compare(claimed: Figure, value: Decimal, unit: str, arithmetic: str) -> Computed:
    result = replace(claimed, low=value, high=value, unit=unit, bound="", approximate=False, per=claimed.per)
    return Computed(agree(claimed, result), arithmetic)


def _sum(alignment: Alignment, figure: Figure) -> Computed | None:
    if not _TOTAL.search(alignment.claim.text):
        return None
    parts = [each for each in _exact(alignment.passage.figures) if same_kind(figure, each)]
    if len(parts) < 2:
        return None
    best: Computed | None = None
    for size in range(len(parts), 1, -1):
        for chosen in combinations(parts, size):
            total = sum((each.low for each in chosen), Decimal(0))
            made = _compare(
                figure, total, figure.unit, " + ".join(each.text for each in chosen) + f" = {_plain(total)}"
            )
            if made.match is Match.AGREES:
                return made
            best = best or made
        if len(parts) > 6:
            break
    return best


def _share(alignment: Alignment, figure: Figure) -> Computed | None:
    passage = alignment.passage
    if figure.unit != "%" or not (_PART_OF_WHOLE.search(passage.text) or _SHARE_WORDS.search(alignment.claim.text)):
        return None
    amounts = [each for each in _exact(passage.figures) if each.unit not in ("%", "%p", "year", "month", "day")]
    if len(amounts) < 2 or not all(same_kind(amounts[0], each) for each in amounts[1:]):
        return None
    whole = max(amounts, key=lambda each: each.low)
    parts = [each for each in amounts if each is not whole]
    if len(parts) > 1:
        # Of several parts the one with which the claim's words stand.
        counts = [_words_beside(alignment, each) for each in parts]
        parts = [each for each, count in zip(parts, counts, strict=True) if count == max(counts) and count]
    if not whole.low or len(parts) != 1:
        return None
    part = parts[0]
    return _compare(
        figure, part.low * 100 / whole.low, "%", f"{part.text} / {whole.text} = {_plain(part.low * 100 / whole.low)} %"
    )


def _words_beside(alignment: Alignment, figure: Figure) -> int:
    text = alignment.passage.text
    return sum(
        part_of(text, pair.found.start) == part_of(text, figure.start)
        for pair in alignment.pairs
        if not pair.in_context and pair.found.start >= figure.start
    )


_MORE_THAN = re.compile(
    r"\s?(?:of [a-z]+ )?(?P<word>more|higher|longer|heavier|larger|bigger|taller|greater|dearer|older|above|over"
    r"|less|fewer|lower|shorter|lighter|smaller|cheaper|younger|below|under)\b(?: [a-z]+)?(?: than)?\s",
    re.IGNORECASE,
)
_FEWER = frozenset(("less", "fewer", "lower", "shorter", "lighter", "smaller", "cheaper", "younger", "below", "under"))
_THAN_KO = re.compile(r"보다\s(?:약\s)?$")
_MORE_KO = re.compile(r"\s?(?:더\s)?(?:많|높|길|오래|무겁|무거|크|큰|비싸|비싼|늘|증가|올|상승)")
_FEWER_KO = re.compile(r"\s?(?:더\s)?(?:적|낮|짧|가볍|가벼|작|싸|싼|줄|감소|내|하락|떨어)")
_THEN = re.compile(
    r"\b(?:a|one|the) (?:year|month|week|quarter|season|decade) (?:ago|earlier|before)\b"
    r"|\bthe (?:previous|prior|preceding)\b"
    r"|\blast (?:year|month|week)\b|전년|지난해|작년|(?:한|일) ?(?:해|년|달) 전|1년 전|전월|전분기",
    re.IGNORECASE,
)


def _compared_with(alignment: Alignment, figure: Figure) -> Computed | None:
    """ "178 grams, 12 grams less than the Lumo 6": the Lumo 6 has 190 grams. Also of an earlier time."""
    text = alignment.passage.text
    exact = _exact(alignment.passage.figures)
    for delta in exact:
        mains = [each for each in exact if each is not delta and each.start < delta.start and same_kind(figure, each)]
        behind = _MORE_THAN.match(text[delta.end :])
        korean = _THAN_KO.search(text[: delta.start])
        if not mains or (behind is None and korean is None):
            continue
        main = mains[-1]
        if behind is not None:
            fewer = behind["word"].lower() in _FEWER
            region = (delta.end + behind.end(), len(text))
        else:
            fewer = bool(_FEWER_KO.match(text[delta.end :]))
            if not fewer and not _MORE_KO.match(text[delta.end :]):
                continue
            region = (main.end, delta.start)
        value = _undone(main, delta, fewer=fewer)
        if value is None or not _speaks_of(alignment, region):
            continue
        sign = "+" if fewer else "-"
        made = _compare(figure, value, main.unit, f"{main.text} {sign} {delta.text} = {_plain(value)}")
        if made.match is Match.AGREES:
            return replace(made, compared=True)
    return None


def _undone(main: Figure, delta: Figure, *, fewer: bool) -> Decimal | None:
    turned = 1 if fewer else -1
    if delta.unit == "%" and main.unit != "%":
        share = 1 - turned * delta.low / 100
        return main.low / share if share > 0 else None
    if same_kind(main, delta) and delta.unit != "%":
        return main.low + turned * delta.low
    return None


def _speaks_of(alignment: Alignment, region: tuple[int, int]) -> bool:
    """Whether the claim is about what stands on the other side: a thing that is named there, or that time."""
    text = alignment.passage.text[region[0] : region[1]]
    if _THEN.search(text) or re.match(r"(?:a|the|one) (?:year|month|week) ", text):
        return _THEN.search(alignment.claim.text) is not None or any(
            each.year is not None
            and any(other.year is not None and each.year == other.year - 1 for other in alignment.passage.dates)
            for each in alignment.claim.dates
        )
    named = [
        pair
        for pair in alignment.pairs
        if not pair.in_context and pair.same and region[0] <= pair.found.start < region[1]
    ]
    mine = [word for word in alignment.passage.words if word.role is Role.SUBJECT and word.start < region[0]]
    rivals = [word for word in mine if not alignment.claims_of(word)]
    return bool(named) and (bool(rivals) or not mine)


def _pairs(alignment: Alignment) -> Iterator[tuple[Figure, Figure]]:
    """Earlier and later figure of a change in the passage."""
    exact = _exact(alignment.passage.figures)
    before = [each for each in exact if each.role in (Role.FROM, Role.THAN)]
    # 4,000원보다 올랐다 is a bound by itself; beside the figure it is compared with it is what was before.
    before += [
        each
        for each in alignment.passage.figures
        if each.role is Role.THAN
        and each.bound in ("over", "under")
        and any(other.role is Role.TO and same_kind(each, other) for other in exact)
    ]
    after = [each for each in exact if each.role is Role.TO] or [
        each for each in exact if each.role not in (Role.FROM, Role.THAN)
    ]
    for one in before:
        for two in after:
            if same_kind(one, two):
                yield one, two
    if not before:
        dated = [(each, _date_of(alignment.passage, each)) for each in exact]
        for (one, first), (two, second) in combinations(dated, 2):
            if first and second and first != second and same_kind(one, two):
                yield (one, two) if first < second else (two, one)


def _date_of(passage: Parsed, figure: Figure) -> tuple[int, int] | None:
    own = [each for each in passage.dates if part_of(passage.text, each.start) == part_of(passage.text, figure.start)]
    near = [
        each for each in own or passage.dates if abs(each.start - figure.end) < 12 or abs(figure.start - each.end) < 6
    ]
    if not near:
        return None
    nearest = min(near, key=lambda each: min(abs(each.start - figure.end), abs(figure.start - each.end)))
    return (nearest.year or 0, nearest.month or 0)


def _change(alignment: Alignment, figure: Figure) -> Computed | None:
    sign = direction(alignment.claim)
    wants_difference = sign != 0 or _DIFFERENCE.search(alignment.claim.text)
    if not wants_difference or figure.role in (Role.TO, Role.FROM):
        return None
    for before, after in _pairs(alignment):
        delta = after.low - before.low
        text = f"{after.text} - {before.text} = {_plain(delta)}"
        if before.unit == "%" and figure.unit in ("%", "%p"):
            if figure.unit == "%p":
                return _signed(figure, delta, "%p", text, sign)
            relative = delta * 100 / before.low if before.low else Decimal(0)
            return _signed(figure, relative, "%", f"{text} percentage points, {_plain(relative)} %", sign)
        if figure.unit == "%" and before.low and _TO_A_SHARE.match(alignment.claim.text[figure.end :]):
            left = after.low * 100 / before.low
            return _compare(
                replace(figure, approximate=True), left, "%", f"{after.text} / {before.text} = {_plain(left)} %"
            )
        if figure.unit == "%" and before.low:
            relative = delta * 100 / before.low
            return _signed(
                replace(figure, approximate=True),
                relative,
                "%",
                f"({after.text} - {before.text}) / {before.text} = {_plain(relative)} %",
                sign,
            )
        if same_kind(figure, before):
            return _signed(figure, delta, before.unit, text, sign)
    return None


def _signed(figure: Figure, delta: Decimal, unit: str, arithmetic: str, sign: int) -> Computed:
    if sign and delta and (delta > 0) != (sign > 0):
        return Computed(Match.CLASHES, arithmetic)
    return _compare(
        replace(figure, unit=unit) if figure.unit in ("", unit) or unit not in ("%", "%p") else figure,
        abs(delta),
        unit,
        arithmetic,
    )


def _needed(alignment: Alignment, figure: Figure) -> Computed | None:
    """What was opened less what was closed, what is there against what is aimed at."""
    if not _MORE_NEEDED.search(alignment.claim.text) and direction(alignment.claim) == 0:
        return None
    counts = [
        each
        for each in _exact(alignment.passage.figures)
        if same_kind(each, figure) and each.role not in (Role.FROM, Role.TO)
    ]
    if len(counts) != 2:
        return None
    one, two = counts
    delta = one.low - two.low
    made = _compare(figure, abs(delta), figure.unit, f"{one.text} - {two.text} = {_plain(delta)}")
    return made if made.match is Match.AGREES else None


_GAINED = frozenset(("open", "hire", "add", "gain", "build", "buy", "열다", "늘리다", "채용", "뽑다", "짓다", "개점"))
_LOST = frozenset(
    ("close", "dismiss", "remove", "lose", "demolish", "sell", "닫다", "줄이다", "해고", "허물다", "폐점")
)


def _net(alignment: Alignment, figure: Figure) -> Computed | None:
    """Nine opened and two closed are seven more."""
    sign, passage = direction(alignment.claim), alignment.passage
    verbs = [word for word in passage.words if word.role is Role.PREDICATE and word.lemma in _GAINED | _LOST]
    if not sign or len(verbs) != 2 or any(word.negated for word in verbs):
        return None
    gained = [_only_count(passage, word, figure) for word in verbs if word.lemma in _GAINED]
    lost = [_only_count(passage, word, figure) for word in verbs if word.lemma in _LOST]
    if len(gained) != 1 or len(lost) != 1 or gained[0] is None or lost[0] is None:
        return None
    more, less = gained[0], lost[0]
    delta = more.low - less.low
    return _signed(figure, delta, figure.unit, f"{more.text} - {less.text} = {_plain(delta)}", sign)


def _only_count(passage: Parsed, verb: Word, figure: Figure) -> Figure | None:
    own = [each for each in _exact(passage.figures) if each.clause == verb.clause and same_kind(each, figure)]
    return own[0] if len(own) == 1 else None


def net_change(alignment: Alignment) -> bool:
    """Whether the passage tells what was gained and what was lost, so that a rise or fall needs no word of its own."""
    return any(_net(alignment, figure) is not None for figure in alignment.claim.figures)


def _duration(alignment: Alignment, figure: Figure) -> Computed | None:
    clocks = [int(match[1]) * 60 + int(match[2]) for match in _CLOCK.finditer(alignment.passage.text)]
    if figure.unit in ("minute", "hour") and len(clocks) == 2:
        minutes = clocks[1] - clocks[0]
        shown = " - ".join(match.group() for match in reversed(list(_CLOCK.finditer(alignment.passage.text))))
        made = _compare(figure, Decimal(minutes), "minute", f"{shown} = {minutes} min")
        return made if made.match is Match.AGREES else None
    days = _days_between(alignment.passage)
    if figure.unit in ("day", "week") and days is not None:
        made = _compare(figure, Decimal(days[0]), "day", f"{days[1]} = {days[0]}")
        return made if made.match is Match.AGREES else None
    years = sorted({each.year for each in alignment.passage.dates if each.year})
    if figure.unit != "year" or len(years) < 2:
        return None
    span = years[-1] - years[0]
    made = _compare(figure, Decimal(span), "year", f"{years[-1]} - {years[0]} = {span}")
    return made if made.match is Match.AGREES else None


_OF_MANY = re.compile(r"\s?of (?:the |its |all )?", re.IGNORECASE)
_OF_MANY_KO = re.compile(r"\s?(?:중|가운데)(?:에서)?\s(?:약\s)?$")


def counted_shares(alignment: Alignment) -> Iterator[Figure]:
    """ "3,000 of 50,000 customers", 5만 명 가운데 3,000명: a share that two counts give."""
    text = alignment.passage.text
    figures = [each for each in alignment.passage.figures if not each.is_range and not each.bound]
    for one, two in pairwise(figures):
        between = text[one.end : two.start]
        if not same_kind(one, two) or one.unit in ("%", "%p"):
            continue
        if _OF_MANY_KO.fullmatch(between) or re.fullmatch(r",? of (?:whom|which|these|them) (?:about )?", between):
            whole, part = one, two
        elif _OF_MANY.fullmatch(between):
            whole, part = two, one
        else:
            continue
        if whole.low > part.low > 0:
            share = part.low * 100 / whole.low
            yield replace(part, text=f"{part.text} / {whole.text}", low=share, high=share, unit="%", approximate=False)


_CLOCK = re.compile(r"(?<![0-9:])([0-2]?[0-9])(?::| ?시 ?)([0-5][0-9])(?![0-9:])")
_ANY_YEAR = 2001


def _days_between(passage: Parsed) -> tuple[int, str] | None:
    """Between the only two days of the passage: 3 May and 19 May."""
    days = [each for each in passage.dates if each.month and each.day and each.possible]
    if len(days) != 2 or (len({each.year for each in days}) > 1 and None in {each.year for each in days}):
        return None
    first, second = (date(each.year or _ANY_YEAR, each.month or 1, each.day or 1) for each in days)
    return abs((second - first).days), f"{days[1].text} - {days[0].text}"


def _rest(alignment: Alignment, figure: Figure) -> Computed | None:
    shares = [each for each in _exact(alignment.passage.figures) if each.unit == "%"]
    if figure.unit != "%" or not shares or not _REST.search(alignment.claim.text):
        return None
    left = 100 - sum((each.low for each in shares), Decimal(0))
    return _compare(figure, left, "%", "100 - " + " - ".join(each.text for each in shares) + f" = {_plain(left)}")


def _plain(value: Decimal) -> str:
    rounded = value.quantize(Decimal("0.01")) if value != value.to_integral_value() else value.to_integral_value()
    return format(rounded.normalize(), "f")
