"""Contrasts inside one passage: this rose and that fell, more here than there, all but one, unlike the other."""

import re
from collections.abc import Iterator

from packs.claims.alignment import Alignment, Pair
from packs.claims.findings import Conflict, Finding, Obstacle
from packs.claims.lexicon import Relation
from packs.claims.parsed import Kind, Parsed, Role, Word
from packs.claims.relate import relation


def check_contrasts(alignment: Alignment) -> Iterator[Finding]:
    yield from _other_side(alignment)
    yield from _than(alignment)
    yield from _excepted(alignment)
    yield from _unlike(alignment)
    yield from _complement_elsewhere(alignment)


_THINGS = (Kind.NAME, Kind.NOUN)


def _other_side(alignment: Alignment) -> Iterator[Finding]:
    """ "Sales rose in Spain but fell in Italy": with Italy stands the opposite of "rose"."""
    for verb in alignment.pairs:
        if verb.in_context or verb.claimed.role is not Role.PREDICATE or not verb.same:
            continue
        for pair in alignment.pairs:
            if (
                pair.in_context
                or not pair.same
                or pair.claimed.kind not in _THINGS
                or pair.claimed.clause != verb.claimed.clause
                or pair.found.clause == verb.found.clause
                or _occurs(alignment.passage, pair.found) > 1
            ):
                continue
            words = alignment.passage.words
            against = [
                word
                for word in words
                if word.clause == pair.found.clause and word.role is Role.PREDICATE and _excludes(verb, word, alignment)
            ]
            rivals = [
                word
                for word in words
                if word.role is pair.found.role and word.kind in _THINGS and not alignment.claims_of(word)
            ]
            here = any(word.clause == verb.found.clause for word in rivals)
            there = any(word.clause == pair.found.clause for word in rivals)
            if against and here and not there and _stated(alignment, verb.found, pair.found):
                yield Conflict("CONTRAST", f"{pair.claimed.text} {verb.claimed.text}", against[0].text)
                return


def _stated(alignment: Alignment, *words: Word) -> bool:
    clauses = [alignment.passage.clause_of(word) for word in words]
    return all(clause is not None and clause.main for clause in clauses)


def _occurs(passage: Parsed, word: Word) -> int:
    return sum(each.lemma == word.lemma for each in passage.words)


def _excludes(verb: Pair, word: Word, alignment: Alignment) -> bool:
    found = relation(verb.claimed, word, alignment.claim.language)
    if found is Relation.SAME:
        return verb.claimed.negated != word.negated
    return found in (Relation.OPPOSITE, Relation.COMPLEMENT) and verb.claimed.negated == word.negated


_THAN = re.compile(r"\bthan\b|보다")


def _than(alignment: Alignment) -> Iterator[Finding]:
    """What is more and what it is more than must not change sides."""
    marks = [_THAN.search(parsed.text) for parsed in (alignment.claim, alignment.passage)]
    if marks[0] is None and marks[1] is not None:
        yield from _compared_with(alignment, marks[1])
    if marks[0] is None or marks[1] is None:
        return
    first, second = marks[0], marks[1]
    if len(_THAN.findall(alignment.passage.text)) > len(_THAN.findall(alignment.claim.text)):
        yield Obstacle("COMPARISON", first.group())
        return
    here: list[Pair] = []
    there: list[Pair] = []
    for pair in alignment.pairs:
        apart = pair.claimed.lemma in _sided(alignment) and pair.claimed.kind is not Kind.VERB
        if pair.in_context or not pair.same or not apart:
            continue
        behind = _behind(alignment.claim, pair.claimed, first), _behind(alignment.passage, pair.found, second)
        if behind[0] != behind[1]:
            (there if behind[0] else here).append(pair)
    turned = sum(not pair.same or pair.claimed.negated != pair.found.negated for pair in alignment.pairs) % 2
    if here and there and not turned:
        yield Conflict("ROLES", f"{here[0].claimed.text} / {there[0].claimed.text}", there[0].found.text)
    elif here or there:
        yield Obstacle("ROLES", (here or there)[0].claimed.text)


def _compared_with(alignment: Alignment, mark: re.Match[str]) -> Iterator[Finding]:
    """ "The north shore is steeper than the south shore" does not say that the south shore is the steeper one."""
    qualities = [pair for pair in alignment.pairs if pair.claimed.kind is Kind.QUALITY and not pair.in_context]
    subjects = [
        pair
        for pair in alignment.pairs
        if pair.claimed.role in (Role.SUBJECT, Role.TOPIC)
        and not pair.in_context
        and pair.same
        and pair.claimed.lemma in _sided(alignment)
    ]
    behind = [pair for pair in subjects if _behind(alignment.passage, pair.found, mark)]
    if not behind or not qualities:
        return
    before = [pair for pair in subjects if pair not in behind]
    compared = qualities[0]
    if before or not compared.same or compared.claimed.negated != compared.found.negated:
        yield Obstacle("COMPARISON", behind[0].claimed.text)
    else:
        yield Conflict("ROLES", behind[0].claimed.text, mark.group() + " " + behind[0].found.text)


def _sided(alignment: Alignment) -> set[str]:
    """Words that stand once in the claim and once in the passage: those that tell the sides apart."""
    claimed = [word.lemma for word in alignment.claim.words]
    found = [word.lemma for word in alignment.passage.words]
    return {lemma for lemma in claimed if claimed.count(lemma) == 1 and found.count(lemma) == 1}


def _behind(parsed: Parsed, word: Word, mark: re.Match[str]) -> bool:
    """On the side it is compared with: behind "than" in English, just before 보다 in Korean."""
    if parsed.language == "ko":
        # 지난해 4,000원보다: the figure that is compared with is last year's.
        of_it = any(each.role is Role.THAN and 0 <= each.start - word.end <= 1 for each in parsed.figures)
        return word.role is Role.THAN or 0 <= mark.start() - word.end <= 1 or of_it
    return word.start > mark.end()


_EXCEPT = re.compile(r"\b(?:except|apart from|other than|excluding)\b|제외|빼고|말고", re.IGNORECASE)
_EVERY_DAY = re.compile(r"\b(?:daily|every day)\b|매일|언제나|항상", re.IGNORECASE)


def _excepted(alignment: Alignment) -> Iterator[Finding]:
    """All but one is not all."""
    if not _EXCEPT.search(alignment.passage.text) or _EXCEPT.search(alignment.claim.text):
        return
    if "all" in alignment.claim.quantified or _EVERY_DAY.search(alignment.claim.text):
        yield Obstacle("QUANTIFIER", "all")


_UNLIKE = re.compile(r"\b(?:unlike|in contrast to|contrary to)\s(?:the\s|its\s)?$", re.IGNORECASE)
_UNLIKE_BEHIND = re.compile(r"(?:와|과)?(?:는)?\s?(?:달리|반대로)")


def _unlike(alignment: Alignment) -> Iterator[Finding]:
    """ "Unlike Sweden, Norway is a member" says nothing of the kind of Sweden."""
    text = alignment.passage.text
    for pair in alignment.pairs:
        if not pair.in_context and (
            _UNLIKE.search(text[: pair.found.start]) or _UNLIKE_BEHIND.match(text[pair.found.end :])
        ):
            yield Obstacle("ROLES", pair.claimed.text)
            return


_BESIDE = (Role.OTHER, Role.PLACE, Role.TO, Role.FROM, Role.WITH)


def _complement_elsewhere(alignment: Alignment) -> Iterator[Finding]:
    """A claim without a verb, "safe for children": the whole of it stands with what is said of the subject."""
    claim = alignment.claim
    if any(word.role is Role.PREDICATE for word in claim.words):
        return
    inside = [pair for pair in alignment.pairs if not pair.in_context]
    said = {pair.found.clause for pair in inside if pair.claimed.role is Role.OBJECT}
    for pair in inside:
        own = any(
            word.clause in said and word.role is Role.SUBJECT and not alignment.claims_of(word)
            for word in alignment.passage.words
        )
        away = pair.claimed.role in _BESIDE or (pair.claimed.role is Role.SUBJECT and own)
        if said and away and pair.found.clause not in said:
            yield Obstacle("CLAUSE", pair.claimed.text)
            return
