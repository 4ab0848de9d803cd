"""A sentence taken apart: what it wishes, what it limits, and which clause speaks of what."""

import re

from packs.decision.brief import Option
from packs.decision.conditions import wording
from packs.decision.evidence import mention_of

_WISH_BREAK = re.compile(
    r"[;,](?![0-9])\s|\s(?:but|while|whereas|although|though)\s|(?<=지만)[\s,]|(?<=으나)[\s,]|(?<=[가-힣]고)[\s,](?!\s?(?:있|싶|나))|(?<=는데)[\s,]"
)
_CLAUSE = re.compile(
    r"[;,](?![0-9])\s|\s(?:but|and|while|whereas)\s|(?<=[가-힣]고)\s(?!(?:있|싶|나))|(?<=지만)[\s,]|(?<=며)[\s,]|(?<=으나)[\s,]"
)
_NAMING = re.compile(
    r"[;,](?![0-9])\s|\s(?:but|while|whereas)\s|(?<=지만)[\s,]|(?<=으나)[\s,]|(?<=[가-힣]고)\s(?!(?:있|싶|나))"
)
_BINDING_WORDS = re.compile(r"at most|at least|이내|이하|이상|budget|예산", re.IGNORECASE)


def without_wishes(text: str) -> str:
    """A sentence with its wishes taken out; empty when nothing binding is left.

    Where the clause that wishes also binds (경력과 무관하게 자격증은 필수), the sentence stays whole: a condition that
    is taken for a wish would be ignored.
    """
    text = _without_what_is_taken_back(text)
    if not wording.is_soft(text):
        return text
    kept = [piece for piece in _WISH_BREAK.split(text) if piece.strip() and not wording.is_soft(piece)]
    binding = [piece for piece in kept if wording.STRONG.search(piece) or _BINDING_WORDS.search(piece)]
    if binding:
        return ", ".join(kept)
    return text if wording.binds_beside_its_wish(text) else ""


def _without_what_is_taken_back(text: str) -> str:
    """`We paid at most 6,000, but that cap no longer applies`: the clause takes back the one before it."""
    pieces = [piece for piece in _WISH_BREAK.split(text) if piece.strip()]
    taken = max((i for i, piece in enumerate(pieces) if i and wording.takes_back(piece)), default=-1)
    return ", ".join(pieces[taken + 1 :]) if taken > 0 else text


def clauses_of(text: str) -> list[str]:
    return [piece.strip() for piece in _CLAUSE.split(text) if piece.strip()]


def clause_around(text: str, place: int) -> str:
    start = 0
    for found in _CLAUSE.finditer(text):
        if found.start() >= place:
            return text[start : found.start()]
        start = found.end()
    return text[start:]


def clause_naming(text: str, option: Option) -> str:
    """The clause that names the option; where it has no verb of its own (`Alpha, a bidder, is out`), the rest too."""
    at = mention_of(option, text)
    start = 0
    for found in _NAMING.finditer(text):
        if found.start() > at:
            own = text[start : found.start()]
            rest = text[found.end() :]
            others = text[start:] if len(own.split()) <= len(option.name.split()) + 1 else own
            return others if rest else own
        start = found.end()
    return text[start:]
