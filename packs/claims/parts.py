"""Parts of an enumeration: what stands between commas and conjunctions belongs together."""

import re
from functools import lru_cache

_BETWEEN = re.compile(
    r"[,;|\n]\s|\band\b|\bwhile\b|\bbut\b|\bwhereas\b|(?<=[가-힣])고\s|(?<=[가-힣])며\s|(?<=[가-힣])지만\s|(?<=[가-힣])으나\s|(?<=[가-힣])(?:와|과)\s"
)


@lru_cache(maxsize=10_000)
def _ends(text: str) -> tuple[int, ...]:
    return tuple(match.end() for match in _BETWEEN.finditer(text))


def part_of(text: str, place: int) -> int:
    """Which part of an enumeration a place lies in."""
    return sum(end <= place for end in _ends(text))
