"""Grades in order: which of A, B and C satisfy `B or better`, B 등급 이상, `nothing below B`."""

import re
from collections.abc import Collection

from packs.decision.conditions.negation import denies

Rank = tuple[str, float]
_GRADE = re.compile(
    r"(?<![A-Za-z0-9가-힣])(?:A{1,3}|B{1,3}|[C-G])[+-]?(?![A-Za-z0-9])|(?<![0-9])[1-9]\s?(?:등급|급)"
    r"|(?i:\b(?:platinum|gold|silver|bronze)\b)"
)
# Best first. A grade with a sign stands between its neighbours: A+ before A before A-.
_LETTERS = re.compile(r"^(?P<letters>A{1,3}|B{1,3}|[C-G])(?P<sign>[+-]?)(?:\s?등급)?$")
_NUMBERED = re.compile(r"^(?:grade |class |level )?(?P<number>[1-9])\s?(?:등급|급|st class|nd class)?$", re.IGNORECASE)
_WORDS = ("platinum", "gold", "silver", "bronze")
_BETTER_BEHIND = re.compile(
    r"^\s?(?:등급\s?)?(?:or|and) (?:better|above|higher|up)\b|^\s?(?:등급\s?)?(?:은|는)?\s?(?:이상|보다\s?(?:높|좋"
    r"|나은))",
    re.IGNORECASE,
)
_WORSE_BEHIND = re.compile(
    r"^\s?(?:등급\s?)?(?:or|and) (?:worse|below|lower)\b|^\s?(?:등급\s?)?(?:은|는)?\s?(?:미만|이하|보다\s?(?:낮"
    r"|나쁜|못|떨어)|에\s?못\s?미)",
    re.IGNORECASE,
)
_BETTER_BEFORE = re.compile(
    r"\b(?:at least|(?:a )?minimum(?: of)?|no(?:t|thing)? (?:worse|lower|less) than|no(?:t|thing)? (?:below|under)"
    r"|better than|above)"
    r"\s(?:a |an |grade |class |level |rating )*$|(?:최소|적어도)\s?$",
    re.IGNORECASE,
)
_WORSE_BEFORE = re.compile(
    r"\b(?:below|under|worse than|lower than|less than|short of)\s(?:a |an |grade |class |level |rating )*$",
    re.IGNORECASE,
)
_EXCLUSIVE = re.compile(r"미만|보다|below|under|than|short of|못\s?미|above", re.IGNORECASE)
_INCLUSIVE = re.compile(r"at least|minimum|no(?:t|thing)? (?:worse|lower|less|below|under)", re.IGNORECASE)


def allowed_grades(text: str, given: Collection[str]) -> tuple[str, ...] | None:
    """Those of the given grades that the sentence lets pass; None where they have no order or are not compared."""
    ranks = {each: rank for each in given if (rank := _rank(each)) is not None}
    if len(ranks) < max(2, len(given)) or len({scale for scale, _ in ranks.values()}) != 1:
        return None
    for found in _GRADE.finditer(text):
        own = _rank(found.group())
        passes = None if own is None else _passing(text[: found.start()], text[found.end() :], own, ranks)
        if passes is not None and len(passes) < len(ranks):
            return passes
    return None


def _passing(before: str, behind: str, own: Rank, ranks: dict[str, Rank]) -> tuple[str, ...] | None:
    better = _BETTER_BEFORE.search(before) or _BETTER_BEHIND.match(behind)
    worse = None if better else _WORSE_BEFORE.search(before) or _WORSE_BEHIND.match(behind)
    compared = better or worse
    if compared is None or (better and denies(behind)):
        return None
    inclusive = _INCLUSIVE.search(compared.group()) is not None or _EXCLUSIVE.search(compared.group()) is None
    # What is said of the worse ones is a refusal, whatever the verb: nobody rules out the good.
    own_passes = inclusive if better else not inclusive
    return tuple(
        each
        for each, (scale, place) in ranks.items()
        if scale == own[0] and (place < own[1] or (own_passes and place == own[1]))
    )


def _rank(grade: str) -> Rank | None:
    """The scale a grade belongs to, and its place on it: the lower, the better."""
    plain = grade.strip()
    if found := _LETTERS.match(plain.upper()):
        letters, sign = found["letters"], found["sign"]
        place = (ord(letters[0]) - ord("A")) * 10 - (len(letters) - 1) * 3
        return "letters", place + {"+": -1, "": 0, "-": 1}[sign]
    if found := _NUMBERED.match(plain):
        return "numbers", float(found["number"])
    return ("words", float(_WORDS.index(plain.lower()))) if plain.lower() in _WORDS else None
