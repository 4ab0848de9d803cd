"""Restrictions of a passage that the claim leaves out: only in winter, for residents, half of them, the former one."""

import re
from collections.abc import Iterator

from packs.claims.alignment import Alignment
from packs.claims.findings import Finding, Obstacle
from packs.claims.lexicon import word_list
from packs.claims.parsed import Kind, Role, Word


def check_restrictions(alignment: Alignment) -> Iterator[Finding]:
    yield from _only(alignment)
    yield from _for_whom(alignment)
    yield from _share_of(alignment)
    yield from _once_was(alignment)
    yield from _without_subject(alignment)
    yield from _own_subject(alignment)
    yield from _as_a_noun(alignment)
    yield from _described_by_a_verb(alignment)


def _unused(alignment: Alignment) -> list[Word]:
    used = {id(pair.found) for pair in alignment.pairs}
    return [word for word in alignment.passage.words if id(word) not in used]


_ONLY_NEAR = 24


def _only(alignment: Alignment) -> Iterator[Finding]:
    """ "Only in winter" is not always."""
    if "only" in alignment.claim.quantified:
        return
    for name, place in alignment.passage.quantifiers:
        if name != "only":
            continue
        if alignment.passage.language == "ko":
            bound = [word for word in alignment.passage.words if 0 <= place - word.end <= 1]
        else:
            behind = [word for word in alignment.passage.words if 0 < word.start - place <= _ONLY_NEAR]
            bound = sorted(behind, key=lambda word: word.start)[:1]
        if bound and bound[0] in _unused(alignment):
            yield Obstacle("NARROWER", bound[0].text)
            return


_GRANTED = word_list("english", "granted")
_FOR = re.compile(r"\bfor\s(?:the\s|all\s)?(?:[a-z]+\s)?$", re.IGNORECASE)


def _for_whom(alignment: Alignment) -> Iterator[Finding]:
    """Free for residents is not free."""
    granted = [pair for pair in alignment.pairs if pair.claimed.lemma in _GRANTED and not pair.in_context]
    if any(_FOR.search(alignment.passage.text[: pair.found.start]) for pair in alignment.pairs if not pair.in_context):
        return  # the claim says for whom
    for pair in granted:
        for word in _unused(alignment):
            if (
                word.kind in (Kind.NAME, Kind.NOUN)
                and word.clause == pair.found.clause
                and _FOR.search(alignment.passage.text[: word.start])
            ):
                yield Obstacle("NARROWER", word.text)
                return


_OF_THEM = re.compile(r"\s?(?:percent\s)?of\s(?:the\s|its\s|their\s|all\s)?", re.IGNORECASE)


def _share_of(alignment: Alignment) -> Iterator[Finding]:
    """Half of the trees are not the trees."""
    if alignment.claim.quantifiers or any(each.unit == "%" for each in alignment.claim.figures):
        return
    text = alignment.passage.text
    for figure in alignment.passage.figures:
        if figure.unit != "%":
            continue
        behind = _OF_THEM.match(text[figure.end :])
        for pair in alignment.pairs:
            counted = behind is not None and 0 <= pair.found.start - figure.end - behind.end() <= _SHARE_NEAR
            korean = 0 <= figure.start - pair.found.end <= 2 and alignment.passage.language == "ko"
            if (counted or korean) and pair.claimed.role in (Role.SUBJECT, Role.OBJECT) and not pair.in_context:
                yield Obstacle("QUANTIFIER", figure.text)
                return


_SHARE_NEAR = 12
_ONCE = re.compile(r"(?<![가-힣])(?:전|옛|가짜)\s$")


def _once_was(alignment: Alignment) -> Iterator[Finding]:
    """전 시장 is no 시장."""
    for pair in alignment.pairs:
        if (
            not pair.in_context
            and _ONCE.search(alignment.passage.text[: pair.found.start])
            and not _ONCE.search(alignment.claim.text[: pair.claimed.start])
        ):
            yield Obstacle("MOOD", pair.claimed.text)
            return


_DOERS = (Role.SUBJECT, Role.TOPIC)


def _without_subject(alignment: Alignment) -> Iterator[Finding]:
    """주민은 무료로 입장한다 is not said of everybody."""
    if alignment.claim.language != "ko" or any(word.role in (*_DOERS, Role.OBJECT) for word in alignment.claim.words):
        return
    for word in _unused(alignment):
        if word.role in _DOERS and word.kind in (Kind.NAME, Kind.NOUN):
            yield Obstacle("SUBJECT", word.text)
            return


def _own_subject(alignment: Alignment) -> Iterator[Finding]:
    """ "A boy watches a girl ride": the second verb of a clause has its own subject before it."""
    if alignment.passage.language != "en":
        return
    words = alignment.passage.words
    for pair in alignment.pairs:
        if pair.in_context or pair.claimed.role is not Role.PREDICATE or pair.found.kind is not Kind.VERB:
            continue
        verb = pair.found
        before = [
            word
            for word in words
            if word.clause == verb.clause and word.role is Role.PREDICATE and word.end <= verb.start
        ]
        if not before or alignment.claims_of(before[-1]):
            continue
        between = [
            word
            for word in _unused(alignment)
            if before[-1].end <= word.start < verb.start and word.kind in (Kind.NAME, Kind.NOUN)
        ]
        if between and not _AND_BEFORE.search(alignment.passage.text[: verb.start]):
            yield Obstacle("CLAUSE", between[0].text)
            return


_AND_BEFORE = re.compile(r"(?:\band|\bor|\bbut|,)\s(?:[a-z]+ly\s)?$", re.IGNORECASE)


def _as_a_noun(alignment: Alignment) -> Iterator[Finding]:
    """Whoever expects or watches a ride does not ride: a noun does not say that it happened."""
    if alignment.passage.language != "en":
        return
    for pair in alignment.pairs:
        if pair.in_context or pair.claimed.role is not Role.PREDICATE or pair.found.kind is not Kind.NOUN:
            continue
        verbs = [
            word for word in _unused(alignment) if word.clause == pair.found.clause and word.role is Role.PREDICATE
        ]
        if verbs and pair.claimed.kind is Kind.VERB:
            yield Obstacle("PREDICATE", verbs[0].text)
            return


def _described_by_a_verb(alignment: Alignment) -> Iterator[Finding]:
    """ "The woman who bought the car" does not say what the woman is."""
    claim = alignment.claim
    if claim.figures or any(word.role is Role.PREDICATE for word in claim.words) or claim.language != "en":
        return
    free = _unused(alignment)
    for pair in alignment.pairs:
        if pair.in_context or pair.claimed.role is not Role.OBJECT or pair.found.role is not Role.OBJECT:
            continue
        clause = alignment.passage.clause_of(pair.found)
        if clause is not None and clause.link == "which":
            verbs = [word for word in free if word.clause == clause.index and word.role is Role.PREDICATE]
            if verbs:
                yield Obstacle("PREDICATE", verbs[0].text)
                return
