"""A negation on one side only, or a word and its opposite."""

import re
from collections.abc import Iterator

from packs.claims.alignment import Alignment, Pair
from packs.claims.compare import Match, agree, same_kind
from packs.claims.findings import Conflict, Finding, Obstacle
from packs.claims.lexicon import Relation, word_list
from packs.claims.parsed import Kind, Mood, Parsed, Role
from packs.text.morphemes import english_lemma

_BESIDE_THE_VERB = (Role.OBJECT, Role.OF, Role.THAN, Role.TO, Role.FROM, Role.WITH, Role.PLACE, Role.OTHER)


_NUMBERS = re.compile(r"[0-9][0-9,.]*")
_REFUSES = word_list("english", "negating_verbs") | word_list("korean", "negating_verbs")


def check_polarity(alignment: Alignment) -> Iterator[Finding]:
    """A negation on one side only, or a word and its opposite. Both at once cancel out, where logic allows it."""
    yield from _denied_elsewhere(alignment)
    yield from _denies_nothing_named(alignment)
    yield from _more_or_less(alignment)
    yield from _broader_word(alignment)
    turned: list[Pair] = []
    for pair in alignment.pairs:
        if pair.in_context:
            if pair.claimed.negated:
                yield Obstacle("NEGATION", pair.claimed.text)
            continue
        if _conditional(alignment, pair):
            if pair.claimed.negated != pair.found.negated or not pair.same:
                yield Obstacle("CONDITION", pair.claimed.text)
            continue
        opposed = not pair.same
        differs = pair.claimed.negated != pair.found.negated
        if opposed and differs:
            # "did not rise" follows from "fell"; "rose" does not follow from "did not fall", unless there is no third.
            # That it is off does not say that it cannot be turned on.
            clause = alignment.claim.clause_of(pair.claimed)
            loose = clause is not None and clause.mood is not Mood.STATED
            if loose or (not pair.claimed.negated and pair.relation is not Relation.COMPLEMENT):
                yield Obstacle("OPPOSITE", pair.claimed.text)
        elif differs and pair.same and pair.claimed.negated and "all" in alignment.claim.quantified:
            yield Obstacle("QUANTIFIER", pair.claimed.text)  # "not all of it" leaves some of it
        elif opposed or differs:
            turned.append(pair)
    # A buyer is no seller; only of the verbs, buying and selling, both may be true of one event.
    turned = [
        pair
        for pair in turned
        if pair.relation is not Relation.CONVERSE
        or pair.claimed.role is not Role.PREDICATE
        or not _seen_from_the_other_side(alignment)
    ]
    turned = _once(turned, alignment)
    if len(turned) == 1 and not turned[0].same and _counts_another_group(alignment, turned[0]):
        yield Obstacle("OPPOSITE", turned[0].claimed.text)
    elif len(turned) == 1 and turned[0].same and _other_amount(alignment):
        yield Obstacle("NEGATION", turned[0].claimed.text)
    elif len(turned) == 1:
        pair = turned[0]
        yield Conflict("NEGATION" if pair.same else "OPPOSITE", pair.claimed.text, pair.found.text)
    elif turned:
        opposites = [pair for pair in turned if not pair.same]
        bounds = [pair for pair in opposites if pair.claimed.lemma in _SIDES]
        if len(turned) == 2 and len(opposites) == 2 and len(bounds) == 1:
            # "Rose above" against "fell below": the side says once more what the verb says.
            yield Conflict("OPPOSITE", opposites[0].claimed.text, opposites[0].found.text)
        elif (
            len(opposites) == len(turned)
            and len({id(pair.found) for pair in turned}) == len(turned)
            and len(turned) % 2
        ):
            yield Conflict("OPPOSITE", opposites[0].claimed.text, opposites[0].found.text)
        else:
            yield Obstacle("OPPOSITE", turned[0].claimed.text)


_SIDES = frozenset(("above", "below", "over", "under", "up", "down", "위", "아래", "이상", "이하"))


def _denied_elsewhere(alignment: Alignment) -> Iterator[Finding]:
    """ "There is no man in a jacket": what the passage denies must not be left out."""
    inside = [pair for pair in alignment.pairs if not pair.in_context]
    used = {id(pair.found) for pair in inside}
    clauses = {pair.found.clause for pair in inside}
    for word in alignment.passage.words:
        core = word.kind is Kind.VERB or word.role in (Role.SUBJECT, Role.OBJECT, Role.PREDICATE)
        # "Must not exceed two rents": the bound of the figure says it.
        bound = any(each.bound and 0 <= each.start - word.end <= _BOUND_NEAR for each in alignment.passage.figures)
        if word.negated and core and not bound and id(word) not in used and clauses == {word.clause}:
            yield Obstacle("NEGATION", word.text)
            return


_BOUND_NEAR = 12
_OF_A_WHOLE_KIND = frozenset(("all", "most", "few", "none", "only"))


def _broader_word(alignment: Alignment) -> Iterator[Finding]:
    """A dog is an animal; but "no dog" does not say "no animal", nor "the largest dog" "the largest animal"."""
    for pair in alignment.pairs:
        if pair.relation is not Relation.BROADER or pair.in_context:
            continue
        if pair.found.negated:
            yield Obstacle("NEGATION", pair.claimed.text)
        elif alignment.claim.quantified & _OF_A_WHOLE_KIND or _ranks(alignment.claim):
            yield Obstacle("QUANTIFIER", pair.claimed.text)


def _ranks(claim: Parsed) -> bool:
    return bool(claim.marks & _RANKING) or any(
        word.kind is Kind.QUALITY and word.text.lower().endswith("est") for word in claim.words
    )


_RANKING = frozenset(("first", "last", "only", "most", "least", "second", "third", "best", "worst"))
_DENIALS = frozenset(("not", "never", "nor", "neither"))


def _denies_nothing_named(alignment: Alignment) -> Iterator[Finding]:
    """ "… but has not yet": a denial whose word is left out cannot be compared."""
    claim = alignment.claim
    bound = any(figure.bound for figure in claim.figures) or "only" in claim.marks
    named = any(word.negated or word.lemma.startswith("not_") for word in claim.words)
    if claim.marks & _DENIALS and not named and not bound:
        yield Obstacle("NEGATION", sorted(claim.marks & _DENIALS)[0])


_AMOUNT = re.compile(r"\b(more|less|fewer)\s([a-z]+)")


def _more_or_less(alignment: Alignment) -> Iterator[Finding]:
    """ "Use more water" against "use less water": amounts of the same thing."""
    mine, theirs = (
        [(match[1] == "more", english_lemma(match[2])) for match in _AMOUNT.finditer(parsed.text.lower())]
        for parsed in (alignment.claim, alignment.passage)
    )
    if len(mine) != 1 or len(theirs) != 1 or mine[0][1] != theirs[0][1] or mine[0][0] == theirs[0][0]:
        return
    sides = [_than_names(parsed) for parsed in (alignment.claim, alignment.passage)]
    if sides[0] == sides[1]:
        yield Conflict("OPPOSITE", "more" if mine[0][0] else "less", "more" if theirs[0][0] else "less")
    else:
        yield Obstacle("COMPARISON", alignment.claim.text)


def _than_names(parsed: Parsed) -> set[str]:
    """What something is compared with."""
    _, than, behind = parsed.text.partition(" than ")
    start = len(parsed.text) - len(behind)
    return {word.lemma for word in parsed.words if than and word.start >= start}


def _once(turned: list[Pair], alignment: Alignment) -> list[Pair]:
    """One point counted once: "rejected the plan" against "approved the plan" turns the verb, and with it the plan.

    "Approved for adults but not for children" denies the children what "not approved for children" denies.
    """
    verbs = [pair for pair in turned if not pair.same and _REFUSES & {pair.claimed.lemma, pair.found.lemma}]
    for verb in verbs:
        turned = [
            pair for pair in turned if pair is verb or not pair.same or pair.claimed.clause != verb.claimed.clause
        ]
    # "Rejected the claim" and "dismissed the claim": only one of the two verbs turns its object round.
    for verb in alignment.pairs:
        if verb.in_context or verb.claimed.role is not Role.PREDICATE:
            continue
        if (verb.claimed.lemma in _REFUSES) != (verb.found.lemma in _REFUSES):
            turned = [
                pair
                for pair in turned
                if not pair.same or pair.claimed.clause != verb.claimed.clause or pair.claimed.role is Role.PREDICATE
            ]
    denied = [pair for pair in turned if pair.same and pair.claimed.negated and pair.claimed.role is Role.PREDICATE]
    spared = [pair for pair in turned if pair.same and pair.found.negated and pair.found.kind in (Kind.NOUN, Kind.NAME)]
    if len(denied) == len(spared) == 1 and len(turned) == 2:
        return []
    return turned


def _seen_from_the_other_side(alignment: Alignment) -> bool:
    """ "Orlan bought the dock" and "the yard sold the dock to Orlan" are one event."""
    return any(
        pair.claimed.role is Role.SUBJECT and pair.found.role in _BESIDE_THE_VERB and not pair.in_context
        for pair in alignment.pairs
    )


def _counts_another_group(alignment: Alignment, pair: Pair) -> bool:
    """ "27 are women" does not exclude "9 are men"."""
    return pair.claimed.kind is pair.found.kind is Kind.NOUN and bool(
        alignment.claim.figures and alignment.passage.figures
    )


def _other_amount(alignment: Alignment) -> bool:
    """Eight that were not does not exclude 29 that were."""
    theirs = [each for each in alignment.passage.figures if each.unit not in ("%", "%p")]
    counted = [each for each in alignment.passage.figures if each.unit == "%" and len(_NUMBERS.findall(each.text)) > 1]
    if counted and any(each.unit != "%" for each in alignment.claim.figures):
        return True  # "320 of 500" is a share that was counted
    return any(same_kind(one, two) for one in alignment.claim.figures for two in theirs) and not any(
        agree(one, two) is Match.AGREES for one in alignment.claim.figures for two in theirs
    )


def _conditional(alignment: Alignment, pair: Pair) -> bool:
    clauses = alignment.claim.clause_of(pair.claimed), alignment.passage.clause_of(pair.found)
    return any(clause is not None and clause.link in ("if", "unless") for clause in clauses)
