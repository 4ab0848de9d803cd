"""Checks on the words of an alignment: polarity, roles, names, quantifiers, mood and cause."""

import re
from collections.abc import Iterator

from packs.claims.alignment import Alignment
from packs.claims.arithmetic import counted_shares
from packs.claims.compare import Match, agree
from packs.claims.contrast_checks import check_contrasts
from packs.claims.direction_checks import check_directions
from packs.claims.event_checks import check_events
from packs.claims.figure_checks import part_of_a_whole
from packs.claims.findings import Conflict, Finding, Obstacle
from packs.claims.lexicon import word_list
from packs.claims.modifier_checks import check_modifiers
from packs.claims.name_checks import check_names, check_subjects
from packs.claims.parsed import Kind, Mood, Parsed, Role, Word
from packs.claims.parts import part_of
from packs.claims.polarity_checks import check_polarity
from packs.claims.restriction_checks import check_restrictions
from packs.claims.role_checks import check_roles

_FIRMNESS = {Mood.STATED: 3, Mood.REQUIRED: 2, Mood.EXPECTED: 1, Mood.POSSIBLE: 0, Mood.CONDITIONAL: 0}
_REPORTING = word_list("english", "reporting_verbs") | word_list("korean", "reporting_verbs")
_SHARES = {"all": 5, "most": 4, "many": 3, "half": 3, "some": 2, "few": 1, "none": 0}


def check_words(alignment: Alignment) -> Iterator[Finding]:
    for word in alignment.missing:
        yield Obstacle("WORD", word.text)
    yield from check_polarity(alignment)
    yield from check_roles(alignment)
    yield from check_names(alignment)
    yield from check_subjects(alignment)
    yield from check_modifiers(alignment)
    yield from _quantifiers(alignment)
    yield from _mood(alignment)
    yield from _not_yet(alignment)
    yield from _other_speaker(alignment)
    yield from _cause(alignment)
    yield from _narrowed(alignment)
    yield from _boundary(alignment)
    yield from check_events(alignment)
    yield from check_contrasts(alignment)
    yield from check_restrictions(alignment)
    yield from check_directions(alignment)


def _quantifiers(alignment: Alignment) -> Iterator[Finding]:
    shares = [figure for figure in alignment.passage.figures if figure.unit == "%"]
    own = [figure for figure in alignment.claim.figures if figure.unit == "%"]
    if (shares or any(counted_shares(alignment))) and not own and alignment.claim.quantified & {"most", "few"}:
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
    part_only = _named_share(alignment) or part_of_a_whole(alignment)
    # "Did not cover all of it" is no claim about all of it.
    mine_all = "all" in mine and not any(word.negated for word in alignment.claim.words)
    if mine_all and "only" in theirs and "only" not in mine:
        yield Obstacle("QUANTIFIER", "all")  # "only one of the two filled all its rooms"
    if mine_all and part_only is not None:
        yield Conflict("QUANTIFIER", "all", part_only)
    elif mine_all and "most" in theirs and not alignment.claim.figures:
        yield Conflict("QUANTIFIER", "all", "most")
    elif ranked and given:
        firmer, opposed = max(ranked) > max(given), max(ranked) >= 4 and max(given) <= 1
        if (firmer and opposed) or (max(ranked) <= 1 and min(given) >= 4):
            yield Conflict("QUANTIFIER", _named(mine), _named(theirs))
        elif firmer:
            yield Obstacle("QUANTIFIER", _named(mine))
    elif ranked and min(ranked) >= 3:
        yield Obstacle("QUANTIFIER", _named(mine))
    elif given and max(given) in (1, 2, 4):
        yield Obstacle("QUANTIFIER", _named(theirs))


def _named_share(alignment: Alignment) -> str | None:
    """A share below the whole that the passage gives in the clause of the claim's verb."""
    clauses = {pair.found.clause for pair in alignment.predicate_pairs if pair.same}
    shares = [
        each
        for each in alignment.passage.figures
        if each.unit == "%" and each.clause in clauses and each.high < 100 and not each.bound and not each.is_range
    ]
    if len(shares) != 1 or len(alignment.passage.figures) > 2:
        return None
    return shares[0].text


def _nearest_part(alignment: Alignment) -> int | None:
    """The part of an enumeration in which most of the claim lies."""
    parts = [part_of(alignment.passage.text, pair.found.start) for pair in alignment.pairs if not pair.in_context]
    return max(sorted(set(parts)), key=parts.count) if parts else None


def _named(names: set[str]) -> str:
    return ", ".join(sorted(name for name in names if name in _SHARES))


def _mood(alignment: Alignment) -> Iterator[Finding]:
    """A claim may be looser than its source, never firmer."""
    for pair in alignment.predicate_pairs or [pair for pair in alignment.pairs if not pair.in_context]:
        mine, theirs = alignment.claim.clause_of(pair.claimed), alignment.passage.clause_of(pair.found)
        if mine is None or theirs is None:
            continue
        if theirs.link in ("if", "unless") and mine.link not in ("if", "unless"):
            yield Obstacle("CONDITION", pair.claimed.text)
        if mine.mood is Mood.POSSIBLE and theirs.mood is Mood.REQUIRED and not pair.found.negated:
            yield Obstacle("DIRECTION", pair.claimed.text)  # what somebody must do is not left to them
        if _FIRMNESS[mine.mood] > _FIRMNESS[theirs.mood]:
            yield Obstacle("MOOD", pair.claimed.text)
    if not _attributed(alignment):
        for pair in alignment.pairs:
            mine, theirs = alignment.claim.clause_of(pair.claimed), alignment.passage.clause_of(pair.found)
            reported = theirs is not None and theirs.link == "that" and not pair.in_context
            if reported and mine is not None and mine.link != "that":
                yield Obstacle("ATTRIBUTION", pair.claimed.text)
                break
    conditions = [clause for clause in alignment.passage.clauses if clause.link in ("if", "unless")]
    if conditions and not any(clause.link in ("if", "unless") for clause in alignment.claim.clauses):
        yield Obstacle("CONDITION", alignment.passage.text[conditions[0].start : conditions[0].end])
    if alignment.claim.language == "ko":
        yield from _figure_in_condition(alignment)


_CONDITIONAL_ENDING = re.compile(r"[을를이가은는]? ?[가-힣]{0,5}(?:으면|이면|하면|되면|라면|지면|리면|르면)(?=[ ,])")


def _figure_in_condition(alignment: Alignment) -> Iterator[Finding]:
    """ "If over 60 apply" does not say that 60 applied. The verb belongs to the figure and is no word of its own."""
    if _CONDITIONAL_ENDING.search(alignment.claim.text):
        return
    for figure in alignment.claim.figures:
        for each in alignment.passage.figures:
            behind = _CONDITIONAL_ENDING.match(alignment.passage.text[each.end :])
            if behind and agree(figure, each) is Match.AGREES:
                yield Obstacle("CONDITION", each.text + behind.group())
                return


_ALREADY = frozenset(("already", "이미", "벌써"))


def _not_yet(alignment: Alignment) -> Iterator[Finding]:
    """What is expected for later has not already happened."""
    if not alignment.claim.marks & _ALREADY or alignment.passage.marks & _ALREADY:
        return
    for pair in alignment.predicate_pairs:
        theirs = alignment.passage.clause_of(pair.found)
        mine = alignment.claim.clause_of(pair.claimed)
        if not pair.same or mine is None or theirs is None:
            continue
        if mine.mood is Mood.STATED and (theirs.mood is Mood.EXPECTED or _expected_of(alignment, pair.found)):
            yield Conflict("TIME", pair.claimed.text, pair.found.text)
            return


_EXPECTED = word_list("english", "expecting") | word_list("korean", "expected")


def _expected_of(alignment: Alignment, verb: Word) -> bool:
    return any(word.lemma in _EXPECTED and abs(word.clause - verb.clause) <= 1 for word in alignment.passage.words)


def _other_speaker(alignment: Alignment) -> Iterator[Finding]:
    """Somebody else said it: every word is there but the one who says it."""
    told = [
        pair
        for pair in alignment.pairs
        if pair.same and not pair.in_context and pair.claimed.lemma in _REPORTING and pair.found.lemma in _REPORTING
    ]
    if len(told) != 1 or told[0].claimed.negated != told[0].found.negated:
        return
    used = {id(pair.found) for pair in alignment.pairs}
    outside = [pair.claimed for pair in alignment.pairs if pair.in_context]
    mine = [
        word
        for word in (*alignment.missing, *alignment.generic, *outside)
        if word.role in (Role.SUBJECT, Role.TOPIC) and word.kind is not Kind.VERB
    ]
    theirs = [
        word
        for word in alignment.passage.words
        if word.role is Role.SUBJECT and word.clause == told[0].found.clause and id(word) not in used
    ]
    others = [word for word in alignment.missing if word not in mine]
    if mine and theirs and not others and all(word.clause == told[0].claimed.clause for word in mine):
        yield Conflict("NAME", mine[0].text, theirs[-1].text)


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
    if (
        matched
        and not any(id(word) in matched for word in theirs)
        and not any(word in alignment.missing for word in mine)
    ):
        yield Obstacle("CAUSE", mine[0].text)  # what was the cause there is the effect here
    elif not any(id(word) in matched for word in theirs) and any(word in alignment.missing for word in mine):
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
