"""The claims of a text: its sentences that assert something, each with its place, its figures and what it cites."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from packs.claims.library import parse
from packs.claims.parsed import Parsed
from packs.text.folding import fold
from packs.text.sentences import sentence_spans

_MARK = re.compile(r"\s?\[([0-9]{1,3}|[A-Za-z][A-Za-z0-9_-]{0,20})\]")
_NOT_A_CLAIM = re.compile(r"[?？]\s*$|^\s*(?:#|출처|source|참고|references?\b)", re.IGNORECASE)
_HEADING_MAX_CHARS = 40
_ENDS_LIKE_A_SENTENCE = re.compile(r"[.!。…”\"')\]]\s*$|[다요음함됨임]\s*$")
_LEAST_WORDS = 2


@dataclass(frozen=True)
class Statement:
    """One sentence. `start` is its place in the text it was taken from; 0 for a claim that was given by itself."""

    text: str
    start: int = 0

    @cached_property
    def plain(self) -> str:
        """Without citation marks, in one spelling of digits and dashes."""
        return fold(_MARK.sub("", self.text)).plain.strip()

    @cached_property
    def parsed(self) -> Parsed:
        return parse(self.plain)

    @property
    def marks(self) -> tuple[str, ...]:
        """The sources it cites in the text, as in [1]."""
        return tuple(match[1] for match in _MARK.finditer(self.text))


def statements(text: str) -> Iterator[Statement]:
    """Every sentence of a text, with its place."""
    for start, end in sentence_spans(text):
        yield Statement(text[start:end], start)


def is_claim(statement: Statement) -> bool:
    """Whether a sentence asserts something that could be checked: no question, heading or source line."""
    text = statement.text
    if _NOT_A_CLAIM.search(text):
        return False
    parsed = statement.parsed
    has_figures = bool(parsed.figures or parsed.dates)
    if len(text) <= _HEADING_MAX_CHARS and not _ENDS_LIKE_A_SENTENCE.search(text) and not has_figures:
        return False
    return len(parsed.words) >= (1 if has_figures else _LEAST_WORDS) or len(statement.plain.split()) > _LEAST_WORDS
