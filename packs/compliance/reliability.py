"""How far a review can be relied on: the recall measured for texts of its kind, language and length, not a constant.

`measured.toml` is written by `make bench-packs` from texts that nobody tuned the rules on.
"""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from packs.compliance.result import readable_share

_SHORT_CHARS = 20
_LONG_CHARS = 2_000
"""Measured texts are shorter. A longer one is less certain: what was not measured is not claimed."""
LENGTHS = {"short": 60, "middle": 160, "long": 10**9}
"""Bands of characters that were measured apart."""
_LONG, _WITHOUT_KIND, _TRUNCATED, _SHORT = 0.9, 0.9, 0.8, 0.8


@cache
def measured() -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "measured.toml").read_text(encoding="utf-8"))


def reliability(text: str, kind: str | None, language: str, *, truncated: bool) -> float:
    by_kind = measured()["recall"]
    score: float = by_kind[language].get(kind or "general", by_kind[language]["general"]) * readable_share(text)
    length = len(text.strip())
    score *= _of_length(length)
    if length < _SHORT_CHARS:
        score *= _SHORT
    if length > _LONG_CHARS:
        score *= _LONG
    if kind is None:
        score *= _WITHOUT_KIND
    if truncated:
        score *= _TRUNCATED
    return round(min(score, 1.0), 2)


def _of_length(length: int) -> float:
    """Recall of texts of this length, compared with that of all."""
    given = measured()["length"]
    band = next(name for name, limit in LENGTHS.items() if length < limit)
    share: float = given[band] / given["all"]
    return min(share, 1.0)
