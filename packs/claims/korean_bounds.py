"""Bounds that a Korean figure has behind it: 10년 넘게, 10% 아래로."""

import re
from dataclasses import replace

from packs.claims.parsed import Figure

_MORE_BEHIND = re.compile(r"\s?[을를이가]?\s?넘(?:게|었|는|은|어|$)")


_LESS_BEHIND = re.compile(r"\s?(?:아래|밑)(?:로|에|이|였|인)")


def with_bound(figure: Figure, text: str) -> Figure:
    """10년 넘게, 65세가 넘었다, 10% 아래로."""
    behind = text[figure.end :]
    if figure.bound:
        return figure
    if _MORE_BEHIND.match(behind):
        return replace(figure, bound="over")
    return replace(figure, bound="under") if _LESS_BEHIND.match(behind) else figure
