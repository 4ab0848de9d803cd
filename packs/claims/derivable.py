"""Whether a figure of a claim could follow from the figures of a passage by one step of arithmetic.

Nothing is proved by it: which step is meant is for `arithmetic` to tell. But a figure that could follow is no
contradiction of the figures it follows from.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import permutations

from packs.claims.parsed import Figure

_MOST_FIGURES = 12
_HALF = re.compile(r"\bhal(?:f|ves|ved)\b|절반|반값|반으로|반절", re.IGNORECASE)
_DOUBLE = re.compile(r"\b(?:doubl\w*|twice)\b|두\s?배|2배|갑절", re.IGNORECASE)
_HUNDRED = Decimal(100)


def derivable(claimed: Figure, figures: tuple[Figure, ...], text: str) -> bool:
    """`text`: the passage, whose words may halve or double a figure."""
    exact = [each for each in figures if each.low == each.high][:_MOST_FIGURES]
    return any(_same(value, claimed.low) for value in _values(exact, claimed, text))


def _values(given: list[Figure], claimed: Figure, text: str) -> Iterator[Decimal]:
    alike = [each.low for each in given if each.unit in (claimed.unit, "")]
    shares = [each.low for each in given if each.unit == "%"]
    for value in alike:
        if _HALF.search(text) or _DOUBLE.search(text):
            yield from (value / 2, value * 2)
        yield from (value * share / _HUNDRED for share in shares)
    for one, other in permutations(alike, 2):
        yield from (one + other, one - other)
    if claimed.unit not in ("%", "%p"):
        return
    yield from (_HUNDRED - share for share in shares)
    yield _HUNDRED - sum(shares)
    yield from (one - other for one, other in permutations(shares, 2))
    for first, second in permutations(given, 2):
        if first.unit == second.unit and second.low:
            yield from (first.low / second.low * _HUNDRED, (first.low - second.low) / second.low * _HUNDRED)


def _same(value: Decimal, written: Decimal) -> bool:
    return written != 0 and abs(abs(value) - written) * 200 <= written
