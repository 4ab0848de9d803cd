"""Content words of Korean and English sentences, cut back to a stem, so that two wordings can be compared.

Deliberately crude: no dictionary, no model. A stem that is wrong in the same way on both sides still matches itself.
"""

import re
from functools import lru_cache

from packs.evaluate.lexicon import ENGLISH_ENDINGS, ENGLISH_STOP, KOREAN_ENDINGS, KOREAN_STOP

_WORD = re.compile(r"[가-힣]+|[A-Za-z][A-Za-z'-]*")


# An ending stands alone where a figure before it was blanked.
_NOT_CONTENT = KOREAN_STOP | frozenset(KOREAN_ENDINGS)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    if "가" <= word[0] <= "힣":
        for ending in KOREAN_ENDINGS:
            # A one-syllable stem is left only by a long ending: 늘었다 is 늘, but 가을 is not 가.
            if word.endswith(ending) and len(word) - len(ending) >= (1 if len(ending) > 1 else 2):
                return word[: -len(ending)]
        return word
    word = word.lower().removesuffix("'s").strip("'-")
    for ending in ENGLISH_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            base = word[: -len(ending)]
            return base + "y" if ending == "ies" else base.removesuffix("e") if ending != "s" else base
    return word.removesuffix("e") if len(word) > 3 else word


def stems(text: str) -> frozenset[str]:
    """The content words of a text, as stems."""
    found = set()
    for match in _WORD.finditer(text):
        word = match.group()
        lowered = word.lower()
        if lowered in ENGLISH_STOP or word in _NOT_CONTENT:
            continue
        root = stem(word)
        if root not in KOREAN_STOP and (len(root) > 1 or "가" <= root <= "힣"):
            found.add(root)
    return frozenset(found)


def is_korean(text: str) -> bool:
    """Whether Korean syllables carry the sentence."""
    korean = sum("가" <= character <= "힣" for character in text)
    latin = sum(character.isascii() and character.isalpha() for character in text)
    return korean * 2 >= latin and korean > 0


def covered_percent(part: frozenset[str], whole: frozenset[str]) -> int:
    """How much of `part` occurs in `whole`."""
    return len(part & whole) * 100 // len(part) if part else 0
