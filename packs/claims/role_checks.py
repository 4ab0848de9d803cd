"""Who did it, to whom, from where and whereto: what changed places between claim and passage."""

from collections.abc import Iterator

from packs.claims.alignment import Alignment, Pair
from packs.claims.findings import Conflict, Finding, Obstacle
from packs.claims.lexicon import word_list
from packs.claims.parsed import Kind, Role

_ARGUMENTS = (Role.SUBJECT, Role.OBJECT, Role.OF, Role.FROM, Role.TO, Role.THAN, Role.WITH, Role.TOPIC)


_SYMMETRIC = word_list("english", "symmetric") | word_list("korean", "symmetric")


def check_roles(alignment: Alignment) -> Iterator[Finding]:
    """Two things that changed places: who did it and to whom, from where and whereto, what is more than what."""
    if any(pair.claimed.lemma in _SYMMETRIC for pair in alignment.pairs):
        return
    predicates = [pair for pair in alignment.pairs if pair.claimed.role is Role.PREDICATE and not pair.in_context]
    opposed = any(not pair.same for pair in predicates)
    arguments = [
        pair
        for pair in alignment.pairs
        if pair.same
        and not pair.in_context
        and pair.claimed.kind in (Kind.NAME, Kind.NOUN)
        and pair.claimed.role in _ARGUMENTS
    ]
    yield from _whose(alignment, arguments)
    says_what_it_is = alignment.claim.language == "en" and not any(
        word.role is Role.PREDICATE for word in alignment.claim.words
    )
    for place, first in enumerate(arguments):
        for second in arguments[place + 1 :]:
            if first.found is second.found or not _swapped(first, second):
                continue
            ends = {first.claimed.role, second.claimed.role} == {Role.SUBJECT, Role.OBJECT}
            named = Kind.NAME in (first.claimed.kind, second.claimed.kind)
            if says_what_it_is and ends and named and not alignment.claim.figures:
                continue  # "Barcelona is the capital" and "the capital is Barcelona"
            if opposed or (says_what_it_is and _has_verb(alignment, first)):
                yield Obstacle("ROLES", f"{first.claimed.text} / {second.claimed.text}")
            else:
                yield Conflict(
                    "ROLES",
                    f"{first.claimed.text} / {second.claimed.text}",
                    f"{second.found.text} / {first.found.text}",
                )
            return
    yield from _reversed_way(alignment)
    yield from _left_behind(alignment)
    yield from _slots(alignment, predicates, arguments)


def _has_verb(alignment: Alignment, pair: Pair) -> bool:
    """A verb of the passage gives other roles than "is": directed by Darshan, the director was Darshan."""
    return any(
        word.role is Role.PREDICATE and word.kind is Kind.VERB and word.clause == pair.found.clause
        for word in alignment.passage.words
    )


def _whose(alignment: Alignment, arguments: list[Pair]) -> Iterator[Finding]:
    """What Stevenson's nephew did is not said of Stevenson. A name is no proof of what it names."""
    subjects = [pair for pair in arguments if pair.claimed.role is Role.SUBJECT]
    if subjects and all(pair.found.role is Role.OF and pair.claimed.kind is Kind.NAME for pair in subjects):
        clause = subjects[0].found.clause
        own = [
            word
            for word in alignment.passage.words
            if word.role is Role.SUBJECT and word.clause == clause and not alignment.claims_of(word)
        ]
        if own and alignment.passage.language == "en":
            yield Obstacle("SUBJECT", subjects[0].claimed.text)
    for pair in arguments:
        twice = [word for word in alignment.claims_of(pair.found) if word.kind is Kind.NAME]
        if pair.claimed.kind is Kind.NOUN and twice:
            yield Obstacle("WORD", pair.claimed.text)


def _left_behind(alignment: Alignment) -> Iterator[Finding]:
    """Where something was is not where it is."""
    for pair in alignment.pairs:
        if (
            pair.in_context
            or pair.found.role is not Role.FROM
            or pair.claimed.role not in (Role.PLACE, Role.TO, Role.OTHER)
        ):
            continue
        arrived = [
            word
            for word in alignment.passage.words
            if word.role is Role.TO and word.clause == pair.found.clause and word.kind is Kind.NAME
        ]
        if arrived and not alignment.claims_of(arrived[0]):
            yield Conflict("ROLES", pair.claimed.text, arrived[0].text)
        else:
            yield Obstacle("ROLES", pair.claimed.text)
        return


def _reversed_way(alignment: Alignment) -> Iterator[Finding]:
    """From there is not to there."""
    ways = {Role.FROM, Role.TO}
    for pair in alignment.pairs:
        if (
            not pair.in_context
            and pair.claimed.role is not pair.found.role
            and {pair.claimed.role, pair.found.role} == ways
        ):
            yield Conflict("ROLES", pair.claimed.text, pair.found.text)
            return


def _swapped(first: Pair, second: Pair) -> bool:
    one, two = first.claimed.role, second.claimed.role
    if one is two or first.found.role is not two or second.found.role is not one:
        return False
    if Role.OF in (one, two) or Role.WITH in (one, two):
        return first.claimed.kind is Kind.NAME and second.claimed.kind is Kind.NAME
    if Role.TOPIC in (one, two):
        return False
    return first.claimed.clause == second.claimed.clause and first.found.clause == second.found.clause


def _slots(alignment: Alignment, predicates: list[Pair], arguments: list[Pair]) -> Iterator[Finding]:
    """The slot of one verb filled by what stands elsewhere in the passage: removed wolves against removed cattle."""
    for predicate in predicates:
        if not predicate.same or predicate.found.role is not Role.PREDICATE:
            continue
        for role in (Role.SUBJECT, Role.OBJECT):
            mine = [
                pair
                for pair in arguments
                if pair.claimed.role is role and pair.claimed.clause == predicate.claimed.clause
            ]
            theirs = [
                word
                for word in alignment.passage.words
                if word.role is role and word.clause == predicate.found.clause and word.kind in (Kind.NAME, Kind.NOUN)
            ]
            if not mine or not theirs or any(pair.found in theirs or pair.found.role is Role.CAUSE for pair in mine):
                continue
            named = [word for word in theirs if any(each.role in _ARGUMENTS for each in alignment.claims_of(word))]
            # Another verb may have its roles the other way round: prices rose, the shop raised prices.
            names = all(word.kind is Kind.NAME for word in (mine[0].claimed, *named[:1]))
            if named and (predicate.claimed.lemma == predicate.found.lemma or names):
                yield Conflict("ROLES", mine[0].claimed.text, named[0].text)
            else:
                yield Obstacle("ROLES", mine[0].claimed.text)
            return
