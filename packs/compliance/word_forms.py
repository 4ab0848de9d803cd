"""The written forms of a dictionary word, so that a rule names `사라지-` or `melt-` once.

Matching runs over the forms and needs no analyser: a rulebook has a few thousand of them, and a text of 100,000
characters is searched for all in a fraction of a second. An analyser takes four seconds for that text.
"""

from collections.abc import Iterator
from functools import lru_cache

_BASE, _VOWELS, _TAILS = 0xAC00, 21, 28
_NO_TAIL, _N, _R, _B, _SS, _S, _D, _M = 0, 4, 8, 17, 20, 19, 7, 16
_A, _AE, _YA, _EO, _E, _YEO, _O, _WA, _OE, _WAE, _U, _WO, _EU, _I, _WI = (
    0,
    1,
    2,
    4,
    5,
    6,
    8,
    9,
    11,
    10,
    13,
    14,
    18,
    20,
    16,
)
_BRIGHT = frozenset({_A, _YA, _O})
# Vowels that swallow the 어 of an ending, and what both become.
_CONTRACTED = {_A: _A, _AE: _AE, _EO: _EO, _E: _E, _YEO: _YEO, _O: _WA, _U: _WO, _I: _YEO, _OE: _WAE, _EU: _EO}

_IRREGULAR = {
    "be": ("be", "is", "are", "was", "were", "been", "being"),
    "bring": ("bring", "brings", "brought", "bringing"),
    "buy": ("buy", "buys", "bought", "buying"),
    "choose": ("choose", "chooses", "chose", "chosen", "choosing"),
    "find": ("find", "finds", "found", "finding"),
    "forget": ("forget", "forgets", "forgot", "forgotten"),
    "get": ("get", "gets", "got", "getting", "gotten"),
    "give": ("give", "gives", "gave", "given", "giving"),
    "go": ("go", "goes", "went", "gone", "going"),
    "hide": ("hide", "hides", "hid", "hidden", "hiding"),
    "keep": ("keep", "keeps", "kept", "keeping"),
    "lend": ("lend", "lends", "lent", "lending"),
    "lose": ("lose", "loses", "lost", "losing"),
    "make": ("make", "makes", "made", "making"),
    "pay": ("pay", "pays", "paid", "paying"),
    "read": ("read", "reads", "reading"),
    "say": ("say", "says", "said", "saying"),
    "sell": ("sell", "sells", "sold", "selling"),
    "send": ("send", "sends", "sent", "sending"),
    "shrink": ("shrink", "shrinks", "shrank", "shrunk", "shrinking"),
    "take": ("take", "takes", "took", "taken", "taking"),
    "tell": ("tell", "tells", "told", "telling"),
    "throw": ("throw", "throws", "threw", "thrown", "throwing"),
    "win": ("win", "wins", "won", "winning"),
    "write": ("write", "writes", "wrote", "written", "writing"),
}


@lru_cache(maxsize=10_000)
def forms(word: str) -> tuple[str, ...]:
    """All forms of a word marked with `-` at its end; any other word is its own only form."""
    if not word.endswith("-") or word == "-":
        return (word,)
    stem = word[:-1]
    return tuple(dict.fromkeys(_korean(stem) if "가" <= stem[-1:] <= "힣" else _english(stem)))


def _korean(stem: str) -> Iterator[str]:
    """The stem as endings change it. Endings themselves follow it and need not be written."""
    yield stem
    before, code = stem[:-1], ord(stem[-1]) - _BASE
    lead, vowel, tail = code // (_VOWELS * _TAILS), code // _TAILS % _VOWELS, code % _TAILS

    def syllable(vowel: int, tail: int = _NO_TAIL, lead: int = lead) -> str:
        return before + chr(_BASE + (lead * _VOWELS + vowel) * _TAILS + tail)

    if tail == _NO_TAIL:
        yield from (syllable(vowel, final) for final in (_N, _R, _B, _M))
        joined = _CONTRACTED.get(vowel, vowel)
        if vowel == _EU and before and _is_bright(before[-1]):
            joined = _A
        yield from (syllable(joined), syllable(joined, _SS))
        if stem[-1] == "하":
            yield from (before + "해", before + "했")
        if stem[-1] == "르" and before:
            yield from _doubled_r(before)
    elif tail == _R:  # 팔다: 파는, 팝니다
        yield from (syllable(vowel), syllable(vowel, _N), syllable(vowel, _B))
    elif tail == _B:  # 가볍다: 가벼운, 가벼워
        yield from (syllable(vowel) + ending for ending in ("우", "운", "울", "워", "웠", "와", "왔"))
    elif tail == _S:  # 낫다: 나은, 나아
        yield from (syllable(vowel) + ending for ending in ("으", "은", "을", "아", "았", "어", "었"))
    elif tail == _D:  # 듣다: 들은, 들어
        yield syllable(vowel, _R)


def _doubled_r(before: str) -> Iterator[str]:
    """오르다: 올라, 올랐다."""
    code = ord(before[-1]) - _BASE
    if code % _TAILS == _NO_TAIL:
        with_r = before[:-1] + chr(_BASE + code + _R)
        yield from (with_r + ending for ending in (("라", "랐") if _is_bright(before[-1]) else ("러", "렀")))


def _is_bright(syllable: str) -> bool:
    return (ord(syllable) - _BASE) // _TAILS % _VOWELS in _BRIGHT


def _english(word: str) -> Iterator[str]:
    """Of several words the last is inflected: `side_effect-`."""
    *first, last = word.split("_")
    for form in _IRREGULAR.get(last) or _regular(last):
        yield "_".join((*first, form))


def _regular(word: str) -> Iterator[str]:
    yield word
    if word.endswith("e"):
        yield from (word + "s", word + "d", word[:-1] + "ing")
    elif word.endswith("y") and word[-2:-1] not in "aeiou":
        yield from (word[:-1] + "ies", word[:-1] + "ied", word + "ing")
    elif word.endswith(("s", "x", "ch", "sh", "z")):
        yield from (word + "es", word + "ed", word + "ing")
    else:
        yield from (word + "s", word + "ed", word + "ing")
        if len(word) > 2 and word[-1] not in "aeiouwxy" and word[-2] in "aeiou" and word[-3] not in "aeiou":
            yield from (word + word[-1] + "ed", word + word[-1] + "ing")
