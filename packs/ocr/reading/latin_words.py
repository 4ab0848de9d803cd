"""Blanks of Latin words and prices, by what stands there, where the paper alone is in doubt: type of one width has gaps
inside words as wide as blanks elsewhere."""

import re
from collections.abc import Callable, Mapping, Sequence

from packs.ocr.reading.engine import Letter
from packs.ocr.reading.lexicon import is_known

Group = list[Letter]
Gaps = Mapping[int, int]
"""Pixels of blank before each letter, by its `id`."""

# In heights of the line: a wider gap parts words whatever they are.
SURELY_BLANK = 0.55
# A narrower one parts none.
LEAST_BLANK = 0.14
# Two words that were read as one have at least so many letters each.
LEAST_LETTERS = 3
# So short, nearly everything is in a list of words; these are some.
_SHORT_WORD = re.compile("a|i|am|an|as|at|be|by|do|go|he|if|in|is|it|me|my|no|of|on|or|so|to|up|us|we", re.IGNORECASE)
_LATIN = re.compile("[A-Za-z]+")
_PRICE = re.compile(r"(?:[A-Z]{1,3}|[$€£₩¥])?\d[\d,]*\. \d\d(?: [A-Z]{1,2})?")


def mended(groups: Sequence[Group], gaps: Gaps, height: int) -> list[Group]:
    is_price = _PRICE.fullmatch(" ".join(_text(group) for group in groups))
    whole = _joined(groups, gaps, SURELY_BLANK * height, _is_fraction if is_price else _is_one_word)
    return [part for group in whole for part in _parted(group, gaps, LEAST_BLANK * height)]


def _joined(groups: Sequence[Group], gaps: Gaps, most: float, belong: Callable[[str, str], bool]) -> list[Group]:
    joined: list[Group] = []
    for group in groups:
        if joined and gaps[id(group[0])] < most and belong(_text(joined[-1]), _text(group)):
            joined[-1] = [*joined[-1], *group]
        else:
            joined.append(group)
    return joined


def _is_fraction(before: str, after: str) -> bool:
    return before.endswith(".") and after.isdigit()


def _is_one_word(before: str, after: str) -> bool:
    """`WHOL E` is no two words, and is one; `in to` is two."""
    if not _LATIN.fullmatch(before) or not _LATIN.fullmatch(after):
        return False
    return not (_is_word(before) and _is_word(after)) and is_known(before + after)


def _is_word(text: str) -> bool:
    return bool(_SHORT_WORD.fullmatch(text)) or (len(text) >= LEAST_LETTERS and is_known(text))


def _parted(group: Group, gaps: Gaps, least: float) -> list[Group]:
    """`YOUFOR`: no word, but two at its widest gap."""
    text = _text(group)
    if len(group) != len(text) or len(text) < 2 * LEAST_LETTERS or not _LATIN.fullmatch(text) or is_known(text):
        return [group]
    at, gap = max(enumerate((gaps[id(letter)] for letter in group[1:]), 1), key=lambda item: item[1])
    parts = [group[:at], group[at:]]
    return (
        parts
        if gap >= least and all(len(part) >= LEAST_LETTERS and is_known(_text(part)) for part in parts)
        else [group]
    )


def _text(group: Group) -> str:
    return "".join(letter.text for letter in group)
