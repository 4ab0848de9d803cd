"""Korean and English words taken apart: form, lemma, part of speech and place.

Korean is read by Kiwi, whose statistical model takes about four seconds and 330 MB to load. It is loaded at its first
use, or by `preload` in a process that is about to fork: the children then share the parent's pages. Text without
Hangul never needs it.
"""

import functools
import re
import warnings
from dataclasses import dataclass

from kiwipiepy import Kiwi
from simplemma import lemmatize

MAX_CHARS = 100_000
"""What lies behind is not analysed: about 40 microseconds per character is the price."""
_MAX_WORD_CHARS = 40

_HANGUL = re.compile("[가-힣ㄱ-ㅎㅏ-ㅣ]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_TOKEN = re.compile(r"(?P<SL>[A-Za-z\u00c0-\u024f]+(?:'[A-Za-z]{1,3})?)|(?P<SN>[0-9]+(?:[.,][0-9]+)*)|(?P<SW>\S)")
_WRITTEN_WORD = re.compile("[가-힣]{2,20}")
PARTICLES = frozenset(
    ("은", "는", "이", "가", "을", "를", "에", "의", "와", "과", "도", "로", "으로", "에서", "에게", "에게서", "께서",
     "만", "까지", "부터", "보다", "이나", "나", "한테", "처럼", "마다", "이며", "이고")
)  # fmt: skip
# 이 씨, 박 대표: a family name alone, which the analyser takes for "this" or for a measure.
_SURNAME = re.compile(
    "(?<![가-힣])[김이박최정강조윤장임한오서신권황안송류홍전고문손배백허남심노하곽성차주우구민유진지엄채원방공현함변염]"
    "(?= (?:씨|대표|과장|대리|이사|부장|차장|사장|회장|교수|박사|후보|의원|장관|총리|감독|선수|변호사|판사|검사"
    "|원장|팀장|국장|시장|행장|부행장|기자|작가|위원장|총장|소장|센터장)(?![가-힣]{3}))"
)
_NAME_TAGS = frozenset({"NNG", "NNP", "XPN", "XSN", "SL", "SN", "NR"})
_MAX_NAMES = 200
_SENTENCE_MARKS = frozenset(".!?")


@dataclass(frozen=True, slots=True)
class Morpheme:
    """One morpheme. `tag` is from the Sejong set (NNG, VV, EF, SL, SN …); verbs have their dictionary form as lemma.

    Contracted morphemes share characters: in `됩니다` the stem and the ending overlap.
    """

    form: str
    lemma: str
    tag: str
    start: int
    end: int


def morphemes(text: str, names: frozenset[str] = frozenset()) -> list[Morpheme]:
    """The morphemes of the text, of its first `MAX_CHARS` characters, in order; spans point into `text`.

    `names`: words that the dictionary may not know, each read as one name where a word of the text begins with it.
    """
    head = text[:MAX_CHARS]
    if _HANGUL.search(head) is None:
        return _without_hangul(head)
    known = [
        (word.start(), word.start() + len(name), "NNP")
        for word in (_WRITTEN_WORD.finditer(head) if names else ())
        if (name := _name_at(word.group(), names))
    ]
    known += [
        (match.start(), match.start() + 1, "NNP")
        for match in _SURNAME.finditer(head)
        if not any(start <= match.start() < end for start, end, _ in known)
    ]
    tokens = _kiwi().tokenize(_SURROGATE.sub("\ufffd", head), pretokenized=known or None)
    return [
        Morpheme(token.form, _lemma(token.form, token.lemma, token.tag), token.tag, token.start, token.end)
        for token in tokens
    ]


def _name_at(word: str, names: frozenset[str]) -> str:
    """The longest name that the word begins with, whole or with a particle behind it."""
    for end in range(len(word), 1, -1):
        if word[:end] in names and (end == len(word) or word[end:] in PARTICLES):
            return word[:end]
    return ""


def inconsistent_names(text: str) -> frozenset[str]:
    """Words that stand with several particles and that the analyser cuts in several ways: names it does not know."""
    endings: dict[str, set[str]] = {}
    for match in _WRITTEN_WORD.finditer(text):
        word = match.group()
        for particle in PARTICLES:
            stem = word.removesuffix(particle)
            if len(stem) >= 2 and stem != word:
                endings.setdefault(stem, set()).add(word)
    found: set[str] = set()
    for stem, words in endings.items():
        if len(words) > 1 and len(found) < _MAX_NAMES:
            read = {"".join(each.form for each in morphemes(word) if each.tag in _NAME_TAGS) for word in sorted(words)}
            if read != {stem} or _is_cut_up(stem):
                found.add(stem)
    # 한빛마린이 beside 한빛마린: of two that begin alike the shorter one is the name.
    return frozenset(name for name in found if not any(other != name and name.startswith(other) for other in found))


def proper_names(text: str) -> frozenset[str]:
    """What the analyser takes for a name somewhere: it is one where the analyser cuts it up as well."""
    starts = {match.start() for match in _WRITTEN_WORD.finditer(text)}
    return frozenset(
        unit.form for unit in morphemes(text) if unit.tag == "NNP" and len(unit.form) > 1 and unit.start in starts
    )


def _is_cut_up(stem: str) -> bool:
    """Whether the analyser sees no noun, or one syllable of one: 노 + 박. 연장 + 안 is a noun."""
    first = morphemes(stem)[0]
    return first.tag not in ("NNG", "NNP") or len(first.form) < 2


def english_lemma(word: str) -> str:
    """`guaranteed` is guarantee, `refunds` is refund. A word nobody knows stays as it is, in lower case."""
    lower = word.lower()
    return _english_lemma(lower) if len(lower) <= _MAX_WORD_CHARS and "'" not in lower else lower


def preload() -> None:
    """Load both dictionaries now. A worker calls this before it forks."""
    _kiwi().tokenize("준비")
    english_lemma("prepared")


@functools.cache
def _kiwi() -> Kiwi:
    with warnings.catch_warnings():
        # Kiwi warns that zero changed its meaning in 0.21. Zero is meant: threads of its own would not survive a fork.
        warnings.simplefilter("ignore", DeprecationWarning)
        # The names of the multi-word dictionary cost 190 MB and change no claim.
        return Kiwi(num_workers=0, load_multi_dict=False)


@functools.lru_cache(maxsize=20_000)
def _english_lemma(lower: str) -> str:
    return lemmatize(lower, lang="en").lower()


def _lemma(form: str, lemma: str, tag: str) -> str:
    return english_lemma(form) if tag == "SL" else lemma


def _without_hangul(text: str) -> list[Morpheme]:
    found = []
    for match in _TOKEN.finditer(text):
        form, tag = match.group(), match.lastgroup or "SW"
        if form in _SENTENCE_MARKS:
            tag = "SF"
        found.append(Morpheme(form, _lemma(form, form, tag), tag, match.start(), match.end()))
    return found
