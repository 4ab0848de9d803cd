"""Whether a PDF's own text can be what its page shows. A font draws letters by their shapes and says apart from that
which letters they are; where it says it wrongly, the text is nonsense and the page is read as a picture.

Each rule judges one script by what it cannot be, and by enough of it. Scripts that are not read here are believed.
"""

import re

from packs.ocr.reading.lexicon import is_common_syllable, is_known

# Of Korean, one syllable in two hundred is none of the 1,100 that the language lives on; of letters of another script
# that are told as Korean, most are.
LEAST_SYLLABLES, MOST_RARE = 8, 0.1
# Pages in English, or in another language of Latin letters, stay far on the right side of one of the two.
LEAST_WORDS, LEAST_KNOWN, MOST_WITHOUT_VOWEL = 20, 0.35, 0.25
LEAST_MIXED, MOST_MIXED = 8, 0.2

_SYLLABLE = re.compile("[가-힣]")
_WORD = re.compile(r"[^\W\d_]{3,}")
_LATIN_WORD = re.compile("[A-Za-z]{3,}")
_VOWEL = re.compile("[aeiouyAEIOUY]")
# Cyrillic to Georgian beside Latin or Korean letters. Greek is not among them: `μm`, `Δt`.
_MIXED = re.compile("[A-Za-z가-힣][\u0400-\u10ff]|[\u0400-\u10ff][A-Za-z가-힣]")


def is_plausible(text: str) -> bool:
    return not (_is_no_korean(text) or _is_no_latin(text) or _is_mixed(text))


def _is_no_korean(text: str) -> bool:
    syllables = _SYLLABLE.findall(text)
    rare = sum(not is_common_syllable(syllable) for syllable in syllables)
    return rare >= LEAST_SYLLABLES and rare > MOST_RARE * len(syllables)


def _is_no_latin(text: str) -> bool:
    words = _LATIN_WORD.findall(text)
    if len(words) < LEAST_WORDS:
        return False
    without_vowel = sum(not _VOWEL.search(word) for word in words)
    return without_vowel > MOST_WITHOUT_VOWEL * len(words) and sum(map(is_known, words)) < LEAST_KNOWN * len(words)


def _is_mixed(text: str) -> bool:
    words = _WORD.findall(text)
    mixed = sum(bool(_MIXED.search(word)) for word in words)
    return mixed >= LEAST_MIXED and mixed > MOST_MIXED * len(words)
