"""What a word describes: a black jacket on a motorbike is not a jacket on a black motorbike."""

from collections.abc import Iterator

from packs.claims.alignment import Alignment, Pair
from packs.claims.findings import Finding, Obstacle
from packs.claims.parsed import Kind, Parsed, Role, Word


def check_modifiers(alignment: Alignment) -> Iterator[Finding]:
    yield from _describes_another(alignment)
    yield from _attached_to_another(alignment)
    yield from _described_otherwise(alignment)


def _inside(alignment: Alignment) -> list[Pair]:
    return [pair for pair in alignment.pairs if pair.same and not pair.in_context]


def _at(parsed: Parsed, place: int) -> Word | None:
    return next((word for word in parsed.words if word.start == place), None) if place >= 0 else None


def _chain(parsed: Parsed, word: Word) -> set[int]:
    """Places of the nouns that a word describes, directly or through another noun."""
    places: set[int] = set()
    at: Word | None = word
    while at is not None and at.head >= 0 and at.head not in places:
        places.add(at.head)
        at = _at(parsed, at.head)
    return places


def _describes_another(alignment: Alignment) -> Iterator[Finding]:
    passage = alignment.passage
    for pair in _inside(alignment):
        head = _at(alignment.claim, pair.claimed.head)
        found = alignment.of(head) if head is not None else None
        if head is None or found is None or found.in_context or not found.same or pair.found.head < 0:
            continue
        alike = [word for word in passage.words if word.lemma == pair.found.lemma]
        described = {place for word in alike for place in _chain(passage, word)}
        beside = found.found.head in described and found.found.head >= 0
        if found.found.start not in described and not beside and found.found is not pair.found:
            yield Obstacle("MODIFIER", f"{pair.claimed.text} {head.text}")
            return


def _attached_to_another(alignment: Alignment) -> Iterator[Finding]:
    """ "A woman in a hat looks at a girl" does not say that the girl has a hat."""
    passage = alignment.passage
    for pair in _inside(alignment):
        holder = _at(alignment.claim, pair.claimed.attached)
        found = alignment.of(holder) if holder is not None else None
        theirs = _at(passage, pair.found.attached)
        if holder is None or found is None or found.in_context or theirs is None or holder.kind is Kind.VERB:
            continue
        # Behind the verb a preposition may as well belong to the verb.
        if not _before_the_verb(alignment.claim, holder) and not _before_the_verb(passage, theirs):
            continue
        if (
            found.found is not theirs
            and found.found.lemma != theirs.lemma
            and not _one_phrase(passage, found.found, theirs)
        ):
            yield Obstacle("MODIFIER", f"{holder.text} … {pair.claimed.text}")
            return


def _before_the_verb(parsed: Parsed, word: Word) -> bool:
    verbs = [each.start for each in parsed.words if each.role is Role.PREDICATE and each.clause == word.clause]
    return word.start < min(verbs, default=0)


def _one_phrase(passage: Parsed, one: Word, other: Word) -> bool:
    return other.start in _chain(passage, one) or one.start in _chain(passage, other)


def _described_otherwise(alignment: Alignment) -> Iterator[Finding]:
    """ "The dam's output" is not confirmed by what a sentence says of solar output."""
    used = {id(pair.found) for pair in alignment.pairs}
    outside = [pair.claimed for pair in alignment.pairs if pair.in_context] + alignment.missing
    for word in outside:
        head = _at(alignment.claim, word.head)
        found = alignment.of(head) if head is not None else None
        if head is None or found is None or found.in_context or word.kind not in (Kind.NAME, Kind.NOUN):
            continue
        rivals = [
            other
            for other in alignment.passage.words
            if id(other) not in used
            and other.kind in (Kind.NAME, Kind.NOUN, Kind.QUALITY)
            and other.role is not Role.PREDICATE
            and found.found.start in _chain(alignment.passage, other)
        ]
        if rivals:
            yield Obstacle("SUBJECT", word.text)
            return
