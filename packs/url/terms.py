"""What a question asks about: its terms, each with how much it tells and with its spellings in Hangul and in Latin.

Korean is taken apart into morphemes, so that particles and endings are never part of a term; English words are compared
by their dictionary form. Stop words are left out, general words count little, names count most.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby, product

from packs.text.morphemes import Morpheme, english_lemma, morphemes
from packs.url.word_lists import (
    Spellings,
    english_of,
    general_words,
    korean_general_words,
    korean_of,
    korean_stop_words,
    other_stop_words,
    stop_words,
)

MAX_TERMS = 40
_MAX_SPELLINGS = 64

WORD = re.compile(r"[^\W_]+(?:['’.+#&-][^\W_]+)*[+#]*")
LATIN_WORD = re.compile("[A-Za-z\u00c0-\u024f]+")
HANGUL = re.compile("[가-힣]")
UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff]{2,}")
_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)*")
_NOUNS = frozenset({"NNG", "NNP", "XR", "XPN", "XSN", "SL", "SN", "SH"})
# A time, or the reader's own country, tells little of a subject, though it is written like a name.
_GENERAL_NAMES = frozenset(
    {"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november"}
    | {"december", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
    | {"south", "north", "west", "east", "korea", "korean"}
)


class Kind(StrEnum):
    NAME = "name"
    NUMBER = "number"
    WORD = "word"
    GENERAL = "general"


WEIGHTS = {Kind.NAME: 1.5, Kind.NUMBER: 0.6, Kind.WORD: 1.0, Kind.GENERAL: 0.3}


@dataclass(frozen=True)
class Term:
    text: str
    """As the question has it: dictionary form, particles removed."""
    kind: Kind
    hangul: Spellings = ()
    """Rows of morphemes, which pages write with or without spaces between them."""
    latin: Spellings = ()
    """Rows of dictionary forms, which stand near each other."""
    is_hangul: bool = False
    """The question has it in Hangul; Latin spellings are then the dictionary's."""

    @property
    def weight(self) -> float:
        return WEIGHTS[self.kind]


def terms_of(question: str) -> tuple[Term, ...]:
    """Distinct, in order of appearance."""
    found: dict[str, Term] = {}
    phrases = _korean_of_phrases(question)
    for term in _korean(question) if HANGUL.search(question) else _spaced(question):
        in_phrases = () if term.is_hangul else phrases.get(term.text, ())
        found.setdefault(term.text, replace(term, hangul=term.hangul + in_phrases))
    for run in UNSPACED.findall(question):
        # Japanese and Chinese have no spaces: neighbouring characters stand for words.
        for start in range(len(run) - 1):
            found.setdefault(run[start : start + 2], Term(run[start : start + 2], Kind.WORD))
    return tuple(found.values())[:MAX_TERMS]


def _spaced(question: str) -> Iterator[Term]:
    for match in WORD.finditer(question):
        word = match.group()
        if _NUMBER.fullmatch(word):
            yield _number(word)
        elif len(word) > 1 and not UNSPACED.search(word) and not _is_stop_word(word):
            begins_sentence = question[: match.start()].rstrip()[-1:] in ("", ".", "!", "?", ":")
            is_name = word[0].isupper() and not (begins_sentence and word[1:].islower())
            yield _latin_term(word, is_name=is_name)


def _number(digits: str) -> Term:
    """One digit stands on every page."""
    return Term(digits, Kind.NUMBER if len(digits) > 1 else Kind.GENERAL)


def _korean_of_phrases(question: str) -> Mapping[str, Spellings]:
    """For words that are part of a phrase the dictionary has: `bank` and `korea` of `Bank of Korea`, 한국은행."""
    words = [english_lemma(word) for word in LATIN_WORD.findall(question) if not _is_stop_word(word)]
    found: dict[str, Spellings] = {}
    for length in (2, 3):
        for start in range(len(words) - length + 1):
            phrase = tuple(words[start : start + length])
            for word in phrase:
                found[word] = found.get(word, ()) + korean_of().get(" ".join(phrase), ())
    return found


def _is_stop_word(word: str) -> bool:
    spellings = {word.lower(), english_lemma(word)}
    return not spellings.isdisjoint(stop_words()) or not spellings.isdisjoint(other_stop_words())


def _latin_term(word: str, *, is_name: bool) -> Term:
    lemma = english_lemma(word)
    kind = Kind.NAME if is_name else Kind.GENERAL if lemma in general_words() else Kind.WORD
    if lemma in _GENERAL_NAMES:
        kind = Kind.GENERAL
    return Term(lemma, kind, hangul=korean_of().get(lemma, ()), latin=((lemma,),))


def _korean(question: str) -> Iterator[Term]:
    for chain in _noun_chains(question):
        for is_hangul, group in groupby(chain, key=lambda noun: bool(HANGUL.search(noun.form))):
            nouns = list(group)
            yield from _hangul_terms(nouns) if is_hangul else _terms_beside_hangul(nouns)


def _noun_chains(question: str) -> Iterator[list[Morpheme]]:
    """Runs of nouns without a space between them: `기준금리` is one term."""
    chain: list[Morpheme] = []
    for morpheme in morphemes(question):
        if chain and (morpheme.tag not in _NOUNS or morpheme.start > chain[-1].end):
            yield chain
            chain = []
        if morpheme.tag in _NOUNS:
            chain.append(morpheme)
    if chain:
        yield chain


def _terms_beside_hangul(nouns: list[Morpheme]) -> Iterator[Term]:
    for noun in nouns:
        if noun.tag == "SN":
            yield _number(noun.form)
        elif noun.tag == "SL" and not _is_stop_word(noun.form):
            yield _latin_term(noun.form, is_name=noun.form[0].isupper())


def _hangul_terms(nouns: list[Morpheme]) -> Iterator[Term]:
    while len(nouns) > 1 and nouns[-1].tag == "XSN" and "".join(noun.form for noun in nouns) not in english_of():
        # `스페인산`, `시간당`: what is asked about stands before the suffix.
        nouns = nouns[:-1]
    forms = tuple(noun.form for noun in nouns)
    text = "".join(forms)
    if text in korean_stop_words() or (len(text) < 2 and text not in english_of()):
        return
    has_name = any(noun.tag == "NNP" for noun in nouns) and text not in english_of()
    # One syllable stands for many things.
    is_general = len(text) == 1 or text in korean_general_words()
    kind = Kind.GENERAL if is_general else Kind.NAME if has_name else Kind.WORD
    yield Term(text, kind, (forms,), _english_spellings(forms), is_hangul=True)


def _english_spellings(forms: tuple[str, ...]) -> Spellings:
    """Of the whole term, else of its longest known beginning and the rest: `해상풍력` and `단지`."""
    known = english_of()
    whole = "".join(forms)
    if whole in known or not forms:
        return known.get(whole, ())
    for end in range(len(forms) - 1, 0, -1):
        beginning = known.get("".join(forms[:end]))
        if beginning:
            rest = _english_spellings(forms[end:])
            rows = [first + second for first, second in product(beginning, rest)] if rest else list(beginning)
            return tuple(rows[:_MAX_SPELLINGS])
    # `올리브유` is 올리브 and one syllable more.
    return _english_spellings(forms[1:]) or (known.get(whole[:-1], ()) if len(whole) > 2 else ())
