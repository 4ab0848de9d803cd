"""Two views of a text in which disguises fall away: Korean without spaces, English as single words.

A view is a string with the place of each of its characters in the folded text. A sentence ends with a line feed, so
that a pattern's dot never crosses it.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property

from packs.text.folding import Folded, fold
from packs.text.sentences import sentence_spans

# Chinese characters that advertisements use in place of Korean syllables.
_HANJA = dict(
    zip(
        "最高初大唯一無料完治保障元金收益效果藥病癌糖尿治療豫防特效成功合格確實絶對安全天然純國內世界業界位品質"
        "名醫師推薦公認證明免責責任返還不可拂返品交換手數料割引價格限定數量",
        "최고초대유일무료완치보장원금수익효과약병암당뇨치료예방특효성공합격확실절대안전천연순국내세계업계위품질"
        "명의사추천공인증명면책책임반환불가불반품교환수수료할인가격한정수량",
        strict=True,
    )
)
# Letters of other alphabets that look like Latin ones.
_LOOKALIKES = dict(
    zip("АВЕКМНОРСТХаеорсухіјѕԁցһΑΒΕΖΗΙΚΜΝΟΡΤΥΧαορνκт", "ABEKMHOPCTXaeopcyxijsdghABEZHIKMNOPTYXaopvkt", strict=True)
)
_SIGNS = {
    "❌": "없",
    "✖": "없",
    "❎": "없",
    "🚫": "없",
    "🙅": "없",
    "⛔": "없",
    "∅": "없",
    "％": "%",
    "﹪": "%",
    "🅾": "0",
    "⭕": "0",
}
# é as e: an accent on a Latin letter disguises a word more often than it spells one here.
_ACCENTS = {
    chr(code): unicodedata.normalize("NFD", chr(code))[0]
    for code in range(0xC0, 0x250)
    if len(unicodedata.normalize("NFD", chr(code))) > 1
}
_TRANSLATION = {ord(given): meant for given, meant in (_HANJA | _SIGNS | _ACCENTS).items()}

_MIXED_WORD = re.compile(r"[A-Za-z\u0370-\u03ff\u0400-\u052f]{2,40}")
_LATIN = re.compile("[A-Za-z]")
_SPLIT_WORD = re.compile(
    r"(?<![a-z])[a-z](?:([ .\-_*/|~])[a-z])(?:\1[a-z]){2,40}(?![a-z])"
    r"|(?<![a-z])[a-z](?:([.\-_*/|~])[a-z])(?:\2[a-z])(?![a-z])|(?<![a-z])a([.\-_*/|~])i(?![a-z])"
)
_WITH_DIGITS = re.compile(r"(?<![a-z0-9@$!€.,])[a-z013457@$€](?:[a-z@$!€013457]{1,30})[a-z0134579$@](?![a-z0-9@.%])")
_NUMBER_ONE = re.compile(r"(?<![a-z0-9])n0(?=[. ]{0,2}1(?![0-9]))")
_UNIT = re.compile(r"[$€]?[0-9]{1,30}[a-z]{0,4}|[a-z]{1,2}[0-9]{1,30}[a-z]?|[$€][0-9a-z]{1,3}")
_AS_LETTERS = {ord(given): meant for given, meant in zip("@$!€013457", "asieoieast", strict=True)}
# A mark between two Korean syllables without any space is decoration, or hides a word.
_BETWEEN = re.compile(
    r"(?<=[가-힣])(?:[ㅡㅣㆍᆞー〜.·・‧∙•*_~^\-/|\\♡♥+='`\"“”‘’!,;#@…&]|[\u2600-\u2610\u2612-\u2704\u2706-\u2713\u2715-\u27a0\ufe0f]"
    r"|[\U0001f300-\U0001faff]){1,3}(?=[가-힣])"
)
# (환)(불): every syllable in its own brackets.
_BRACKETED = re.compile(r"(?:[(\[{【「][가-힣][)\]}】」]){2,30}")
_BRACKET = re.compile(r"[(\[{【「)\]}】」]")
# `don't` is one word; `you'll` and `Korea's` are two.
_WORD = re.compile(
    r"[a-z\x01]+n't|[a-z\x01]+|[0-9]+(?:[.,][0-9]+)*|'(?:s|re|ve|ll|d|m)(?![a-z])|[가-힣][가-힣\s]*|[^\sa-z0-9'_-]"
)
_SPACE = re.compile(r"\s")


@dataclass(frozen=True)
class View:
    text: str
    places: tuple[int, ...]
    """For each character of `text`, where it stands in the folded text."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        return self.places[start], self.places[end - 1] + 1


def read(text: str) -> Folded:
    """The folded text, with letters of other scripts as those they stand for."""
    folded = fold(text)
    plain = folded.plain.translate(_TRANSLATION)
    if not plain.isascii():
        plain = _MIXED_WORD.sub(_unmasked, plain)
    if plain == folded.plain:
        return folded
    lower = "".join(character.lower() if "A" <= character <= "Z" else character for character in plain)
    return Folded(plain, lower, folded.breaks, folded.shifts)


def _unmasked(match: re.Match[str]) -> str:
    """A word in which Latin letters stand beside their look-alikes is meant to be read as Latin."""
    word = match.group()
    if word.isascii() or not _LATIN.search(word):
        return word
    return "".join(_LOOKALIKES.get(letter, letter) for letter in word)


_SHORT_QUESTION = 14


def _asks_itself(sentence: str) -> bool:
    """ "부작용? 없습니다": a short question and its answer are one statement."""
    return len(sentence) <= _SHORT_QUESTION and sentence.rstrip().endswith("?")


def undisguised(lower: str) -> str:
    """A sentence with words that were taken apart closed up; shorter than it was given."""
    closed = _SPLIT_WORD.sub(_closed_up, lower).replace(_FILLER, "")
    closed = _NUMBER_ONE.sub("no", _WITH_DIGITS.sub(_as_letters, closed))
    return _BETWEEN.sub("", closed)


@dataclass(frozen=True)
class Views:
    folded: Folded

    @cached_property
    def ends(self) -> tuple[int, ...]:
        spans = sentence_spans(self.folded.plain)
        return tuple(end for start, end in spans if not _asks_itself(self.folded.plain[start:end]))

    @cached_property
    def korean(self) -> View:
        """Without spaces and without marks between syllables."""
        lower = self.folded.lower
        dropped = bytearray(len(lower) + 1)
        for found in _SPACE.finditer(lower):
            dropped[found.start()] = 1
        for found in _BETWEEN.finditer(lower):
            dropped[found.start() : found.end()] = b"\x01" * (found.end() - found.start())
        for row in _BRACKETED.finditer(lower):
            for found in _BRACKET.finditer(lower, *row.span()):
                dropped[found.start()] = 1
        letters: list[str] = []
        places: list[int] = []
        start = 0
        for end in (*self.ends, len(lower)):
            for place in range(start, end):
                if not dropped[place]:
                    letters.append(lower[place])
                    places.append(place)
            letters.append("\n")
            places.append(max(0, end - 1))
            start = max(start, end)
        return View("".join(letters), tuple(places))

    @cached_property
    def english(self) -> View:
        """Words and signs with one space between them; a hyphen is a space."""
        lower = _SPLIT_WORD.sub(_closed_up, self.folded.lower)
        lower = _NUMBER_ONE.sub("no", _WITH_DIGITS.sub(_as_letters, lower))
        pieces = [" "]
        places = [0]
        ends = iter((*self.ends, len(lower)))
        stop = next(ends)
        for found in _WORD.finditer(lower):
            while found.start() >= stop:
                pieces.append("\n ")
                places += [max(0, stop - 1)] * 2
                stop = next(ends, len(lower) + 1)
            word = found.group()
            if word >= "가":
                pieces.append("… ")  # Korean words keep English ones apart
                places += [found.start()] * 2
                continue
            kept: range | list[int] = range(*found.span())
            if _FILLER in word:
                kept = [place for place in kept if lower[place] != _FILLER]
                word = word.replace(_FILLER, "")
            if word:
                pieces.append(word + " ")
                places.extend(kept)
                places.append(kept[-1])
        pieces.append("\n")
        places.append(max(0, len(lower) - 1))
        return View("".join(pieces), tuple(places))


_FILLER = "\u0001"
_FEWEST_LETTERS = 2


def _closed_up(match: re.Match[str]) -> str:
    """`g.u.a.r.a.n.t.e.e` as one word; fillers keep the offsets."""
    return match.group().replace(match[1] or match[2] or match[3], _FILLER)


def _as_letters(match: re.Match[str]) -> str:
    """`gu@r4nt33` as it is meant. A unit (`10kg`), a price or a model number stays."""
    word = match.group()
    if word.isalpha() or _UNIT.fullmatch(word) or sum("a" <= letter <= "z" for letter in word) < _FEWEST_LETTERS:
        return word
    return word.translate(_AS_LETTERS)
