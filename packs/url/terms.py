"""The words of a question, and how far a page speaks of them. Deterministic, in Korean and in Latin script.

Korean particles are glued to their word, so a Korean term is looked for as a piece of text once its ending is
cut; Latin words are compared by a plain stem.
"""

import re
from dataclasses import dataclass

_TOKEN = re.compile(r"[가-힣]+|[a-z][a-z0-9]*(?:[.+#-][a-z0-9]+)*|[0-9]+(?:[.,][0-9]+)*", re.IGNORECASE)
_HANGUL = re.compile(r"[가-힣]")

# Longest first: `에서는` before `는`.
_ENDINGS = re.compile(
    r"(?:하였나요|했나요|되었나요|됐나요|바뀌었나요|인가요|하나요|할까요|될까요|나요|까요|입니까|습니까|에서는|으로는|에게는|"
    r"에서|에게|으로|부터|까지|보다|처럼|이나|라고|이란|하는|되는|하고|해야|하면|은|는|이|가|을|를|의|에|와|과|로|도|만|란)$"
)
_STOPWORDS = frozenset(
    re.findall(
        r"\S+",
        """
        a an and are as at be been but by can could did do does for from had has have how i if in into is it its
        may more most must no not of on one or our should so than that the their then there these they this those
        to under up was we were what when where which who why will with would you your
        어떻게 어떤 무엇 무엇을 언제 어디 어디서 누가 누구 얼마 얼마나 왜 어느 및 또는 그리고 그러나 대한 대해 대하여
        관한 위한 있는 있나 없는 것 수 등 더 가장 우리 저희 경우 통해 따라
        """,
    )
)


@dataclass(frozen=True)
class Term:
    text: str
    is_hangul: bool


def terms_of(question: str) -> tuple[Term, ...]:
    """Distinct, in order; words that carry no subject are left out."""
    found: dict[Term, None] = {}
    for token in _TOKEN.findall(question.lower()):
        if token in _STOPWORDS:
            continue
        is_hangul = bool(_HANGUL.match(token))
        stem = _korean_stem(token) if is_hangul else _latin_stem(token)
        if len(stem) >= 2 and stem not in _STOPWORDS:
            found[Term(stem, is_hangul)] = None
    return tuple(found)


def matched(terms: tuple[Term, ...], text: str) -> tuple[Term, ...]:
    """Those of the terms that the text speaks of."""
    lowered = text.lower()
    stems = {_latin_stem(token) for token in _TOKEN.findall(lowered)}
    return tuple(term for term in terms if (term.text in lowered if term.is_hangul else term.text in stems))


def judged_across(terms: tuple[Term, ...], language: str | None) -> bool:
    """Whether these terms can be looked for in a page of that language at all: a Korean question says
    nothing about an English page, and silence is not irrelevance."""
    return any(term.is_hangul == (language == "ko") for term in terms) or any(term.text[0].isdigit() for term in terms)


def _korean_stem(token: str) -> str:
    stem = _ENDINGS.sub("", token)
    return stem if len(stem) >= 2 else token


def _latin_stem(token: str) -> str:
    if len(token) <= 4 or not token.isalpha():
        return token
    for ending in ("ies", "ing", "ed", "es", "s"):
        if token.endswith(ending) and len(token) - len(ending) >= 3 and not token.endswith("ss"):
            return token[: -len(ending)] + ("y" if ending == "ies" else "")
    return token
