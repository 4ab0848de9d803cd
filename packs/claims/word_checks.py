"""Checks on the words of an alignment: polarity, roles, names, quantifiers, mood and cause."""

import re
from collections.abc import Iterator

from packs.claims.alignment import Alignment, Pair
from packs.claims.compare import Match, agree, same_kind
from packs.claims.event_checks import check_events
from packs.claims.findings import Conflict, Finding, Obstacle
from packs.claims.lexicon import Relation, word_list
from packs.claims.parsed import Clause, Kind, Mood, Parsed, Role, Word
from packs.claims.parts import part_of

_ARGUMENTS = (Role.SUBJECT, Role.OBJECT, Role.OF, Role.FROM, Role.TO, Role.THAN, Role.WITH, Role.TOPIC)
_SYMMETRIC = word_list("english", "symmetric") | word_list("korean", "symmetric")
_BESIDE_THE_VERB = (Role.OBJECT, Role.OF, Role.THAN, Role.TO, Role.FROM, Role.WITH, Role.PLACE, Role.OTHER)
_FIRMNESS = {Mood.STATED: 3, Mood.REQUIRED: 2, Mood.EXPECTED: 1, Mood.POSSIBLE: 0, Mood.CONDITIONAL: 0}
_REPORTING = word_list("english", "reporting_verbs") | word_list("korean", "reporting_verbs")
_REFUSES = word_list("english", "negating_verbs") | word_list("korean", "negating_verbs")
_SHARES = {"all": 5, "most": 4, "many": 3, "half": 3, "some": 2, "few": 1, "none": 0}


def check_words(alignment: Alignment) -> Iterator[Finding]:
    for word in alignment.missing:
        yield Obstacle("WORD", word.text)
    yield from _polarity(alignment)
    yield from _roles(alignment)
    yield from _names(alignment)
    yield from _quantifiers(alignment)
    yield from _mood(alignment)
    yield from _cause(alignment)
    yield from _narrowed(alignment)
    yield from _boundary(alignment)
    yield from check_events(alignment)


def _clause(parsed: Parsed, word: Word) -> Clause | None:
    return next((clause for clause in parsed.clauses if clause.index == word.clause), None)


def _polarity(alignment: Alignment) -> Iterator[Finding]:
    """A negation on one side only, or a word and its opposite. Both at once cancel out, where logic allows it."""
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
            clause = _clause(alignment.claim, pair.claimed)
            loose = clause is not None and clause.mood is not Mood.STATED
            if loose or (not pair.claimed.negated and pair.relation is not Relation.COMPLEMENT):
                yield Obstacle("OPPOSITE", pair.claimed.text)
        elif differs and pair.same and pair.claimed.negated and "all" in _quantified(alignment.claim):
            yield Obstacle("QUANTIFIER", pair.claimed.text)  # "not all of it" leaves some of it
        elif opposed or differs:
            turned.append(pair)
    turned = [
        pair for pair in turned if pair.relation is not Relation.CONVERSE or not _seen_from_the_other_side(alignment)
    ]
    turned = _once(turned)
    if len(turned) == 1 and not turned[0].same and _counts_another_group(alignment, turned[0]):
        yield Obstacle("OPPOSITE", turned[0].claimed.text)
    elif len(turned) == 1 and turned[0].same and _other_amount(alignment):
        yield Obstacle("NEGATION", turned[0].claimed.text)
    elif len(turned) == 1:
        pair = turned[0]
        yield Conflict("NEGATION" if pair.same else "OPPOSITE", pair.claimed.text, pair.found.text)
    elif turned:
        opposites = [pair for pair in turned if not pair.same]
        if (
            len(opposites) == len(turned)
            and len({id(pair.found) for pair in turned}) == len(turned)
            and len(turned) % 2
        ):
            yield Conflict("OPPOSITE", opposites[0].claimed.text, opposites[0].found.text)
        else:
            yield Obstacle("OPPOSITE", turned[0].claimed.text)


def _once(turned: list[Pair]) -> list[Pair]:
    """One point counted once: "rejected the plan" against "approved the plan" turns the verb, and with it the plan.

    "Approved for adults but not for children" denies the children what "not approved for children" denies.
    """
    verbs = [pair for pair in turned if not pair.same and _REFUSES & {pair.claimed.lemma, pair.found.lemma}]
    for verb in verbs:
        turned = [
            pair
            for pair in turned
            if pair is verb or not pair.same or pair.claimed.clause != verb.claimed.clause
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


def _quantified(parsed: Parsed) -> set[str]:
    return {name for name, _ in parsed.quantifiers}


def _counts_another_group(alignment: Alignment, pair: Pair) -> bool:
    """ "27 are women" does not exclude "9 are men"."""
    return Kind.VERB not in (pair.claimed.kind, pair.found.kind) and bool(
        alignment.claim.figures and alignment.passage.figures
    )


def _other_amount(alignment: Alignment) -> bool:
    """Eight that were not does not exclude 29 that were."""
    theirs = [each for each in alignment.passage.figures if each.unit not in ("%", "%p")]
    return any(
        same_kind(one, two) for one in alignment.claim.figures for two in theirs
    ) and not any(agree(one, two) is Match.AGREES for one in alignment.claim.figures for two in theirs)


def _conditional(alignment: Alignment, pair: Pair) -> bool:
    clauses = _clause(alignment.claim, pair.claimed), _clause(alignment.passage, pair.found)
    return any(clause is not None and clause.link in ("if", "unless") for clause in clauses)


def _roles(alignment: Alignment) -> Iterator[Finding]:
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
    for place, first in enumerate(arguments):
        for second in arguments[place + 1 :]:
            if first.found is second.found or not _swapped(first, second):
                continue
            if opposed:
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
            named = [word for word in theirs if alignment.claims_of(word)]
            # Another verb may have its roles the other way round: prices rose, the shop raised prices.
            names = all(word.kind is Kind.NAME for word in (mine[0].claimed, *named[:1]))
            if named and (predicate.claimed.lemma == predicate.found.lemma or names):
                yield Conflict("ROLES", mine[0].claimed.text, named[0].text)
            else:
                yield Obstacle("ROLES", mine[0].claimed.text)
            return


def _names(alignment: Alignment) -> Iterator[Finding]:
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
        if word not in alignment.generic and _exchanged(word, rival, alignment) and not _in_range(alignment, rival):
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


def _exchanged(word: Word, rival: Word, alignment: Alignment) -> bool:
    """One name for another, with enough around them to know that the same event is meant."""
    if (word.kind is Kind.NOUN and rival.kind is Kind.NAME) or (word.kind is Kind.NAME and rival.kind is Kind.NOUN):
        known = any(
            pair.claimed is word and pair.in_context and pair.found.kind is Kind.NAME for pair in alignment.pairs
        )
        if not known and not _superlative(alignment):
            return False
    elif word.kind is Kind.NOUN and not _superlative(alignment):
        return False
    if not _same_sort(word, rival):
        return False
    inside = [pair for pair in alignment.pairs if not pair.in_context]
    arguments = [pair for pair in inside if pair.claimed.kind in (Kind.NAME, Kind.NOUN)]
    # `The plant is in Busan`: the verb carries nothing, so the rest decides. Having offices in two places is fine.
    plain = not any(each.role is Role.PREDICATE for each in alignment.claim.words)
    located = plain and word.role is Role.PLACE and not alignment.claim.marks & {"has", "have", "had"}
    return bool(alignment.predicate_pairs or located) and (len(arguments) >= 1 or _superlative(alignment))


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


def _quantifiers(alignment: Alignment) -> Iterator[Finding]:
    shares = [figure for figure in alignment.passage.figures if figure.unit == "%"]
    own = [figure for figure in alignment.claim.figures if figure.unit == "%"]
    if shares and not own and _quantified(alignment.claim) & {"most", "few"}:
        return  # a share is compared with the figure, see `figure_checks`
    part = _nearest_part(alignment)
    mine = {name for name, _ in alignment.claim.quantifiers}
    theirs = {
        name
        for name, place in alignment.passage.quantifiers
        if part is None or part_of(alignment.passage.text, place) == part
    }
    if "only" in mine and "only" not in theirs:
        yield Conflict("QUANTIFIER", "only", "all") if "all" in theirs else Obstacle("QUANTIFIER", "only")
    ranked = [_SHARES[name] for name in mine if name in _SHARES and name != "none"]
    given = [_SHARES[name] for name in theirs if name in _SHARES and name != "none"]
    if ranked and given:
        firmer, opposed = max(ranked) > max(given), max(ranked) >= 4 and max(given) <= 1
        if (firmer and opposed) or (max(ranked) <= 1 and min(given) >= 4):
            yield Conflict("QUANTIFIER", _named(mine), _named(theirs))
        elif firmer:
            yield Obstacle("QUANTIFIER", _named(mine))
    elif ranked and min(ranked) >= 3:
        yield Obstacle("QUANTIFIER", _named(mine))
    elif given and max(given) in (1, 2, 4):
        yield Obstacle("QUANTIFIER", _named(theirs))


def _nearest_part(alignment: Alignment) -> int | None:
    """The part of an enumeration in which most of the claim lies."""
    parts = [part_of(alignment.passage.text, pair.found.start) for pair in alignment.pairs if not pair.in_context]
    return max(sorted(set(parts)), key=parts.count) if parts else None


def _named(names: set[str]) -> str:
    return ", ".join(sorted(name for name in names if name in _SHARES))


def _mood(alignment: Alignment) -> Iterator[Finding]:
    """A claim may be looser than its source, never firmer."""
    for pair in alignment.predicate_pairs or [pair for pair in alignment.pairs if not pair.in_context]:
        mine, theirs = _clause(alignment.claim, pair.claimed), _clause(alignment.passage, pair.found)
        if mine is None or theirs is None:
            continue
        if theirs.link in ("if", "unless") and mine.link not in ("if", "unless"):
            yield Obstacle("CONDITION", pair.claimed.text)
        if _FIRMNESS[mine.mood] > _FIRMNESS[theirs.mood]:
            yield Obstacle("MOOD", pair.claimed.text)
    if not _attributed(alignment):
        for pair in alignment.pairs:
            mine, theirs = _clause(alignment.claim, pair.claimed), _clause(alignment.passage, pair.found)
            reported = theirs is not None and theirs.link == "that" and not pair.in_context
            if reported and mine is not None and mine.link != "that":
                yield Obstacle("ATTRIBUTION", pair.claimed.text)
                break
    conditions = [clause for clause in alignment.passage.clauses if clause.link in ("if", "unless")]
    if conditions and not any(clause.link in ("if", "unless") for clause in alignment.claim.clauses):
        yield Obstacle("CONDITION", alignment.passage.text[conditions[0].start : conditions[0].end])


def _attributed(alignment: Alignment) -> bool:
    if "according" in alignment.claim.marks or "따르면" in alignment.claim.text:
        return True
    return any(pair.claimed.lemma in _REPORTING for pair in alignment.pairs if pair.claimed.kind is Kind.VERB)


def _cause(alignment: Alignment) -> Iterator[Finding]:
    mine = [word for word in alignment.claim.words if word.role is Role.CAUSE] or _clause_words(
        alignment.claim, "because"
    )
    theirs = [word for word in alignment.passage.words if word.role is Role.CAUSE] or _clause_words(
        alignment.passage, "because"
    )
    if not mine:
        return
    if not theirs:
        yield Obstacle("CAUSE", mine[0].text)
        return
    matched = {id(pair.found) for pair in alignment.pairs if any(pair.claimed is word for word in mine)}
    if not any(id(word) in matched for word in theirs) and any(word in alignment.missing for word in mine):
        yield Conflict("CAUSE", " ".join(word.text for word in mine), " ".join(word.text for word in theirs))


def _clause_words(parsed: Parsed, link: str) -> list[Word]:
    indexes = {clause.index for clause in parsed.clauses if clause.link == link}
    return [word for word in parsed.words if word.clause in indexes]


def _narrowed(alignment: Alignment) -> Iterator[Finding]:
    """What is denied of a part is not denied of the whole: "not certified under X" is not "not certified"."""
    negated = [pair for pair in alignment.pairs if pair.claimed.negated and pair.found.negated and pair.same]
    if not negated:
        return
    used = {id(pair.found) for pair in alignment.pairs}
    for word in alignment.passage.words:
        if (
            id(word) not in used
            and word.clause == negated[0].found.clause
            and word.role in (Role.OBJECT, Role.OF, Role.PLACE, Role.WITH, Role.OTHER)
            and word.kind in (Kind.NAME, Kind.NOUN)
        ):
            yield Obstacle("NARROWER", word.text)
            return


_BOUNDARIES = word_list("english", "boundaries") | word_list("korean", "boundaries")


def _boundary(alignment: Alignment) -> Iterator[Finding]:
    """ "before 2.7" does not speak of 2.7."""
    used = {id(pair.found) for pair in alignment.pairs}
    for word in alignment.passage.words:
        if word.lemma not in _BOUNDARIES or id(word) in used:
            continue
        beside = [
            pair
            for pair in alignment.pairs
            if not pair.in_context
            and (
                0 <= pair.found.start - word.end <= 5
                if alignment.passage.language == "en"
                else 0 <= word.start - pair.found.end <= 2
            )
        ]
        if beside:
            yield Obstacle("BOUNDARY", word.text)
            return
