"""Pages that say the same: exact copies and the agency report printed by ten newspapers."""

import re
import zlib
from dataclasses import dataclass, field

SHINGLE_WORDS = 5
MAX_SHINGLES = 3_000
SAME_FROM = 0.8

_WORD = re.compile(r"\w+")


@dataclass
class Seen:
    """The texts met so far, by the URL they came from."""

    _shingles: dict[str, frozenset[int]] = field(default_factory=dict)

    def twin_of(self, text: str) -> str | None:
        """The URL of a page already met that holds (nearly) the same text."""
        own = shingles(text)
        for url, other in self._shingles.items():
            if len(own & other) >= SAME_FROM * len(own | other):
                return url
        return None

    def add(self, url: str, text: str) -> None:
        self._shingles[url] = shingles(text)


def shingles(text: str) -> frozenset[int]:
    """Runs of five words, as numbers; a text shorter than that is one run."""
    words = _WORD.findall(text.lower())
    runs = range(max(1, min(len(words) - SHINGLE_WORDS + 1, MAX_SHINGLES)))
    return frozenset(zlib.crc32(" ".join(words[start : start + SHINGLE_WORDS]).encode()) for start in runs)
