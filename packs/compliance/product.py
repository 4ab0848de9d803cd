"""What a text speaks of: the product decides which act applies and what to write instead."""

from functools import cache

from packs.compliance.frames import ENGLISH, KOREAN, Frame, parse_frame
from packs.compliance.reading import Reading
from packs.compliance.rules import PRODUCTS, rulebook

GENERAL = "general"
# Among equals the narrower act comes first.
_ORDER = ("virtual_asset", "device", "medical", "food", "cosmetic", "finance")


@cache
def _frames(name: str) -> tuple[Frame, Frame]:
    words = rulebook().words
    korean, english = (parse_frame("{" + name + "}", language, words) for language in (KOREAN, ENGLISH))
    return korean, english


def speaks_of(reading: Reading, name: str) -> int:
    """How often words of a list occur."""
    return sum(len(set(reading.framed(frame))) for frame in _frames(name))


def product_of(reading: Reading) -> str:
    counts = {name: speaks_of(reading, f"product_{name}") for name in _ORDER}
    best = max(_ORDER, key=lambda name: (counts[name], -_ORDER.index(name)))
    assert best in PRODUCTS
    if best == "finance" and counts["virtual_asset"]:
        return "virtual_asset"  # interest and principal are spoken of there too
    return best if counts[best] else GENERAL
