"""One reading of a text for detectors, with a way back to the caller's offsets.

The same number can be typed with full-width digits, an en dash, a zero-width space or, copied from a Mac, with Korean
syllables taken apart. Detectors see one folded form; findings point into the text as it was given.
"""

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass

_SYLLABLE_BASE, _LEAD_BASE, _VOWEL_BASE, _TAIL_BASE = 0xAC00, 0x1100, 0x1161, 0x11A7
_VOWELS, _TAILS = 21, 28

# Zero-width characters, variation selectors, and the frame of a keycap digit.
_INVISIBLE = "\u00ad\u034f\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\u20e3\u3164\ufe0e\ufe0f\ufeff"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_APOSTROPHES = "\u2018\u2019\u02bc"

# Plain ASCII and whole Korean syllables are most of any text and never change.
_UNUSUAL = re.compile(
    "[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|[ㄱ-ㅎ][ㅏ-ㅣ](?:[ㄱ-ㅎ](?![ㅏ-ㅣ]))?|[^\x00-\x7f가-힣]"
)
_LEADS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_FINALS = " ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"
_LOWER = {ord(upper): ord(upper) + 32 for upper in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


@dataclass(frozen=True)
class Folded:
    plain: str
    lower: str
    """`plain` with ASCII letters in lower case; other letters stay, so that no offset moves."""
    breaks: tuple[int, ...]
    shifts: tuple[int, ...]

    def original(self, index: int) -> int:
        """Where a position of `plain` lies in the given text."""
        place = bisect_right(self.breaks, index) - 1
        return index if place < 0 else index + self.shifts[place]


def fold(text: str) -> Folded:
    pieces: list[str] = []
    breaks: list[int] = []
    shifts: list[int] = []
    length = copied = shift = 0
    for match in _UNUSUAL.finditer(text):
        pieces.append(text[copied : match.start()])
        replacement = _replacement(match.group())
        pieces.append(replacement)
        length += match.start() - copied + len(replacement)
        copied = match.end()
        lost = len(match.group()) - len(replacement)
        if lost:
            shift += lost
            breaks.append(length)
            shifts.append(shift)
    pieces.append(text[copied:])
    plain = "".join(pieces)
    return Folded(plain, plain.translate(_LOWER), tuple(breaks), tuple(shifts))


def _replacement(found: str) -> str:
    if len(found) > 1:
        return _syllable(found)
    if found in _INVISIBLE:
        return ""
    if found in _DASHES:
        return "-"
    if found in _SPACES:
        return " "
    if found in _APOSTROPHES:
        return "'"
    if "\uff01" <= found <= "\uff5e":
        return chr(ord(found) - 0xFEE0)
    digit = unicodedata.digit(found, None)  # also circled and superscript digits
    if digit is not None:
        return str(digit)
    if "\u2460" <= found <= "\u24ff" or "\U0001d400" <= found <= "\U0001f1ff":  # enclosed and mathematical letters
        simple = unicodedata.normalize("NFKC", found).strip("()")
        return simple if len(simple) == 1 else found
    return found


def _syllable(jamo: str) -> str:
    if jamo[0] in _LEADS:  # letters as a keyboard types them one by one
        tail = _FINALS.find(jamo[2]) if len(jamo) == 3 else 0
        if tail < 0:
            return _syllable(jamo[:2]) + jamo[2]
        vowel = ord(jamo[1]) - ord("ㅏ")
        return chr(_SYLLABLE_BASE + (_LEADS.index(jamo[0]) * _VOWELS + vowel) * _TAILS + tail)
    lead, vowel = ord(jamo[0]) - _LEAD_BASE, ord(jamo[1]) - _VOWEL_BASE
    tail = ord(jamo[2]) - _TAIL_BASE if len(jamo) == 3 else 0
    return chr(_SYLLABLE_BASE + (lead * _VOWELS + vowel) * _TAILS + tail)
