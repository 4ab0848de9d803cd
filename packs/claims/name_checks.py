"""Whom a passage speaks of, where the claim names somebody else or somebody the passage leaves unsaid."""

import re
from collections.abc import Iterator

from packs.claims.alignment import Alignment
from packs.claims.findings import Conflict, Finding, Obstacle
from packs.claims.lexicon import kinds, word_list
from packs.claims.parsed import Kind, Role, Word


def check_subjects(alignment: Alignment) -> Iterator[Finding]:
    """One word of the passage for each of the claim, and no subject of another sentence in place of its own."""
    inside = [pair for pair in alignment.pairs if not pair.in_context]
    used = {id(pair.found) for pair in inside}
    unused = [word for word in alignment.passage.words if id(word) not in used and word.kind in _THINGS]
    for pair in alignment.pairs:
        claimed = pair.claimed
        if pair.in_context and claimed.role in _DOERS:
            clauses = {each.found.clause for each in inside if each.claimed.clause == claimed.clause}
            if any(word.role in _DOERS and word.clause in clauses and not _names_nobody(word) for word in unused):
                yield Obstacle("NEIGHBOUR", claimed.text)
                return
        elif not pair.in_context and claimed.kind is Kind.NOUN and claimed.lemma != pair.found.lemma:
            # "Credit loans" where the passage has a credit union: both words would stand for the credit.
            twice = [each for each in inside if each.found is pair.found and each.claimed.lemma != claimed.lemma]
            beside = [word for word in unused if word.clause == pair.found.clause and word.role is pair.found.role]
            if beside and any(each.claimed.clause == claimed.clause for each in twice):
                yield Obstacle("MODIFIER", claimed.text)
                return


_THINGS = (Kind.NAME, Kind.NOUN)
_DOERS = (Role.SUBJECT, Role.TOPIC)


def check_names(alignment: Alignment) -> Iterator[Finding]:
    """Who or what the passage speaks of, where the claim names somebody else or somebody the passage leaves unsaid."""
    used = {id(pair.found) for pair in alignment.pairs if not pair.in_context}
    free = [word for word in alignment.passage.words if id(word) not in used and _clause_has_predicate(alignment, word)]
    outside = [pair.claimed for pair in alignment.pairs if pair.in_context] + alignment.generic
    for word in (*[each for each in alignment.missing if each.kind is Kind.NAME], *outside):
        rivals = [
            other
            for other in free
            if other.role is word.role and other.kind in (Kind.NAME, Kind.NOUN) and word.role is not Role.OTHER
        ]
        if not rivals:
            continue
        rival = next((each for each in rivals if each.kind is Kind.NAME), rivals[0])
        english = alignment.claim.language == "en"
        if _names_nobody(rival) or (
            english
            and (
                _known_in_part(alignment, word)
                or _known_in_part(alignment, rival)
                or (word.head < 0) != (rival.head < 0)
                or _place_of(word) == _place_of(rival)
            )
        ):
            yield Obstacle("SUBJECT", word.text)
        elif word not in alignment.generic and _exchanged(word, rival, alignment) and not _in_range(alignment, rival):
            yield Conflict("NAME", word.text, rival.text)
        else:
            yield Obstacle("SUBJECT", word.text)
        return
    core = (Role.SUBJECT, Role.OBJECT, Role.TOPIC)
    own = [pair for pair in alignment.pairs if not pair.in_context and pair.found.role is Role.SUBJECT]
    for word in outside:
        if word.role in (Role.SUBJECT, Role.TOPIC) and any(
            pair.claimed.role not in (Role.SUBJECT, Role.TOPIC, Role.OF) for pair in own
        ):
            yield Obstacle("SUBJECT", word.text)
            return
        wanted = (Role.SUBJECT, word.role) if word.role in core else (Role.SUBJECT,)
        if word.role in (*core, Role.OF) and any(
            other.role in core and other.role in wanted for other in free if other.kind is not Kind.VERB
        ):
            yield Obstacle("SUBJECT", word.text)
            return


_NAMES_NOBODY = word_list("english", "generic_subjects") | word_list("korean", "generic_subjects")


def _names_nobody(rival: Word) -> bool:
    """ "The company" may be the one that the claim names; a noun without a particle (대신) is no doer."""
    return rival.lemma in _NAMES_NOBODY or (rival.kind is Kind.NOUN and rival.role is Role.OF)


def _place_of(word: Word) -> str:
    return kinds().places.get(word.lemma, word.lemma)


def _known_in_part(alignment: Alignment, word: Word) -> bool:
    """Another part of the same name has its counterpart: "Sea" of "the Sea of Japan", beside Japan."""
    claimed = any(word is each for each in alignment.claim.words)
    text = alignment.claim.text if claimed else alignment.passage.text
    for pair in alignment.pairs:
        beside = pair.claimed if claimed else pair.found
        if beside is word or not (beside.kind is word.kind is Kind.NAME) or (pair.in_context and not claimed):
            continue
        first, second = sorted((beside, word), key=lambda each: each.start)
        if _WITHIN_A_NAME.fullmatch(text[first.end : second.start]):
            return True
    return False


_WITHIN_A_NAME = re.compile(r" (?:of |of the |the )?")


def _exchanged(word: Word, rival: Word, alignment: Alignment) -> bool:
    """One name for another, with enough around them to know that the same event is meant."""
    if (word.kind is Kind.NOUN and rival.kind is Kind.NAME) or (word.kind is Kind.NAME and rival.kind is Kind.NOUN):
        known = any(
            pair.claimed is word and pair.in_context and pair.found.kind is Kind.NAME for pair in alignment.pairs
        )
        if not known and not _superlative(alignment) and not _two_things(word, rival, alignment):
            return False
    elif word.kind is Kind.NOUN and not _superlative(alignment) and not _two_things(word, rival, alignment):
        return False
    if not _same_sort(word, rival):
        return False
    inside = [pair for pair in alignment.pairs if not pair.in_context]
    arguments = [pair for pair in inside if pair.claimed.kind in (Kind.NAME, Kind.NOUN)]
    # `The plant is in Busan`: the verb carries nothing, so the rest decides. Having offices in two places is fine.
    plain = not any(each.role is Role.PREDICATE for each in alignment.claim.words)
    located = plain and word.role is Role.PLACE and not alignment.claim.marks & {"has", "have", "had"}
    return bool(alignment.predicate_pairs or located) and (len(arguments) >= 1 or _superlative(alignment))


_APART = 4


def _two_things(word: Word, rival: Word, alignment: Alignment) -> bool:
    """A sentence of the source names both, apart from each other: "the claim of Ostrow against the city"."""
    if word.role not in (Role.SUBJECT, Role.TOPIC) or word.lemma == rival.lemma:
        return False
    for sentence in (*alignment.around, alignment.passage):
        one = [each for each in sentence.words if each.lemma == word.lemma and not each.negated]
        two = [each for each in sentence.words if each.lemma == rival.lemma]
        for mine in one:
            for theirs in two:
                gap = max(mine.start - theirs.end, theirs.start - mine.end)
                roles = {mine.role, theirs.role}
                if gap >= _APART and len(roles) == 2 and mine.head != theirs.start and theirs.head != mine.start:
                    return True
    return False


_RANGE = re.compile(r"\b(?:to|through|until|between)\b|[-–~]|부터|까지|에서")


def _in_range(alignment: Alignment, rival: Word) -> bool:
    """ "4.8 to 5.1" names everything between as well."""
    return rival.text[:1].isdigit() and bool(_RANGE.search(alignment.passage.text[rival.end : rival.end + 5]))


def _superlative(alignment: Alignment) -> bool:
    return (
        "가장" in alignment.claim.marks
        or any(word.lemma.endswith("est") or word.lemma in ("first", "only") for word in alignment.claim.words)
        or "most" in alignment.claim.marks
    )


def _clause_has_predicate(alignment: Alignment, word: Word) -> bool:
    pairs = alignment.predicate_pairs or [pair for pair in alignment.pairs if not pair.in_context]
    return any(pair.found.clause == word.clause for pair in pairs)


def _same_sort(one: Word, other: Word) -> bool:
    digits = [any(each.isdigit() for each in word.text) for word in (one, other)]
    return digits[0] == digits[1]
