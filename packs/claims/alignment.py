"""A claim laid over one passage, word by word: what corresponds, what is the opposite, what has no counterpart."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from packs.claims import english_words, korean
from packs.claims.lexicon import Relation
from packs.claims.parsed import Kind, Parsed, Role, Word
from packs.claims.relate import relation


@dataclass(frozen=True)
class Pair:
    claimed: Word
    found: Word
    relation: Relation
    in_context: bool = False
    """Found in a neighbouring sentence or the title, not in the passage itself."""

    @property
    def same(self) -> bool:
        return self.relation in (Relation.SAME, Relation.BROADER)


@dataclass
class Alignment:
    claim: Parsed
    passage: Parsed
    pairs: list[Pair] = field(default_factory=list)
    missing: list[Word] = field(default_factory=list)
    generic: list[Word] = field(default_factory=list)
    """Subjects such as "the company" that a passage may leave unsaid."""

    around: tuple[Parsed, ...] = ()
    """The sentences around the passage."""
    settled: set[str] = field(default_factory=set)
    """Words without a counterpart that arithmetic accounts for."""

    def of(self, word: Word) -> Pair | None:
        return next((pair for pair in self.pairs if pair.claimed is word), None)

    def claims_of(self, found: Word) -> list[Word]:
        return [pair.claimed for pair in self.pairs if pair.found is found]

    @property
    def predicate_pairs(self) -> list[Pair]:
        return [pair for pair in self.pairs if not pair.in_context and _is_predicate(pair.claimed)]

    @property
    def share(self) -> float:
        """How much of the claim has a counterpart in the passage itself, opposites included."""
        open_words = [word for word in self.missing if word.text not in self.settled]
        total = len(self.pairs) + len(open_words) + len(self.generic)
        inside = sum(not pair.in_context for pair in self.pairs)
        return inside / total if total else 0.0


def _is_predicate(word: Word) -> bool:
    return word.role is Role.PREDICATE or word.kind in (Kind.VERB, Kind.QUALITY)


def align(claim: Parsed, words: Sequence[Word], passage: Parsed, context: Iterable[Word]) -> Alignment:
    """`words` are the claim's words to be found (all of it, or one clause)."""
    result = Alignment(claim, passage)
    nearby = list(context)
    taken: set[int] = set()
    for word in words:
        pair = _best(word, passage.words, claim.language, taken)
        if pair is None:
            pair = next(
                (
                    Pair(word, other, Relation.SAME, True)
                    for other in nearby
                    if relation(word, other, claim.language) is Relation.SAME
                ),
                None,
            )
        if pair is not None:
            result.pairs.append(pair)
            if not pair.in_context:
                taken.add(id(pair.found))
        elif _is_generic(word, claim.language):
            result.generic.append(word)
        else:
            result.missing.append(word)
    _keep_together(result)
    if claim.language == "en":
        _keep_names_whole(result)
    return result


def _keep_names_whole(alignment: Alignment) -> None:
    """ "Hirving Lozano" is the Lozano of the passage, where the title or a sentence beside it gives the whole name."""
    inside = {id(pair.claimed): pair for pair in alignment.pairs if not pair.in_context}
    names = [word for word in alignment.claim.words if word.kind is Kind.NAME]
    found = {word.start: word for word in alignment.passage.words}
    for place, pair in enumerate(alignment.pairs):
        if not pair.in_context or pair.claimed.kind is not Kind.NAME or pair.found.kind is not Kind.NAME:
            continue
        beside = [word for word in names if _one_name(pair.claimed, word, alignment.claim.text) and id(word) in inside]
        own = inside[id(beside[0])].found if beside else None
        if own is None or own.kind is not Kind.NAME:
            continue
        # "Maria Lozano" is somebody else.
        others = [word for word in found.values() if word.kind is Kind.NAME and 0 <= own.start - word.end <= 1]
        if not others or any(alignment.claims_of(word) for word in others):
            alignment.pairs[place] = replace(pair, found=own, in_context=False)


def _one_name(one: Word, other: Word, text: str) -> bool:
    first, second = sorted((one, other), key=lambda word: word.start)
    return one is not other and text[first.end : second.start] in (" ", " of ", " of the ", ". ")


_SHARED = (Role.SUBJECT, Role.TOPIC, Role.THAN)


def _keep_together(alignment: Alignment) -> None:
    """A word that stands in the passage twice is read where the rest of its clause is: effective in adults, not in
    children. A subject may be shared by several clauses and decides nothing.
    """
    words = alignment.passage.words
    for place, pair in enumerate(alignment.pairs):
        twins = [word for word in words if word.lemma == pair.found.lemma and word.kind is pair.found.kind]
        if pair.in_context or len(twins) < 2 or pair.claimed.kind is Kind.NAME:
            continue
        others = [
            each.found.clause
            for each in alignment.pairs
            if each is not pair
            and not each.in_context
            and each.claimed.clause == pair.claimed.clause
            and each.claimed.role not in _SHARED
            and sum(word.lemma == each.found.lemma for word in words) == 1
        ]
        best = max(twins, key=lambda word: others.count(word.clause))
        if others.count(best.clause) > others.count(pair.found.clause):
            alignment.pairs[place] = replace(pair, found=best)


def _best(word: Word, candidates: Sequence[Word], language: str, taken: set[int]) -> Pair | None:
    """The nearest in meaning; of several, one in the same role that no other word has taken."""
    best: tuple[int, Pair] | None = None
    for other in candidates:
        found = relation(word, other, language)
        if found is Relation.NONE or (
            found not in (Relation.SAME, Relation.BROADER)
            and (word.kind is Kind.NOUN) != (other.kind is Kind.NOUN)
            and word.kind is not other.kind
            and Kind.NOUN in (word.kind, other.kind)
            and not _deverbal(word, other)
        ):
            continue
        points = 8 if found is Relation.SAME else 5 if found is Relation.BROADER else 0
        points += 4 if word.lemma == other.lemma else 0
        points += 2 if word.role is other.role else 0
        # "rose 12 percent" is held against "fell 12 percent", not against "because of higher losses".
        points += 7 if word.role is Role.PREDICATE and other.role is Role.PREDICATE else 0
        points += 1 if id(other) not in taken else 0
        points += 1 if word.negated == other.negated else 0
        if best is None or points > best[0]:
            best = points, Pair(word, other, found)
    return best[1] if best else None


def _deverbal(word: Word, other: Word) -> bool:
    """Change and polarity words oppose each other across kinds: an increase, to fall."""
    return Kind.VERB in (word.kind, other.kind) or Kind.QUALITY in (word.kind, other.kind)


def _is_generic(word: Word, language: str) -> bool:
    if word.negated or word.kind is Kind.NAME:
        return False
    names = korean.GENERIC_SUBJECTS if language == "ko" else english_words.GENERIC_SUBJECTS
    return word.lemma in names and word.role in (Role.SUBJECT, Role.TOPIC, Role.OF, Role.OBJECT)
