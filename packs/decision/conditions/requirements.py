"""What an option has to have, or must not have: a yes-or-no attribute, a word among its values, or something that only
its description speaks of.
"""

import re
from collections.abc import Iterator

from packs.decision.brief import Brief, normalise
from packs.decision.conditions import wording
from packs.decision.conditions.clauses import clause_around
from packs.decision.conditions.model import Constraint, Sentence
from packs.decision.conditions.negation import denies
from packs.decision.evidence import Evidence, quotation, sentences
from packs.decision.facts import FactBook
from packs.decision.naming import overlap, place_of, same_word, words_of
from packs.decision.readings import Flag, says_not_known

_LONGEST_VALUE_CHARS = 60
# Having these is never what a condition forbids, however often the sentence denies: nobody rules out the certified.
_WANTED = re.compile(
    r"\b(?:certif\w+|licen[cs]\w*|permits?|accredit\w+|insur\w+|approv\w+|support\w*|warrant\w+|guarantee\w*|iso|haccp|sso|gdpr"
    r"|encrypt\w*|backup|registration|registered|qualif\w+|clearance|audit\w*|compliant|compliance)\b"
    r"|인증|면허|허가|자격|보험|보증|승인|등록|지원|검사|신고|이수|수료",
    re.IGNORECASE,
)
_DENYING_PREFIX = re.compile(r"\b(?:un|non-?)(?P<word>[a-z]{4,})", re.IGNORECASE)
_FUNCTION_WORDS = frozenset(
    [
        "only",
        "not",
        "also",
        "must",
        "no",
        "yes",
        "without",
        "with",
        "and",
        "or",
        "per",
        "all",
        "any",
        "same",
        "own",
        "other",
    ]
)


class RequirementReader:
    def __init__(self, brief: Brief, book: FactBook) -> None:
        self.brief, self.book = brief, book
        self._words = _distinguishing_words(book)

    def read(self, text: str, given: Sentence) -> Iterator[Constraint]:
        if given.pointer == self.brief.question_pointer:
            return
        text = self._without_prefixes(text)
        flags = self._flags(text, given)
        value = self._value(text, given)
        if flags and value is not None and value.subject not in {each.subject for each in flags}:
            # One sentence may require two things, each in a clause of its own.
            own = clause_around(text, place_of(value.values[0], text))
            flags += [value] if wording.is_hard(own) and all(overlap(each.subject, own) < 0.5 for each in flags) else []
        found = flags or [each for each in (value or self._described(text, given),) if each is not None]
        yield from found

    def read_beside(self, text: str, given: Sentence) -> Iterator[Constraint]:
        """What else a sentence requires that was read as something already: yes-or-no attributes, whole values."""
        if not text:
            return
        found = self._flags(text, given)
        whole = self._whole_values(text)
        if whole is not None and whole[0] not in {each.subject for each in found}:
            evidence = Evidence(given.pointer, quotation(text))
            values = tuple(whole[1])
            found.append(Constraint("value", evidence, whole[0], text, wanted=not denies(text), values=values))
        yield from found

    def _flags(self, text: str, given: Sentence) -> list[Constraint]:
        """The yes-or-no attribute that is spoken of most, and every other one that is named in full."""
        spoken = [name for name in self.book.attributes if self._has_flags(name) and overlap(name, text) >= 0.5]
        if not spoken:
            return []
        best = max(spoken, key=lambda name: (overlap(name, text), len(name)))
        evidence = Evidence(given.pointer, quotation(text))
        return [
            Constraint("required", evidence, name, text, wanted=_WANTED.search(name) is not None or not denied)
            for name in spoken
            if name == best or overlap(name, text) >= 1
            for denied in (denies(text, place_of(name, text)),)
        ]

    def _value(self, text: str, given: Sentence) -> Constraint | None:
        """Whole values first (`an A licence`, 1급 자격증), then single words of longer ones."""
        whole = self._whole_values(text)
        if whole:
            subject, values = whole
        else:
            spoken = words_of(text)
            found = [(word, name) for word, name in self._words if any(same_word(word, each) for each in spoken)]
            if not found:
                return None
            subject = found[0][1]
            values = [word for word, name in found if name == subject]
        at = max(normalise(text).find(normalise(values[0])), 0)
        evidence = Evidence(given.pointer, quotation(text, at))
        return Constraint("value", evidence, subject, text, wanted=not denies(text), values=tuple(values))

    def _whole_values(self, text: str) -> tuple[str, list[str]] | None:
        """A value of an attribute that the sentence names stands in it as it was given, and not everybody has it."""
        for name in sorted(self.book.attributes, key=lambda each: -overlap(each, text)):
            if overlap(name, text) < 0.5:
                return None
            given = [self.book.first(index, name) for index in range(len(self.brief.options))]
            values = [fact.value for fact in given if fact is not None and isinstance(fact.value, str)]
            here = [
                value
                for value in dict.fromkeys(values)
                if len(value) <= _LONGEST_VALUE_CHARS and not says_not_known(value) and _stands_alone(value, text)
            ]
            if here and len(set(values)) > len(here):
                return name, here
        return None

    def _described(self, text: str, given: Sentence) -> Constraint | None:
        """A requirement that only the options' descriptions speak of."""
        described = [option.description for option in self.brief.options if option.description]
        if not described or not (given.hard or wording.is_hard(text)):
            return None
        topic = [
            word for word in words_of(text) if not wording.HARD.search(word) and (len(word) > 2 or not word.isascii())
        ]
        spoken = [words_of(sentence) for one in described for sentence in sentences(one)]
        shared = [sum(any(same_word(word, each) for each in own) for word in topic) for own in spoken]
        if not topic or max(shared) * 2 < min(len(topic), 4):
            return None
        evidence = Evidence(given.pointer, quotation(text))
        return Constraint("required", evidence, "", text, wanted=not denies(text))

    def _without_prefixes(self, text: str) -> str:
        """`Uninsured firms` are not insured: the prefix denies what the options are described by."""
        own = {word for name in self.book.attributes for word in words_of(name)}

        def spelled_out(found: re.Match[str]) -> str:
            known = any(same_word(found["word"].lower(), word) for word in own)
            return f"not {found['word']}" if known else found.group()

        return _DENYING_PREFIX.sub(spelled_out, text)

    def _has_flags(self, name: str) -> bool:
        return any(
            (fact := self.book.first(index, name)) is not None and isinstance(fact.reading, Flag)
            for index in range(len(self.brief.options))
        )


def _stands_alone(value: str, text: str) -> bool:
    wanted, given = normalise(value), normalise(text)
    if not wanted:
        return False
    # A single letter is a value only in capitals: "an A licence", not "a licence".
    if len(value) == 1 and value.isascii():
        return re.search(rf"(?<![A-Za-z0-9]){re.escape(value)}(?![A-Za-z0-9])", text) is not None and value.isupper()
    ending = r"(?![0-9a-z])" if wanted[-1].isascii() else ""
    return re.search(rf"(?<![0-9a-z가-힣]){re.escape(wanted)}{ending}", given) is not None


def _distinguishing_words(book: FactBook) -> list[tuple[str, str]]:
    """Words of text values that some options have and others do not: (word, attribute), longest first."""
    found: dict[tuple[str, str], set[int]] = {}
    options = range(len(book.brief.options))
    for name in book.attributes:
        for index in options:
            fact = book.first(index, name)
            if fact is None or not isinstance(fact.value, str) or fact.reading is not None:
                continue
            for word in words_of(fact.value):
                if len(word) >= 2 and not word[0].isdecimal() and word not in _FUNCTION_WORDS:
                    found.setdefault((word, name), set()).add(index)
    partial = [key for key, holders in found.items() if len(holders) < len(options)]
    return sorted(partial, key=lambda key: (-len(key[0]), key))
