"""Where a statement rests: verbatim quotations with pointers, and finding the sentences that speak of a
thing.

A pointer leads into the run's inputs (`/options/0/attributes/price`) or, for a fetched page, into the
result's own `data` (`/evidence/keep/0/evidence_quote`); then `url` is set too.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from dpp_project.profile import PROFILE
from packs.base import JsonObject
from packs.decision.brief import Brief, Leaf, Option, normalise
from packs.decision.tables import read_tables
from packs.text.sentences import sentence_spans

# Text without spaces counts as few words; this keeps its quotations short as well.
MAX_QUOTE_CHARS = 240
# What the key of a record's name is called in a list of records.
RECORD_NAMES = frozenset({"name", "option", "이름", "선택지", "업체"})

_DIGITS = re.compile(r"[0-9.,]")
_WORD = re.compile(r"\S+")
_CLAUSE_END = re.compile(r"[,;]\s|\s(?:but|while|whereas|however)\s|(?<=지만)[\s,]|(?<=으나)[\s,]|\s반면(?:에)?\s")


@dataclass(frozen=True)
class Evidence:
    pointer: str
    quote: str
    url: str | None = None

    def as_json(self) -> JsonObject:
        given: JsonObject = {"pointer": self.pointer, "quote": self.quote}
        return given if self.url is None else {**given, "url": self.url}


@dataclass(frozen=True)
class Passage:
    """A text to look for statements in."""

    pointer: str
    text: str
    url: str | None = None
    title: str = ""
    quote: str = ""
    """A page's own title and the sentence it was kept for."""
    about: int | None = None
    """Index of the option the whole text is about (its own description)."""


def quotation(text: str, around: int = 0) -> str:
    """At most a quotation's number of consecutive words of `text`, unchanged, containing the character at `around`."""
    words = list(_WORD.finditer(text))
    if not words:
        return ""
    at = next((index for index, word in enumerate(words) if word.end() > around), len(words) - 1)
    first = max(0, min(at - PROFILE.quote_max_words // 2, len(words) - PROFILE.quote_max_words))
    last = min(first + PROFILE.quote_max_words, len(words)) - 1
    quote = text[words[first].start() : words[last].end()]
    if len(quote) > MAX_QUOTE_CHARS:
        # Half a number would be another number.
        cut_in_a_number = _DIGITS.match(quote[MAX_QUOTE_CHARS]) is not None
        quote = quote[:MAX_QUOTE_CHARS].rstrip("0123456789.,") if cut_in_a_number else quote[:MAX_QUOTE_CHARS]
    return quote.rstrip()


def sentences(text: str) -> Iterator[str]:
    for start, end in sentence_spans(text):
        yield text[start:end]


def clauses(sentence: str) -> list[str]:
    return [piece.strip() for piece in _CLAUSE_END.split(sentence) if piece.strip()]


def mention(name: str, text: str) -> int:
    """Where `text` speaks of `name`, or -1."""
    pattern = _mention_pattern(name)
    found = pattern.search(text) if pattern else None
    return found.start() if found else -1


def mention_of(option: Option, text: str) -> int:
    """Where `text` speaks of the option, by its name or another one it goes by, or -1."""
    places = [at for name in (option.name, *option.aliases) if (at := mention(name, text)) >= 0]
    return min(places, default=-1)


def named_in(brief: Brief, text: str) -> list[int]:
    """The options a text speaks of. A name inside a longer name (`Orbit` in `Orbit Pro`) is not meant on its own."""
    return list(_named(brief.option_names, text))


@lru_cache(maxsize=8192)
def _named(names: tuple[tuple[str, ...], ...], text: str) -> tuple[int, ...]:
    found = [i for i, own in enumerate(names) if any(mention(name, text) >= 0 for name in own)]
    return tuple(i for i in found if not _only_inside_another(names, i, found, text))


def _only_inside_another(names: tuple[tuple[str, ...], ...], index: int, found: list[int], text: str) -> bool:
    if len(found) == 1:
        return False
    name = normalise(names[index][0])
    longer = [other for i in found if i != index and name in (other := normalise(names[i][0])) and other != name]
    rest = normalise(text) if longer else ""
    for other in sorted(longer, key=len, reverse=True):
        rest = rest.replace(other, " ")
    return bool(longer) and all(mention(own, rest) < 0 for own in names[index])


@lru_cache(maxsize=1024)
def _mention_pattern(name: str) -> re.Pattern[str] | None:
    """Latin names match whole words (plural allowed). Korean names match at their beginning, because
    particles are glued to the end: 가격이, 가격은.
    """
    wanted = normalise(name)
    if not wanted:
        return None
    pattern = r"(?<![0-9a-z가-힣])" + r"[\s_\-]+".join(re.escape(word) for word in wanted.split(" "))
    if wanted[-1].isascii() and wanted[-1].isalnum():
        pattern += r"(?:s|es)?(?![0-9a-z])"
    return re.compile(pattern, re.IGNORECASE)


@dataclass(frozen=True)
class Statement:
    """A sentence, or a clause of it, that is about one option and names one criterion."""

    text: str
    at: int
    """Where the criterion is named."""
    passage: Passage

    def cited(self) -> Evidence:
        return Evidence(self.passage.pointer, quotation(self.text, self.at), self.passage.url)


@dataclass(frozen=True)
class GivenCell:
    """A cell of a table that stands in a text."""

    row: str
    column: str
    value: str
    pointer: str


@dataclass(frozen=True)
class Material:
    """Everything given, arranged by what it is about. Built once: every text is read a single time."""

    brief: Brief
    texts: tuple[Passage, ...]
    values: Mapping[tuple[str, str], tuple[Leaf, ...]]
    """Context values by the last two names on their way, sorted: option and criterion, either way round."""
    statements: Mapping[tuple[int, int], tuple[Statement, ...]]
    """By option and criterion."""
    table_cells: tuple[GivenCell, ...] = ()


def gather(brief: Brief, pages: tuple[Passage, ...] = ()) -> Material:
    texts, cells = _without_tables(brief, passages(brief, pages))
    values: dict[tuple[str, str], list[Leaf]] = {}
    for leaf in brief.context:
        if len(leaf.path) >= 2:
            values.setdefault(pair(*leaf.path[-2:]), []).append(leaf)
    for name, leaf in _records(brief):
        values.setdefault(pair(name, leaf.path[-1]), []).append(leaf)
    found: dict[tuple[int, int], list[Statement]] = {}
    for passage in texts:
        for sentence in sentences(passage.text):
            for key, statement in _statements(brief, passage, sentence):
                found.setdefault(key, []).append(statement)
    return Material(
        brief=brief,
        texts=texts,
        values={key: tuple(leaves) for key, leaves in values.items()},
        statements={key: tuple(given) for key, given in found.items()},
        table_cells=cells,
    )


def _without_tables(brief: Brief, given: tuple[Passage, ...]) -> tuple[tuple[Passage, ...], tuple[GivenCell, ...]]:
    """The same texts as prose only, and what their tables hold under the options' own names."""
    texts: list[Passage] = []
    cells: list[GivenCell] = []
    for passage in given:
        tables = read_tables(passage.text)
        texts.append(replace(passage, text=tables.rest) if tables.cells else passage)
        cells += [
            GivenCell(_option_name(brief, cell.row), _option_name(brief, cell.column), cell.value, passage.pointer)
            for cell in tables.cells
        ]
    return tuple(texts), tuple(cells)


def _option_name(brief: Brief, name: str) -> str:
    """A table may call an option by a longer or shorter name."""
    meant = named_in(brief, name)
    return brief.options[meant[0]].name if len(meant) == 1 else name


def _records(brief: Brief) -> Iterator[tuple[str, Leaf]]:
    """Values of `{"name": "Vendor A", "price": "30 USD"}`, wherever such a record stands: the name, the value. What the
    key of the name is called does not matter where its value is the name of an option.
    """
    options = {normalise(option.name) for option in brief.options}
    records: dict[str, list[Leaf]] = {}
    for leaf in brief.context:
        if leaf.path:
            records.setdefault(leaf.pointer.rpartition("/")[0], []).append(leaf)
    for leaves in records.values():
        named = [leaf.value for leaf in leaves if isinstance(leaf.value, str) and normalise(leaf.value) in options]
        keyed = [leaf.value for leaf in leaves if normalise(leaf.path[-1]) in RECORD_NAMES]
        name = next(iter((*named, *keyed)), None)
        if isinstance(name, str):
            yield from ((name, leaf) for leaf in leaves if leaf.value is not name)


def pair(one: str, other: str) -> tuple[str, str]:
    first, second = sorted((normalise(one), normalise(other)))
    return first, second


def _statements(brief: Brief, passage: Passage, sentence: str) -> Iterator[tuple[tuple[int, int], Statement]]:
    """A sentence that names several options is taken clause by clause; what stays ambiguous is left out."""
    if all(mention(criterion.name, sentence) < 0 for criterion in brief.criteria):
        return
    named = named_in(brief, sentence)
    for piece in clauses(sentence) if len(named) > 1 else [sentence]:
        here: list[int | None] = [*named_in(brief, piece)] if named else [passage.about]
        if len(here) != 1 or here[0] is None or passage.about not in (None, here[0]):
            continue
        for j, criterion in enumerate(brief.criteria):
            if (at := mention(criterion.name, piece)) >= 0:
                yield (here[0], j), Statement(piece, at, passage)


def passages(brief: Brief, pages: tuple[Passage, ...]) -> tuple[Passage, ...]:
    """All prose of a run: the options' descriptions, the context's texts, the pages that were kept."""
    own = [
        Passage(f"{option.pointer}/description", option.description, about=index)
        for index, option in enumerate(brief.options)
        if option.description.strip()
    ]
    context = [
        Passage(leaf.pointer, leaf.value, about=_owner(brief, leaf.path))
        for leaf in brief.context
        if isinstance(leaf.value, str) and leaf.value.strip()
    ]
    return (*own, *context, *pages)


def _owner(brief: Brief, path: tuple[str, ...]) -> int | None:
    """A text kept under an option's name in the context object is about that option."""
    names = {normalise(token) for token in path}
    return next((i for i, option in enumerate(brief.options) if normalise(option.name) in names), None)
