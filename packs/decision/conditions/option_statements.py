"""What prose says of several options at once: who has something and who has not.

`All vendors except Orca have passed the audit`, `Neither Verba nor Tolk has signed`, 다정을 제외한 모든 업체는 인증을
받았다. Requirements that no attribute answers are held against these statements.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from packs.decision.brief import Brief
from packs.decision.conditions import wording
from packs.decision.conditions.negation import denies
from packs.decision.evidence import Evidence, Material, mention_of, named_in, quotation, sentences
from packs.decision.naming import same_word, words_of

_EXCEPT_EN = re.compile(r"\b(?:except(?: for)?|apart from|other than|with the exception of|save|but)\s(?=[A-Z0-9])")
_ALL_EN = re.compile(r"\b(?:all|every(?:one|body)?|each|the (?:others?|rest)|both)\b", re.IGNORECASE)
_NEITHER = re.compile(r"\b(?:neither|nor|none of)\b", re.IGNORECASE)
_ONLY_EN = re.compile(r"\b(?:only|just|solely)\s(?:the\s)?$", re.IGNORECASE)
_EXCEPT_KO = re.compile(r"(?:을|를)?\s?(?:제외한|제외하고|뺀|빼고|외에는|말고는)|\s?(?:이외의|외의)")
_ALL_KO = re.compile(r"모든|모두|전부|나머지|다른")
_ONLY_KO = re.compile(r"^(?:만|뿐)")
_CLAUSES = re.compile(
    r",\s(?:and|but|while|whereas|so)\s|;\s|\s(?:but|while|whereas)\s|(?<=지만)[\s,]|(?<=으나)[\s,]|(?<=는데)[\s,]"
)


@dataclass(frozen=True)
class OptionStatement:
    """What one clause says of one option: that it is so, or that it is not."""

    option: int
    holds: bool
    text: str
    evidence: Evidence


def option_statements(material: Material) -> list[OptionStatement]:
    brief = material.brief
    found: list[OptionStatement] = []
    for passage in material.texts:
        if passage.url is not None or passage.about is not None:
            continue
        for sentence in sentences(passage.text):
            if wording.is_soft(sentence) or wording.addresses_the_reader(sentence):
                continue
            for clause in pieces_of(sentence):
                evidence = Evidence(passage.pointer, quotation(sentence))
                found += [OptionStatement(i, holds, clause, evidence) for i, holds in _said(brief, clause)]
    return found


def pieces_of(sentence: str) -> list[str]:
    return [piece for piece in _CLAUSES.split(sentence) if piece.strip()]


def _said(brief: Brief, clause: str) -> Iterator[tuple[int, bool]]:
    named = named_in(brief, clause)
    if not named:
        return
    holds = not denies(clause)
    others = [i for i in range(len(brief.options)) if i not in named]
    first = mention_of(brief.options[named[0]], clause)
    behind = clause[first + len(brief.options[named[-1]].name) :] if len(named) == 1 else ""
    if (_ALL_EN.search(clause) and _EXCEPT_EN.search(clause)) or (_ALL_KO.search(clause) and _EXCEPT_KO.search(clause)):
        # The denial is in the exception; what is left says what all the others have.
        rest = _EXCEPT_KO.sub(" ", _EXCEPT_EN.sub(" ", clause))
        yield from ((i, denies(rest)) for i in named)
        yield from ((i, not denies(rest)) for i in others)
    elif _NEITHER.search(clause):
        yield from ((i, False) for i in named)
    elif _ONLY_EN.search(clause[:first]) or _ONLY_KO.match(behind):
        yield from ((i, holds) for i in named)
        yield from ((i, not holds) for i in others)
    else:
        yield from ((i, holds) for i in named)


def is_about(topic: list[str], statement: OptionStatement) -> bool:
    """The clause speaks of the topic: it has half of its words, or two of many."""
    spoken = words_of(statement.text)
    shared = sum(any(same_word(word, each) for each in spoken) for word in topic)
    return shared > 0 and shared * 2 >= min(len(topic), 4)
