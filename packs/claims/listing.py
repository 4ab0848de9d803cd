"""Lists of like things with a figure each (tables, results, "Arden 84,000; Brill 61,000"): the most, more, the third.

A comparison inside such a list needs no sentence that says it: the figures of all rows decide. Nothing is decided where
a word of the claim is left over that the list does not explain.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from packs.claims.compare import same_kind
from packs.claims.english_tagging import readings
from packs.claims.figures import find_figures
from packs.claims.lexicon import Relation, word_list
from packs.claims.library import Library, Passage, Source
from packs.claims.parsed import Figure, Parsed, Word
from packs.claims.relate import lemma_relation
from packs.claims.tables import cell_reading, cells_of
from packs.text.morphemes import english_lemma, morphemes
from packs.text.units import CURRENCIES, kind_of


@dataclass(frozen=True)
class Row:
    name: str
    values: dict[str, Figure]
    """Column -> figure. A list in prose has one column, named by what stands before it."""
    rank: int = 0


@dataclass(frozen=True)
class Listing:
    source: Source
    start: int
    end: int
    rows: tuple[Row, ...]
    words: frozenset[str] = field(default_factory=frozenset)
    """Lemmas of the heading and of what stands around: words of a claim that the list explains."""


@dataclass(frozen=True)
class Decided:
    listing: Listing
    right: bool
    arithmetic: str


def decide(claim: Parsed, wanted: Iterable[int], library: Library) -> Decided | None:
    """What a list of the wanted sources says of a comparison, or None."""
    if len(claim.dates) > 1 or any(word.negated for word in claim.words) or _OPEN.search(claim.text):
        return None
    for source in library.sources:
        if source.index in set(wanted):
            for listing in listings(source):
                found = _compared(claim, listing)
                if found is not None:
                    return found
    return None


def passage_of(listing: Listing, library: Library) -> Passage | None:
    inside = [
        each
        for each in library.passages
        if each.source == listing.source and listing.start < each.start + len(each.text) and each.start < listing.end
    ]
    return inside[0] if inside else None


_OPEN = re.compile(
    r"\b(?:may|might|could|would|will|if|unless|almost|nearly|about|roughly|said|says)\b|거의|것으로|수 있"
)


@lru_cache(maxsize=256)
def listings(source: Source) -> tuple[Listing, ...]:
    ranked = _ranked(source)
    return (*_tables(source), *((ranked,) if ranked is not None else ()), *_in_prose(source))


def _lemmas(text: str) -> frozenset[str]:
    return frozenset(
        unit.lemma.lower() if unit.tag.startswith(("V", "SL")) else unit.form
        for unit in morphemes(text)
        if unit.tag.startswith(("N", "V", "X", "SL"))
    )


def _tables(source: Source) -> Iterator[Listing]:
    block: list[tuple[int, list[str]]] = []
    place = 0
    for line in [*source.text.split("\n"), ""]:
        cells = cells_of(line)
        if len(cells) > 1:
            block.append((place, cells))
        else:
            yield from _table(source, block, place)
            block = []
        place += len(line) + 1


def _table(source: Source, block: list[tuple[int, list[str]]], end: int) -> Iterator[Listing]:
    rows = [(place, cells) for place, cells in block if any(re.search(r"\w", cell) for cell in cells)]
    if len(rows) < 3:
        return
    heading = rows[0][1]
    read = []
    for _, cells in rows[1:]:
        if len(cells) != len(heading):
            return
        values = {}
        for name, cell in zip(heading[1:], cells[1:], strict=True):
            figures = [each for each in find_figures(cell_reading(name, cell)) if not each.is_range and not each.bound]
            if figures:
                values[name] = figures[-1]
        read.append(Row(cells[0], values))
    yield Listing(source, rows[0][0], end, tuple(read), _lemmas(" ".join(heading)))


_RANK = re.compile(
    r"(?<![0-9.,])(?P<rank>[1-9][0-9]?)(?:\.|\)|위|등)[\s:]+(?P<name>[A-Z가-힣][^0-9,;:.()\n]{1,40}?)(?=\s*[,;:(\n.]|\s+[0-9]|$)"
)


def _ranked(source: Source) -> Listing | None:
    """`1. Vogt 2:24:10; 2. Keter 2:24:55`."""
    found = list(_RANK.finditer(source.text))
    while found and int(found[0]["rank"]) != 1:
        found = found[1:]
    chain = [each for place, each in enumerate(found) if int(each["rank"]) == place + 1]
    if len(chain) < 2:
        return None
    rows = []
    for place, match in enumerate(chain):
        stop = chain[place + 1].start() if place + 1 < len(chain) else _line_end(source.text, match.end())
        figures = [each for each in find_figures(source.text[match.end() : stop]) if not each.is_range]
        rows.append(Row(match["name"].strip(), {"": figures[0]} if len(figures) == 1 else {}, int(match["rank"])))
    start = source.text.rfind("\n", 0, chain[0].start()) + 1
    end = _line_end(source.text, chain[-1].end())
    heading = source.text[start : chain[0].start()] + " " + source.title
    return Listing(source, start, end, tuple(rows), _lemmas(heading) | _RACES)


def _line_end(text: str, place: int) -> int:
    stop = re.compile(r"\.(?=\s|$)|\n").search(text, place)
    return stop.end() if stop else len(text)


_RACES = frozenset(("race", "contest", "competition", "event", "final", "time", "경기", "대회", "결승", "경주", "기록"))
_SENTENCE = re.compile(r"[^.!?\n]*(?:[.](?=[0-9])[^.!?\n]*)*[.!?\n]?")
_PART = re.compile(r"[,;]\s|\sand\s|(?<=[가-힣])(?:이고|이며|고|며)\s")
_NAMED = re.compile(r"[A-Z][A-Za-z'’-]+(?:\s[A-Z][A-Za-z'’-]+)*")


def _in_prose(source: Source) -> Iterator[Listing]:
    """`Population: Arden 84,000; Brill 61,000`: parts with one name and one figure of one kind each."""
    for match in _SENTENCE.finditer(source.text):
        text = match.group()
        head, colon, body = text.partition(": ")
        korean = re.match(r"\s*([가-힣]+(?: [가-힣]+)?)[은는]\s", text)
        if not colon:
            head, body = (korean[1], text[korean.end() :]) if korean else ("", text)
        if not head:
            continue
        rows = [row for part in _PART.split(body) if (row := _part(part)) is not None]
        values = [each for row in rows for each in row.values.values()]
        names = {row.name for row in rows}
        if len(rows) < 2 or len(names) != len(rows) or len(rows) != len(_PART.split(body)):
            continue
        if all(same_kind(values[0], each) for each in values[1:]):
            named = tuple(Row(row.name, {head.strip(): row.values[""]}) for row in rows)
            yield Listing(source, match.start(), match.end(), named, _lemmas(head))


def _part(text: str) -> Row | None:
    figures = [each for each in find_figures(text) if not each.is_range and not each.bound]
    if len(figures) != 1:
        return None
    before = text[: figures[0].start].strip(" :")
    latin = _NAMED.fullmatch(before)
    korean = re.fullmatch(r"[가-힣]+(?: [가-힣]+)?", before)
    rest = text[figures[0].end :].strip(" .이다")
    if (latin is None and korean is None) or rest:
        return None
    return Row(before, {"": figures[0]})


# Words of more and of less, what a column of theirs is called, and what is measured.
@dataclass(frozen=True)
class _Scale:
    more: frozenset[str]
    less: frozenset[str]
    columns: frozenset[str]
    kinds: tuple[str, ...]


def _scale(more: str, less: str, columns: str, *kinds: str) -> _Scale:
    return _Scale(frozenset(more.split()), frozenset(less.split()), frozenset(columns.split()), kinds)


_SCALES = (
    _scale(
        "expensive dear costly pricey 비싸다", "cheap inexpensive affordable 싸다 저렴 저렴하다 값싸다",
        "price cost fee fare rent 값 가격 요금 비용", "money",
    ),
    _scale("heavy 무겁다", "light 가볍다", "weight mass 무게 중량", "mass"),
    _scale("loud noisy 시끄럽다", "quiet silent 조용하다", "noise loudness volume 소음"),
    _scale("long 길다 오래", "short 짧다", "length duration range 길이 기간 거리", "length", "time"),
    _scale("tall high 높다", "low 낮다", "height elevation altitude 높이 해발", "length"),
    _scale("deep 깊다", "shallow 얕다", "depth 깊이 수심", "length"),
    _scale(
        "large big great 크다 넓다 populous", "small tiny little 작다 좁다",
        "size area population inhabitant 크기 넓이 면적 인구", "area",
    ),
    _scale("powerful strong 강하다 세다", "weak 약하다", "power output 출력", "power"),
    _scale("slow 느리다 늦다", "fast quick 빠르다", "time latency delay duration 시간 지연 기록", "time"),
    _scale("fast quick 빠르다", "slow 느리다", "speed 속도 속력"),
    _scale("old 오래되다", "young 젊다 어리다", "age 나이"),
)  # fmt: skip
_MORE = frozenset(["more", "most", "high", "large", "great", "big", "many", "많다", "높다", "크다", "길다"])
_LESS = frozenset(["less", "few", "least", "low", "small", "적다", "낮다", "작다", "짧다"])
_PLACES = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6}
_KOREAN_PLACE = re.compile(r"(?<![0-9])([1-9][0-9]?) ?(?:위|등)(?![가-힣]{2})|(준우승)|(우승|이겼|이긴)")
_PLACE = re.compile(
    r"\b(?P<won>won|wins|winner|champion|victorious)\b"
    r"|\b(?P<place>first|second|third|fourth|fifth|sixth|[0-9]{1,2}(?:st|nd|rd|th))\b(?! half)"
)
_AHEAD = re.compile(
    r"\b(?:ahead of|before|in front of|beat|beats|defeated)\b|보다 (?:먼저|앞서|빨리)|(?:을|를) (?:앞서|앞섰|이겼)"
)
_BEHIND = re.compile(r"\b(?:behind|after)\b|보다 (?:뒤|늦|나중)")


def _compared(claim: Parsed, listing: Listing) -> Decided | None:
    named = _named(claim.text, listing)
    if not named:
        return None
    for rule in (_ordered, _placed, _superlative, _comparative):
        found = rule(claim, listing, named)
        if found is not None:
            return found
    return None


def _named(text: str, listing: Listing) -> list[tuple[int, int, Row]]:
    """Start, end and row of every name of the list in the claim, in its order."""
    found = []
    for row in listing.rows:
        spellings = [row.name, *(part for part in row.name.split() if _only_here(part, row, listing))]
        match = next((each for name in spellings if (each := _find(name, text))), None)
        if match is not None:
            found.append((match.start(), match.end(), row))
    return sorted(found, key=lambda each: each[0])


def _only_here(part: str, row: Row, listing: Listing) -> bool:
    return len(part) > 1 and not any(part in other.name.split() for other in listing.rows if other is not row)


def _find(name: str, text: str) -> re.Match[str] | None:
    behind = r"(?![A-Za-z0-9])" if name.isascii() else ""
    return re.search(rf"(?<![A-Za-z0-9가-힣]){re.escape(name)}{behind}", text)


def _explained(claim: Parsed, listing: Listing, named: Sequence[tuple[int, int, Row]], also: Iterable[str]) -> bool:
    """No content word of the claim is left over."""
    known = {*listing.words, *also}
    for word in claim.words:
        if any(start <= word.start < end for start, end, _ in named) or word.lemma in _PLAIN:
            continue
        if (
            word.lemma in known
            or set(word.lemma.split("_")) <= known
            or any(lemma_relation(word.lemma, each, claim.language) is Relation.SAME for each in known)
        ):
            continue
        return False
    return True


_PLAIN = word_list("english", "list_words") | word_list("korean", "list_words")


def _ordered(claim: Parsed, listing: Listing, named: Sequence[tuple[int, int, Row]]) -> Decided | None:
    """Ahead of, behind: by the ranks of a result."""
    if len(named) != 2 or claim.dates or not all(row.rank for _, _, row in named):
        return None
    ahead, behind = _AHEAD.search(claim.text), _BEHIND.search(claim.text)
    if bool(ahead) == bool(behind):
        return None
    one, two = (row for _, _, row in named)
    if claim.language == "ko" and re.match(r"(?:이|가)?보다", claim.text[named[0][1] :]):
        one, two = two, one
    figures = [each for each in claim.figures if not any(start <= each.start < end for start, end, _ in named)]
    shown = f"{one.name} {one.rank}, {two.name} {two.rank}"
    right = (one.rank < two.rank) == bool(ahead)
    if figures:
        values = one.values.get(""), two.values.get("")
        if len(figures) != 1 or values[0] is None or values[1] is None or figures[0].unit != values[0].unit:
            return None
        delta = abs(values[0].low - values[1].low)
        shown = f"|{values[0].text} - {values[1].text}| = {delta.normalize():f} {values[0].unit}"
        right = right and delta == figures[0].low
    if not _explained(claim, listing, named, _AHEAD_WORDS):
        return None
    return Decided(listing, right, shown)


_AHEAD_WORDS = frozenset(
    ("ahead", "ahead_of", "behind", "before", "after", "front", "beat", "defeat", "finish", "come", "cross", "arrive",
     "들어오다", "먼저", "앞서다", "이기다", "늦다", "뒤", "나중", "도착", "빨리")
)  # fmt: skip


def _placed(claim: Parsed, listing: Listing, named: Sequence[tuple[int, int, Row]]) -> Decided | None:
    """Won, came second: by the ranks of a result."""
    row = named[0][2]
    if len(named) != 1 or claim.dates or not row.rank:
        return None
    if claim.language == "ko":
        match = _KOREAN_PLACE.search(claim.text)
        place = 0 if match is None else int(match[1]) if match[1] else 2 if match[2] else 1
    else:
        found = _PLACE.search(claim.text)
        text = "" if found is None else found["place"] or "first"
        place = _PLACES.get(text, int(text[:-2]) if text[:1].isdigit() else 0)
    if not place or place > len(listing.rows) or not _explained(claim, listing, named, _PLACE_WORDS):
        return None
    return Decided(listing, row.rank == place, f"{row.name}: {row.rank}")


_PLACE_WORDS = frozenset(
    ("win", "winner", "champion", "finish", "come", "place", "take", "end", "rank", "runner-up", *_PLACES,
     "우승", "준우승", "이기다", "차지", "들어오다", "오르다", "하다")
)  # fmt: skip


def _superlative(claim: Parsed, listing: Listing, named: Sequence[tuple[int, int, Row]]) -> Decided | None:
    if len(named) != 1:
        return None
    row = named[0][2]
    words = [word for word in claim.words if _is_superlative(word, claim)]
    marked = claim.marks & {"most", "fewest", "least"}
    chosen = _column(claim, listing, words, marked)
    if (not words and not marked) or chosen is None:
        return None
    column, sign = chosen
    values = [(each.values[column].low, each) for each in listing.rows if column in each.values]
    if len(values) != len(listing.rows) or not _explained(
        claim, listing, named, {_base(word) for word in words} | {word.lemma for word in words}
    ):
        return None
    best = max(values, key=lambda pair: pair[0] * sign)
    if sum(value == best[0] for value, _ in values) > 1:
        return None
    mark = ">" if sign > 0 else "<"
    ordered = sorted(values, key=lambda pair: -pair[0] * sign)
    shown = f" {mark} ".join(f"{each.name} {each.values[column].text}" for _, each in ordered)
    return Decided(listing, best[1] is row, shown)


def _comparative(claim: Parsed, listing: Listing, named: Sequence[tuple[int, int, Row]]) -> Decided | None:
    if len(named) != 2 or claim.figures:
        return None
    (_, first_end, one), (second_start, _, two) = named
    if claim.language == "ko":
        if re.match(r"(?:이|가)?보다", claim.text[first_end:]):
            one, two = two, one
        elif not re.match(r"보다", claim.text[named[1][1] :]):
            return None
    elif not re.search(r"\bthan\b", claim.text[first_end:second_start]):
        return None
    words = [word for word in claim.words if _is_comparative(word, claim)]
    marked = claim.marks & {"more", "less", "fewer"}
    chosen = _column(claim, listing, words, marked)
    if (not words and not marked) or chosen is None:
        return None
    column, sign = chosen
    if column not in one.values or column not in two.values:
        return None
    if not _explained(
        claim, listing, named, {_base(word) for word in words} | {word.lemma for word in words} | {"cost"}
    ):
        return None
    mine, theirs = one.values[column], two.values[column]
    mark = ">" if mine.low > theirs.low else "<" if mine.low < theirs.low else "="
    return Decided(
        listing, (mine.low - theirs.low) * sign > 0, f"{one.name} {mine.text} {mark} {two.name} {theirs.text}"
    )


def _is_superlative(word: Word, claim: Parsed) -> bool:
    if claim.language == "ko":
        return "가장" in claim.marks and word.lemma.endswith("다") and _known(word.lemma)
    return (word.text.lower().endswith("est") or "most" in claim.marks or "least" in claim.marks) and _known(
        _base(word)
    )


def _is_comparative(word: Word, claim: Parsed) -> bool:
    if claim.language == "ko":
        return word.lemma.endswith("다") and _known(word.lemma)
    plain = word.text.lower().endswith("er") or bool(claim.marks & {"more", "less"})
    return plain and _known(_base(word))


def _known(lemma: str) -> bool:
    return lemma in _MORE | _LESS or any(lemma in scale.more | scale.less for scale in _SCALES)


def _base(word: Word) -> str:
    """`cheapest` is cheap."""
    lower = word.text.lower()
    if not lower.isascii():
        return word.lemma
    if lower in ("fewest", "fewer"):
        return "few"
    return readings(lower).get("ADJ", (word.lemma,))[0]


def _column(claim: Parsed, listing: Listing, words: Sequence[Word], marked: Iterable[str]) -> tuple[str, int] | None:
    """Which column is compared, and whether more of it is what the claim says."""
    columns = list(dict.fromkeys(name for row in listing.rows for name in row.values))
    for dated in claim.dates:
        columns = [each for each in columns if dated.year is not None and str(dated.year) in each]
    lemmas = [_base(word) for word in words]
    less_marked = bool(set(marked) & {"fewest", "least", "less", "fewer"})
    meant = [each for each in columns if any(_names_it(word, each, claim.language) for word in claim.words)]
    sample = next((row for row in listing.rows if row.values), None)
    if sample is None:
        return None
    for scale in _SCALES:
        found = [lemma for lemma in lemmas if lemma in scale.more | scale.less]
        if not found:
            continue
        fit = [each for each in columns if _fits(scale, each, sample.values.get(each))]
        if len(fit) == 1 and (not meant or meant == fit):
            sign = 1 if found[0] in scale.more else -1
            return fit[0], -sign if less_marked else sign
    if "cost" in {word.lemma for word in claim.words} and not words:
        fit = [each for each in columns if _fits(_SCALES[0], each, sample.values.get(each))]
        return (fit[0], -1 if less_marked else 1) if len(fit) == 1 else None
    generic = [1 if lemma in _MORE else -1 for lemma in lemmas if lemma in _MORE | _LESS]
    if not generic and marked and not words:
        generic = [-1 if less_marked else 1]
    if not generic:
        return None
    if len(meant) == 1:
        return meant[0], generic[0]
    return (columns[0], generic[0]) if len(columns) == 1 and not meant and columns[0] else None


def _names_it(word: Word, column: str, language: str) -> bool:
    return any(lemma_relation(word.lemma, each, language) is Relation.SAME for each in _column_words(column, language))


def _column_words(column: str, language: str) -> list[str]:
    plain = re.sub(r"\([^)]*\)", "", column)
    if language == "ko":
        return [unit.form for unit in morphemes(plain) if unit.tag.startswith("N")]
    return [english_lemma(each) for each in re.findall(r"[A-Za-z]+", plain)]


def _fits(scale: _Scale, column: str, figure: Figure | None) -> bool:
    if figure is None:
        return False
    kind = "money" if figure.unit in CURRENCIES else kind_of(figure.unit) if figure.unit else ""
    language = "en" if column.isascii() else "ko"
    return kind in scale.kinds or any(each.lower() in scale.columns for each in _column_words(column, language))
