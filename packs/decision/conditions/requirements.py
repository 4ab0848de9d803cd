"""What an option has to have, or must not have: a yes-or-no attribute, a word among its values, or something that only
its description speaks of.
"""

import re
from collections.abc import Iterator

from packs.decision.brief import Brief, normalise
from packs.decision.conditions import wording
from packs.decision.conditions.clauses import clause_around
from packs.decision.conditions.grades import allowed_grades
from packs.decision.conditions.model import Constraint, Sentence
from packs.decision.conditions.negation import denials, denies, without_denials
from packs.decision.conditions.option_statements import OptionStatement, is_about
from packs.decision.conditions.predicates import speaks_of_the_past
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
_LACK = re.compile(
    r"\b(?:no|not|without|lacks?|lacking|missing|never|non)\b(?:[\s-][\w-]+){1,4}|[\w-]+ (?:is|are) (?:missing"
    r"|absent|lacking)"
    r"|[가-힣A-Za-z0-9]+(?:\s[가-힣]{1,6})?\s?(?:없|않|못|아닌|미달|안\s?되)",
    re.IGNORECASE,
)
# What some have, or one's own, is no rule for all.
_OF_SOME = re.compile(
    r"^\W*(?:some|most|many|several|a few|few|our (?:own|old|current|present|previous)|the (?:old|previous|current"
    r"|present))\b"
    r"|^(?:일부|대부분|몇몇|여러|기존|예전|이전|지금\s?쓰는)",
    re.IGNORECASE,
)
# To leave a place, or to be outside it, is not to be there: `may not leave Germany` wants Germany.
_AWAY_BEFORE = re.compile(
    r"\b(?:leav(?:e|es|ing)|outside(?: of)?|beyond|other than|except(?: for| in)?|apart from|elsewhere than"
    r"|(?:anything|anywhere) but)\s(?:the\s)?$",
    re.IGNORECASE,
)
_NOTHING_BUT = re.compile(
    r"\b(?:nothing|none|nobody|nowhere|no one)(?: else)? (?:but|except)\s(?:the\s)?$", re.IGNORECASE
)
_AWAY_BEHIND = re.compile(r"^(?:을|를)?\s?(?:떠나|떠날|제외한|이?외의|이?외에|이외|밖|말고)")
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
    def __init__(self, brief: Brief, book: FactBook, statements: list[OptionStatement]) -> None:
        self.brief, self.book, self.statements = brief, book, statements
        self._words = _distinguishing_words(book)

    def read(self, text: str, given: Sentence) -> Iterator[Constraint]:
        if given.pointer == self.brief.question_pointer:
            return
        text = self._without_prefixes(text)
        flags = self._flags(text, given)
        values = self._values(text, given)
        if flags and values and values[0].subject not in {each.subject for each in flags}:
            # One sentence may require two things, each in a clause of its own.
            own = clause_around(text, place_of(values[0].values[0], text))
            flags += values if wording.is_hard(own) and all(overlap(each.subject, own) < 0.5 for each in flags) else []
        found = flags or values or [each for each in (self._described(text, given),) if each is not None]
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

    def refuses_a_value(self, text: str) -> bool:
        """The sentence denies, and names a value that some options have: `monthly updates are too infrequent`."""
        if not denials(text) or speaks_of_the_past(text) or _OF_SOME.search(text):
            return False
        whole = self._whole_values(text)
        return (whole is not None and not self._has_flags(whole[0])) or self._graded(text) is not None

    def _flags(self, text: str, given: Sentence) -> list[Constraint]:
        """The yes-or-no attribute that is spoken of most, and every other one that is named in full."""
        spoken = [name for name in self.book.attributes if self._has_flags(name) and overlap(name, text) >= 0.5]
        if not spoken:
            return []
        best = max(spoken, key=lambda name: (overlap(name, text), len(name)))
        evidence = Evidence(given.pointer, quotation(text))
        return [
            Constraint("required", evidence, name, text, wanted=self._is_wanted(name, text))
            for name in spoken
            if name == best or overlap(name, text) >= 1
        ]

    def _is_wanted(self, name: str, text: str) -> bool:
        """Where nothing but its lack is spoken of (`a hall with no sprinklers would void the policy`), the lack is what
        does harm: whoever only wants to do without it says so, and that is a wish.
        """
        if _WANTED.search(name) or not denies(text, place_of(name, text)):
            return True
        if not lacks(name, text):
            return False
        return denials(text) % 2 == 0 or not wording.is_hard(without_denials(text))  # `no permit, no order`

    def speaks_of_a_lack(self, text: str) -> bool:
        """The sentence denies something about a trait by which the options differ."""
        text = self._without_prefixes(text)
        if speaks_of_the_past(text) or _OF_SOME.search(text):
            return False
        return denials(text) > 0 and any(
            self._has_flags(name) and overlap(name, text) >= 0.5 for name in self.book.attributes
        )

    def _values(self, text: str, given: Sentence) -> list[Constraint]:
        """Whole values first (`an A licence`, 1급 자격증), then single words of longer ones. One sentence may want one
        value and refuse another: 해외는 안 되고 국내만.
        """
        if graded := self._graded(text):
            name, allowed = graded
            return [Constraint("value", Evidence(given.pointer, quotation(text)), name, text, values=allowed)]
        whole = self._whole_values(text)
        if whole:
            subject, values = whole
        else:
            spoken = words_of(text)
            found = [(word, name) for word, name in self._words if any(same_word(word, each) for each in spoken)]
            if not found:
                return []
            subject = found[0][1]
            values = [word for word, name in found if name == subject]
        wanted: dict[bool, list[str]] = {}
        for value in values:
            wanted.setdefault(_is_value_wanted(value, text), []).append(value)
        at = max(normalise(text).find(normalise(values[0])), 0)
        evidence = Evidence(given.pointer, quotation(text, at))
        return [
            Constraint("value", evidence, subject, text, wanted=side, values=tuple(each))
            for side, each in wanted.items()
        ]

    def _graded(self, text: str) -> tuple[str, tuple[str, ...]] | None:
        """`rated B or better`, B보다 낮은 곳은 제외: the attribute, and its grades on the side that is wanted."""
        for name in self.book.attributes:
            facts = [self.book.first(index, name) for index in range(len(self.brief.options))]
            grades = {fact.value for fact in facts if fact is not None and isinstance(fact.value, str)}
            if overlap(name, text) > 0 and (allowed := allowed_grades(text, grades)) is not None:
                return name, allowed
        return None

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
        """A requirement that only the options' descriptions, or other sentences, speak of."""
        if not (given.hard or wording.is_hard(text)):
            return None
        topic = topic_of(text)
        described = [words_of(sentence) for option in self.brief.options for sentence in sentences(option.description)]
        shared = [sum(any(same_word(word, each) for each in own) for word in topic) for own in described]
        in_description = bool(topic) and max(shared, default=0) * 2 >= min(len(topic), 4)
        in_prose = bool(topic) and any(is_about(topic, each) and each.text not in text for each in self.statements)
        if not in_description and not in_prose:
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


def topic_of(text: str) -> list[str]:
    """What a requirement is about: its words without those that only bind."""
    return [word for word in words_of(text) if not wording.HARD.search(word) and (len(word) > 2 or not word.isascii())]


def lacks(name: str, text: str) -> bool:
    """The denial belongs to the thing itself: `no sprinklers`, 하역장 없이."""
    own = words_of(name)
    return any(
        any(same_word(word, each) for each in words_of(found.group()) for word in own) for found in _LACK.finditer(text)
    )


def _is_value_wanted(value: str, text: str) -> bool:
    at = max(normalise(text).find(normalise(value)), 0)
    if _NOTHING_BUT.search(text[:at]):
        return True
    denied = denies(text, at)
    away = _AWAY_BEFORE.search(text[:at]) or _AWAY_BEHIND.match(text[at + len(value) :])
    return denied if away else not denied


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
