"""One thing under two names among the options: an abbreviation, a legal form, or because the text says so."""

import re

from packs.decision.aliases import LEGAL_FORMS
from packs.decision.brief import Option, normalise
from packs.decision.evidence import Material, mention_of, sentences
from packs.url.transliteration import stands_for

_SAME = re.compile(
    r"\b(?:the same (?:company|vendor|product|thing|supplier|service|person)|also known as|a\.?k\.?a\.?|formerly"
    r"|renamed|(?:is|are) (?:just )?(?:another name|one and the same)|stands for|short for|identical)\b"
    r"|같은\s?(?:회사|업체|제품|곳|사람|것)|동일\s?(?:한|업체|회사)|옛\s?이름|구\s?명칭|약칭|줄임말|사명을?\s?변경",
    re.IGNORECASE,
)


def same_options(material: Material) -> list[tuple[int, int]]:
    """Pairs (first, later) that name one thing. A pair with different values under one attribute is never one."""
    brief = material.brief
    equating = [text for passage in material.texts for text in sentences(passage.text) if _SAME.search(text)]
    pairs = []
    for later in range(len(brief.options)):
        for first in range(later):
            one, other = brief.options[first], brief.options[later]
            alike = _one_name(one.name, other.name) or _said_to_be_one(equating, one, other)
            if alike and not _differ(one, other):
                pairs.append((first, later))
                break
    return pairs


def _one_name(one: str, other: str) -> bool:
    first, second = _core(one), _core(other)
    if not first or not second:
        return False
    if first == second or _is_abbreviation(first, second) or _is_abbreviation(second, first):
        return True
    return _in_two_scripts(first, second) or _in_two_scripts(second, first)


def _core(name: str) -> str:
    return re.sub(r"[^\w가-힣]+", " ", LEGAL_FORMS.sub(" ", normalise(name))).strip()


def _is_abbreviation(short: str, long: str) -> bool:
    words = long.split()
    squeezed = short.replace(" ", "")
    if len(words) < 2 or not 2 <= len(squeezed) <= 8:
        return False
    return squeezed == "".join(word[0] for word in words) or _made_of_beginnings(squeezed, words)


def _made_of_beginnings(short: str, words: list[str]) -> bool:
    """FedEx is Federal Express: at least two letters of every word, in their order."""
    if not words:
        return not short
    first, *rest = words
    return any(
        short.startswith(first[:size]) and _made_of_beginnings(short[size:], rest) for size in range(2, len(first) + 1)
    )


def _in_two_scripts(korean: str, latin: str) -> bool:
    """마이크로소프트 is Microsoft, word by word."""
    ours, theirs = korean.split(), latin.split()
    return len(ours) == len(theirs) and all(stands_for(one, other) for one, other in zip(ours, theirs, strict=True))


def _said_to_be_one(sentences_equating: list[str], one: Option, other: Option) -> bool:
    return any(mention_of(one, sentence) >= 0 and mention_of(other, sentence) >= 0 for sentence in sentences_equating)


def _differ(one: Option, other: Option) -> bool:
    mine = {normalise(key): value for key, value in one.attributes.items()}
    return any(
        normalise(key) in mine and str(mine[normalise(key)]) != str(value) for key, value in other.attributes.items()
    )
