"""Quotations of a claim: letter by letter in a cited source, or not."""

import re

from packs.text.folding import fold
from packs.text.quotations import quoted_passages

_SPACE = re.compile(r"\s+")
_EDGES = " .,;:!?…'\"“”"
_LEAST_WORDS = 3


def plain(text: str) -> str:
    return _SPACE.sub(" ", fold(text).lower).strip(_EDGES)


def quotations_of(text: str) -> list[str]:
    found = [text[start:end] for start, end in quoted_passages(text)]
    return [quote for quote in found if len(quote.split()) >= _LEAST_WORDS]


def without_quotations(text: str) -> str:
    for quote in quotations_of(text):
        text = text.replace(quote, " ")
    return text


def altered(quote: str, source: str) -> str | None:
    """The source's own quotation or sentence that the quotation resembles without being it."""
    words = set(plain(quote).split())
    best, most = None, 0.0
    candidates = quotations_of(source) + re.split(r"(?<=[.!?])\s+|\n", source)
    for candidate in candidates:
        theirs = set(plain(candidate).split())
        shared = len(words & theirs) / max(1, len(words | theirs))
        if shared > most:
            best, most = candidate, shared
    return best if most >= 0.5 else None
