"""How two words relate: the same, opposites, or neither. Spelling, word formation and the lexicon, in this order."""

import re
from functools import lru_cache

from packs.claims.lexicon import Relation, kinds, lexicon, word_list, wordnet
from packs.claims.parsed import Kind, Role, Word

_SUFFIXES = re.compile(
    r"(?:ees?|ations?|itions?|sions?|tions?|ions?|ments?|ances?|ences?|ings?|ers?|ors?|als?|ives?|ities|ity|ness|ages?|ures?|ed|ly|es|s|e|y|able|ible|ists?|ism|ants?|ents?)$"
)
_NEGATIVE_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non-", "non", "de")
_KOREAN_NEGATIVE_PREFIXES = ("불", "비", "미", "무", "부")
_SPELLING = (
    ("isation", "ization"),
    ("ise", "ize"),
    ("our", "or"),
    ("centre", "center"),
    ("metre", "meter"),
    ("programme", "program"),
)


def relation(claimed: Word, found: Word, language: str) -> Relation:
    if claimed.kind is Kind.NAME or found.kind is Kind.NAME:
        return Relation.SAME if _same_name(claimed, found, language) else Relation.NONE
    known = lemma_relation(claimed.lemma, found.lemma, language)
    if known is Relation.NONE and language == "en":
        return _wordnet(claimed, found) if claimed.kind is found.kind else _derived(claimed, found)
    return known


_PARTS = {Kind.NOUN: ("n",), Kind.VERB: ("v",), Kind.QUALITY: ("a", "r")}


def _wordnet(claimed: Word, found: Word) -> Relation:
    """What WordNet says of two words of one kind, where the own lists say nothing."""
    pairs = wordnet()
    for part in _PARTS.get(claimed.kind, ()):
        known = pairs.get((part, claimed.lemma, found.lemma))
        if known is not None:
            return known
        if claimed.lemma in kinds().broader.get((part, found.lemma), ()):
            return Relation.BROADER
    return Relation.NONE


def _derived(claimed: Word, found: Word) -> Relation:
    """A sale and to sell, growth and to grow."""
    for one in _PARTS.get(claimed.kind, ()):
        for other in _PARTS.get(found.kind, ()):
            if f"{other}:{found.lemma}" in kinds().derived.get((one, claimed.lemma), ()):
                return Relation.SAME
    return Relation.NONE


def _same_name(one: Word, other: Word, language: str) -> bool:
    mine, theirs = one.lemma.lower(), other.lemma.lower()
    if mine == theirs or mine + "s" == theirs or theirs + "s" == mine:
        return True
    if language == "en" and one.role is not Role.PLACE:
        return kinds().places.get(mine, mine) == kinds().places.get(theirs, theirs)  # Danish, of Denmark
    if language != "ko" or min(len(mine), len(theirs)) < 2 or any(each.isdigit() for each in mine + theirs):
        return False
    # 코란 and 코란시, 제주 and 제주도: a name with its class behind it.
    return (mine.startswith(theirs) or theirs.startswith(mine)) and abs(len(mine) - len(theirs)) <= 2


@lru_cache(maxsize=200_000)
def lemma_relation(one: str, other: str, language: str) -> Relation:
    if one == other:
        return Relation.SAME
    known = lexicon(language).relation(one, other)
    if known is not Relation.NONE:
        return known
    return _korean(one, other) if language == "ko" else _english(one, other)


def _english(one: str, other: str) -> Relation:
    if _spelled(one) == _spelled(other):
        return Relation.SAME
    for prefix in _NEGATIVE_PREFIXES:
        if len(prefix) + 4 <= max(len(one), len(other)) and (prefix + one == other or prefix + other == one):
            return Relation.COMPLEMENT
    mine, theirs = _root(one), _root(other)
    if mine == theirs and len(mine) >= 4:
        return Relation.SAME
    return Relation.NONE


def _spelled(word: str) -> str:
    for british, american in _SPELLING:
        if word.endswith(british):
            return word.removesuffix(british) + american
    return word


def _root(word: str) -> str:
    shorter = _SUFFIXES.sub("", word)
    shorter = _SUFFIXES.sub("", shorter) if len(shorter) > 6 else shorter
    if len(shorter) > 4 and shorter[-1] == shorter[-2]:
        shorter = shorter[:-1]
    # expand / expansion, decide / decision, extend / extension
    return re.sub(r"(?:nd|ns)$", "n", shorter) if len(shorter) >= 4 else word


def _korean(one: str, other: str) -> Relation:
    for prefix in _KOREAN_NEGATIVE_PREFIXES:
        if len(one) > 1 and len(other) > 1 and (prefix + one == other or prefix + other == one):
            return Relation.COMPLEMENT
    shorter, longer = sorted((one, other), key=len)
    # The last part of a Korean compound is its head: 반달가슴곰 is a 곰.
    if (
        not one.endswith("다")
        and not other.endswith("다")
        and len(longer) > len(shorter)
        and (
            (longer.endswith(shorter) and (len(shorter) >= 2 or len(longer) >= 3))
            or (longer.startswith(shorter) and len(shorter) >= 2 and longer[len(shorter) :] in _TAILS)
        )
    ):
        return Relation.SAME
    if one.endswith("다") and other.endswith("다") and _bare(one) == _bare(other):
        return Relation.SAME
    return Relation.NONE


_TAILS = word_list("korean", "noun_endings")
_PASSIVE_VERBS = word_list("korean", "passive_verbs")


def _bare(verb: str) -> str:
    """세우다 and 세워지다, 옮기다 and 옮겨지다, 팔다 and 팔리다: the stem without its passive."""
    if verb in _PASSIVE_VERBS:
        return verb[:-2]
    return re.sub(r"(?:어지다|아지다|여지다|지다|다)$", "", verb)
