"""Checks that the words of a claim are said of one event: same verb, same place in time, no hedge, no alternative."""

import re
from collections.abc import Iterator

from packs.claims.alignment import Alignment, Pair
from packs.claims.compare import Match, agree, dates_agree
from packs.claims.date_checks import order_of
from packs.claims.findings import Finding, Obstacle
from packs.claims.lexicon import word_list
from packs.claims.parsed import Kind, Parsed, Role, Word
from packs.claims.parts import part_of
from packs.text.morphemes import english_lemma

_OF_THE_VERB = (Role.OBJECT, Role.FROM, Role.TO, Role.WITH, Role.PLACE, Role.OTHER)


def check_events(alignment: Alignment) -> Iterator[Finding]:
    yield from _hedged(alignment)
    yield from _only_intended(alignment)
    yield from _so_called(alignment)
    yield from _from_elsewhere(alignment)
    yield from _other_item(alignment)
    yield from _infinitive(alignment)
    yield from _each_time(alignment)
    yield from _alternatives(alignment)
    yield from _elsewhere(alignment)
    yield from _subject_elsewhere(alignment)
    yield from _other_event(alignment)
    yield from _order(alignment)


_HEDGES = {"en": word_list("english", "hedges"), "ko": word_list("korean", "hedges")}


def _hedged(alignment: Alignment) -> Iterator[Finding]:
    """What supposedly or almost happened is not said to have happened."""
    unsaid = (alignment.passage.marks & _HEDGES[alignment.passage.language]) - alignment.claim.marks
    text = alignment.passage.text
    parts = {part_of(text, pair.found.start) for pair in alignment.pairs if not pair.in_context}
    for hedge in sorted(unsaid):
        # "62 percent daily, 17 percent hardly ever": a hedge in another part of a list.
        if part_of(text, text.lower().find(hedge)) in parts:
            yield Obstacle("MOOD", hedge)


_NOT_FACTS = word_list("english", "not_facts") | word_list("korean", "not_facts")


def _only_intended(alignment: Alignment) -> Iterator[Finding]:
    """What somebody expects, demands or considers is not said to happen."""
    used = {id(pair.found) for pair in alignment.pairs}
    said = {word.lemma for word in alignment.claim.words}
    for verb in alignment.passage.words:
        if verb.role is not Role.PREDICATE or verb.lemma not in _NOT_FACTS or id(verb) in used or verb.lemma in said:
            continue
        if any(not pair.in_context and _depends(alignment, pair, verb) for pair in alignment.pairs):
            yield Obstacle("ATTRIBUTION", verb.text)
            return


def _depends(alignment: Alignment, pair: Pair, verb: Word) -> bool:
    """Whether a word found in the passage is what the verb speaks of: behind it in English, before it in Korean."""
    if pair.claimed.role is not Role.PREDICATE and pair.found.role is Role.SUBJECT:
        return False
    if alignment.passage.language == "ko":
        return pair.found.clause == verb.clause and pair.found.end <= verb.start
    return verb.end <= pair.found.start and pair.found.clause - verb.clause in (0, 1)


_PRIVATIVE = word_list("english", "privative") | word_list("korean", "privative")
_BESIDE = 2


def _so_called(alignment: Alignment) -> Iterator[Finding]:
    """A former mayor is no mayor, a planned bridge no bridge."""
    used = {id(pair.found) for pair in alignment.pairs}
    for word in alignment.passage.words:
        if word.lemma in _PRIVATIVE and id(word) not in used:
            for pair in alignment.pairs:
                if not pair.in_context and 0 <= pair.found.start - word.end <= _BESIDE:
                    yield Obstacle("MOOD", word.text)
                    return


_OF_THIS_EVENT = (Role.OBJECT, Role.FROM, Role.TO, Role.THAN, Role.CAUSE)


def _from_elsewhere(alignment: Alignment) -> Iterator[Finding]:
    """Whom or what the verb concerns stands with it. A neighbouring sentence may only name who is spoken of."""
    for pair in alignment.pairs:
        if pair.in_context and pair.claimed.role in _OF_THIS_EVENT and not _left_unsaid(alignment, pair):
            yield Obstacle("NEIGHBOUR", pair.claimed.text)
            return


def _left_unsaid(alignment: Alignment, pair: Pair) -> bool:
    """What was just spoken of: 군인들이 훔쳐 갔다 leaves the object out, "soldiers stole it" has a pronoun."""
    passage = alignment.passage
    verbs = {each.found.clause for each in alignment.predicate_pairs if each.found.role is Role.PREDICATE}
    if not verbs or pair.claimed.role not in (Role.OBJECT, Role.TO):
        return False
    if passage.language == "en":
        return any(
            each.lemma in ("it", "them") and each.role is pair.claimed.role and each.clause in verbs
            for each in passage.pronouns
        )
    places = [(each.role, each.clause) for each in passage.words] + [
        (each.role, each.clause) for each in passage.figures
    ]
    own = any(role is Role.OBJECT and clause in verbs for role, clause in places)
    return pair.claimed.role is Role.OBJECT and not own and pair.found.role in (Role.SUBJECT, Role.OBJECT, Role.TOPIC)


def _other_item(alignment: Alignment) -> Iterator[Finding]:
    """시공은 한울건설, 감리는 새길기술이 맡았다: of a list, what is said of one is not said of its neighbour."""
    passage = alignment.passage
    korean = passage.language == "ko"
    inside = [pair for pair in alignment.pairs if not pair.in_context]
    used = {id(pair.found) for pair in inside}
    for verb in inside:
        if verb.claimed.role is not Role.PREDICATE:
            continue
        part = part_of(passage.text, verb.found.start)
        for pair in inside:
            if (
                pair.claimed.clause != verb.claimed.clause
                or (pair.claimed.role not in (Role.SUBJECT, Role.OF) if korean else pair.claimed.kind is not Kind.NAME)
                or part_of(passage.text, pair.found.start) == part
                or _with_its_figure(alignment, pair)
                or any(
                    word.lemma == pair.found.lemma and part_of(passage.text, word.start) == part
                    for word in passage.words
                )
            ):
                continue
            rivals = [
                word
                for word in passage.words
                if id(word) not in used
                and word.kind in ((Kind.NAME, Kind.NOUN) if korean else (Kind.NAME,))
                and word.role in ((pair.found.role, Role.OF) if korean else (pair.found.role,))
                and not any(0 <= each.start - word.end <= 1 for each in passage.figures)
                and part_of(passage.text, word.start) == part
            ]
            if rivals:
                yield Obstacle("CLAUSE", pair.claimed.text)
                return


def _with_its_figure(alignment: Alignment, pair: Pair) -> bool:
    """ "5 percent in Europe and 12 percent in Asia": the figure shows that the part goes on with the same verb."""
    part = part_of(alignment.passage.text, pair.found.start)
    own = [each for each in alignment.passage.figures if part_of(alignment.passage.text, each.start) == part]
    return any(agree(one, two) is Match.AGREES for one in alignment.claim.figures for two in own)


_AS_FACT = frozenset(("manage", "begin", "start", "continue", "help", "come", "go"))
_TO = re.compile(r"(?:([A-Za-z]+)\s)?to\s$")


def _infinitive(alignment: Alignment) -> Iterator[Finding]:
    """Who has until June to appeal has not appealed."""
    if alignment.passage.language != "en":
        return
    for pair in alignment.pairs:
        if pair.in_context or pair.claimed.role is not Role.PREDICATE or pair.found.kind is not Kind.VERB:
            continue
        if pair.claimed.negated and pair.found.negated:
            continue  # who refused to extend it did not extend it
        found = _TO.search(alignment.passage.text[: pair.found.start])
        if found is None or _TO.search(alignment.claim.text[: pair.claimed.start]):
            continue
        before = english_lemma(found[1]) if found[1] else ""
        if before in _AS_FACT or before in {word.lemma for word in alignment.claim.words}:
            continue
        if not alignment.claim.marks & _MAY:
            yield Obstacle("MOOD", pair.claimed.text)
            return


_MAY = frozenset(("may", "can", "could", "might", "must", "should"))


def _each_time(alignment: Alignment) -> Iterator[Finding]:
    """열 번 쓸 때마다 is not 쓸 때마다: how often stands in the passage and not in the claim."""
    claim, passage = alignment.claim, alignment.passage
    if not claim.figures and "마다" in claim.text and "마다" in passage.text:
        place = passage.text.index("마다")
        counted = [each for each in passage.figures if 0 <= place - each.end <= _COUNTED_WITHIN]
        if counted:
            yield Obstacle("FIGURE", counted[0].text)


_COUNTED_WITHIN = 8

_OR = re.compile(r"[A-Za-z]\s+or\s+(?:an?\s+|the\s+)?(?=[A-Za-z])|[가-힣](?:이나|거나|나)\s|\s(?:또는|혹은)\s")


def _alternatives(alignment: Alignment) -> Iterator[Finding]:
    """ "The doctor or the lawyer" does not say that it was the lawyer."""
    text = alignment.passage.text
    used = {id(pair.found) for pair in alignment.pairs}
    for match in _OR.finditer(text):
        before = [word for word in alignment.passage.words if word.end <= match.start() + 1]
        after = [word for word in alignment.passage.words if word.start >= match.end() - 1]
        if not before or not after:
            continue
        one, other = max(before, key=lambda word: word.end), min(after, key=lambda word: word.start)
        if (id(one) in used) != (id(other) in used):
            yield Obstacle("ALTERNATIVE", text[one.start : other.end])
            return


def _elsewhere(alignment: Alignment) -> Iterator[Finding]:
    """Where, to whom and with what: said of one verb, it is not said of another. A subject is inherited, forwards."""
    for predicate in alignment.pairs:
        if predicate.claimed.role is not Role.PREDICATE or predicate.in_context:
            continue
        for pair in alignment.pairs:
            if (
                not pair.in_context
                and pair is not predicate
                and pair.claimed.clause == predicate.claimed.clause
                and pair.found.clause != predicate.found.clause
                and not _said_again(alignment, pair, predicate)
                and _bound_elsewhere(alignment, pair, predicate)
            ):
                yield Obstacle("CLAUSE", pair.claimed.text)
                return


def _said_again(alignment: Alignment, pair: Pair, predicate: Pair) -> bool:
    """ "Plan A costs 10 and Plan B costs 20": the same word stands with the verb as well."""
    return any(
        word.lemma == pair.found.lemma and word.clause == predicate.found.clause and word.role is pair.found.role
        for word in alignment.passage.words
    )


def _subject_elsewhere(alignment: Alignment) -> Iterator[Finding]:
    """A claim without a verb ("Lyon is the largest base"): its subject stands where the rest of it stands."""
    if any(word.role is Role.PREDICATE for word in alignment.claim.words):
        return
    inside = [pair for pair in alignment.pairs if not pair.in_context]
    rest = [pair.found.clause for pair in inside if pair.claimed.role is not Role.SUBJECT]
    if rest and any(pair.claimed.role is Role.SUBJECT and pair.found.clause > max(rest) for pair in inside):
        yield Obstacle("CLAUSE", next(pair.claimed.text for pair in inside if pair.claimed.role is Role.SUBJECT))


def _bound_elsewhere(alignment: Alignment, pair: Pair, predicate: Pair) -> bool:
    words = alignment.passage.words
    first = min((each.start for each in words if each.clause == predicate.found.clause), default=0)
    next_one = predicate.found.clause - pair.found.clause == 1 and alignment.passage.language == "en"
    if predicate.found.start == first and next_one and _surface_subject(alignment, pair.found):
        return False  # "was directed by Ruiz and produced by Park": the subject goes on
    verbs = [each.start for each in words if each.clause == pair.found.clause and each.role is Role.PREDICATE]
    agent = pair.found.role is Role.SUBJECT and bool(verbs) and pair.found.start > min(verbs)
    if agent and alignment.passage.language == "en" and pair.claimed.role is Role.SUBJECT:
        return True  # "reported by Novak and fixed": who reported it is not said to have fixed it
    told = next((each for each in alignment.passage.clauses if each.index == pair.found.clause), None)
    if told is not None and told.link == "that" and predicate.found.lemma in _REPORTING:
        return False  # "reports a share of 31 percent" and "reports that its share is 31 percent"
    if pair.claimed.role in _OF_THE_VERB and pair.found.clause < predicate.found.clause:
        return any(each.clause == pair.found.clause and each.role is Role.PREDICATE for each in words)
    if pair.claimed.role not in (*_OF_THE_VERB, Role.SUBJECT, Role.TOPIC):
        return False
    own = [
        each
        for each in words
        if each.clause == predicate.found.clause
        and each.role is Role.SUBJECT
        and each.kind in (Kind.NAME, Kind.NOUN)
        and (pair.claimed.role is Role.SUBJECT or not alignment.claims_of(each))
    ]
    return pair.found.clause > predicate.found.clause or bool(own)


def _surface_subject(alignment: Alignment, word: Word) -> bool:
    """It stands before the verb of its clause, also in the passive."""
    verbs = [
        each.start for each in alignment.passage.words if each.clause == word.clause and each.role is Role.PREDICATE
    ]
    return bool(verbs) and word.start < min(verbs) and word.role is Role.OBJECT


def _other_event(alignment: Alignment) -> Iterator[Finding]:
    """A claim without a verb of its own ("has", "gets") is not carried by a passage whose verb says something else."""
    passage = alignment.passage
    for clause in alignment.claim.clauses:
        mine = [word for word in alignment.claim.words if word.clause == clause.index]
        pairs = [pair for word in mine if (pair := alignment.of(word)) and not pair.in_context]
        if not pairs or any(word.role is Role.PREDICATE for word in mine) or alignment.claim.figures:
            continue
        places = [pair.found.clause for pair in pairs]
        where = max(sorted(set(places)), key=places.count)
        verbs = [word for word in passage.words if word.clause == where and _says_something(word)]
        if verbs and not any(alignment.claims_of(word) for word in verbs) and not _named_so(alignment, pairs):
            yield Obstacle("PREDICATE", verbs[0].text)
            return


_CALLED_BEFORE = re.compile(r"\s?(?:and\s(?:[a-z-]+\s){1,2})?")
_CALLED = re.compile(r"\s(?:is|was|are|were)\s(?:an?|the|one of)\s")
_CALLED_BEHIND = re.compile(r"(?:\s?\([^()]*\))?,\s(?:an?|the|its|his|her|their)\s(?:[\w-]+\s){0,4}")


def _named_so(alignment: Alignment, pairs: list[Pair]) -> bool:
    """ "Rapper Nicki Minaj released …" and "Minaj, a rapper, released …" say what Minaj is, whatever else she did."""
    if alignment.passage.language != "en" or not alignment.claim.marks & _IS:
        return False
    text = alignment.passage.text
    subjects = [pair.found for pair in pairs if pair.claimed.role is Role.SUBJECT]
    called = [pair.found for pair in pairs if pair.claimed.role is Role.OBJECT]
    if not subjects or not called or len(subjects) + len(called) != len(pairs):
        return False
    first, last = min(subjects, key=lambda word: word.start), max(subjects, key=lambda word: word.end)
    title = max(called, key=lambda word: word.end)
    if title.kind is not Kind.NOUN or any(word.kind is not Kind.NAME for word in subjects):
        return False
    if title.end <= first.start:
        return bool(_CALLED_BEFORE.fullmatch(text[title.end : first.start]))
    between = text[last.end : title.start]
    verbs = [word for word in alignment.passage.words if word.role is Role.PREDICATE and word.end <= title.start]
    # "X is a film directed by Ruiz": what it is, and then what was done with it.
    plain = bool(_CALLED.search(between)) and not any(word.start >= last.end for word in verbs)
    return plain or bool(_CALLED_BEHIND.fullmatch(between))


_IS = frozenset(("is", "was", "are", "were"))


def _says_something(word: Word) -> bool:
    # A word before a noun only describes it: "is a federal republic in Asia" says that it is in Asia.
    describes = word.head >= 0
    return word.role is Role.PREDICATE or (word.kind is Kind.QUALITY and word.role is Role.OBJECT and not describes)


_REPORTING = word_list("english", "reporting_verbs") | word_list("korean", "reporting_verbs")
_EVENT_NEAR = 24
_BEFORE = re.compile(r"\b(?:before|prior to|ahead of)\b|기 전|(?<![가-힣])(?:이전|직전|전에)", re.IGNORECASE)
_AFTER = re.compile(r"\b(?:after|following|since|once)\b|[가-힣] (?:뒤|후|다음)|이후|직후|나서", re.IGNORECASE)


def _order(alignment: Alignment) -> Iterator[Finding]:
    """What came first must be said by the passage as well, of the same event."""
    for order in (_BEFORE, _AFTER):
        said = order.search(alignment.claim.text)
        mine, theirs = (
            any(order_of(parsed.text, each) for each in parsed.dates) for parsed in (alignment.claim, alignment.passage)
        )
        if said and mine and not theirs:
            continue  # `date_checks` compares the dates
        if said and not any(_same_event(alignment, said, other) for other in order.finditer(alignment.passage.text)):
            yield Obstacle("TIME", said.group())
            return


def _same_event(alignment: Alignment, said: re.Match[str], found: re.Match[str]) -> bool:
    """The event or date stands behind the word of order in English, before it in Korean."""
    claim, passage = alignment.claim, alignment.passage
    if claim.language == "ko":
        mine = _last_before(claim, said.end())
        theirs = _last_before(passage, found.end())
        return any(pair.claimed is mine and pair.found is theirs for pair in alignment.pairs)
    dates = [each for each in claim.dates if 0 <= each.start - said.end() <= _DATE_NEAR]
    if dates:
        near = [each for each in passage.dates if 0 <= each.start - found.end() <= _DATE_NEAR]
        return any(dates_agree(one, two) is Match.AGREES for one in dates for two in near)
    events = [pair for pair in alignment.pairs if 0 <= pair.claimed.start - said.end() <= _EVENT_NEAR]
    return any(0 <= pair.found.start - found.end() <= _EVENT_NEAR for pair in events)


_DATE_NEAR = 5


def _last_before(parsed: Parsed, place: int) -> Word | None:
    """What a word like 뒤 or 전에 follows: the last word that ends before it."""
    before = [word for word in parsed.words if word.end < place and word.text not in ("뒤", "후", "전", "다음")]
    return max(before, key=lambda word: word.end, default=None)
