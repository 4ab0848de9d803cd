"""Sentences of Korean and English prose as offsets, and quotations short enough to repeat."""

import re
from collections.abc import Iterator

from dpp_project.profile import PROFILE

_QUOTE_MAX_CHARS = 240  # a "word" without spaces can be a whole page
_ELLIPSIS = " …"

# A full stop between digits and a space belongs to a Korean date (2024. 5. 31.), not to the end of a sentence.
_END = re.compile(r"""(?:(?<![0-9])\.|(?<=[0-9])\.(?!\s[0-9])|[!?。！？])[.!?]{0,3}["'”’)\]]{0,2}(?=\s)|\n""")
# Where only the next end is wanted, in a text that is searched around many places.
SENTENCE_END = re.compile(r"[.!?。](?=\s)|\n")
_ABBREVIATIONS = frozenset(
    {"al", "approx", "art", "ca", "cf", "co", "corp", "dr", "e.g", "etc", "fig", "i.e", "inc", "jr", "ltd"}
    | {"mr", "mrs", "ms", "no", "p", "pp", "prof", "sec", "st", "u.k", "u.s", "vs"}
)
_LAST_WORD = re.compile(r"[A-Za-z.]{1,8}$")


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of every sentence, without the space around it."""
    start = 0
    for match in _END.finditer(text):
        if match.group() != "\n" and _ends_in_abbreviation(text, match.start()):
            continue
        yield from _trimmed(text, start, match.end())
        start = match.end()
    yield from _trimmed(text, start, len(text))


def _ends_in_abbreviation(text: str, stop: int) -> bool:
    word = _LAST_WORD.search(text[max(0, stop - 8) : stop])
    return word is not None and word.group().lower() in _ABBREVIATIONS


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end


def quotation(text: str) -> str:
    """As many words of a text as a quotation may have, on one line."""
    words = text[: _QUOTE_MAX_CHARS * 2].split()
    quoted = " ".join(words[: PROFILE.quote_max_words])[:_QUOTE_MAX_CHARS].rstrip()
    complete = len(words) <= PROFILE.quote_max_words and len(text) <= _QUOTE_MAX_CHARS
    return quoted if complete else quoted + _ELLIPSIS
