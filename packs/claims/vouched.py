"""Whether the words that somebody points to can carry a claim: what a program can check of it.

A language model may read a paraphrase where the lists know no synonym. It is believed only as far as that: figures with
their units, dates, negations, opposites, quantifiers, moods, order and names are checked here, on the whole sentences
around the words it points to, so that nothing can be cut away.
"""

import re
from collections.abc import Sequence

from packs.claims.alignment import Alignment, align
from packs.claims.findings import Conflict, Obstacle
from packs.claims.library import Library, Passage, parse
from packs.claims.parsed import Kind, Parsed
from packs.claims.verdict import Reading, read_closely

_SPACE = re.compile(r"\s+")
_LEAST_WORDS = 2
_MOST_SENTENCES = 3
_LEAST_SHARE = 0.34
# A word that no list knows, and what follows from not knowing it. Everything else speaks against the claim.
_PARAPHRASED = frozenset({"WORD", "PREDICATE", "SUBJECT", "NEIGHBOUR", "CLAUSE"})


def pointed_at(span: str, wanted: Sequence[int], library: Library) -> Passage | None:
    """The whole sentences around a span, if it stands letter by letter in one of the wanted sources."""
    plain = _SPACE.sub(" ", span).strip()
    if len(plain.split()) < _LEAST_WORDS:
        return None
    found = re.compile(r"\s+".join(re.escape(word) for word in plain.split()))
    for source in library.sources:
        if source.index not in set(wanted):
            continue
        match = found.search(source.text)
        if match is None:
            continue
        inside = [
            passage
            for passage in library.passages
            if passage.source is source
            and passage.start < match.end()
            and match.start() < passage.start + len(passage.text)
        ]
        if 1 <= len(inside) <= _MOST_SENTENCES:
            start, end = inside[0].start, inside[-1].start + len(inside[-1].text)
            reading = "; ".join(each.read_as.rstrip(" .") for each in inside)
            return Passage(inside[0].index, source, start, source.text[start:end], reading)
    return None


def objection(text: str, passage: Passage, library: Library) -> str:
    """Why the passage cannot support the claim: the code of the first check that fails, or ""."""
    claim, read = parse(text, library.names), parse(passage.read_as, library.names)
    if claim.language != read.language:
        return "LANGUAGE"
    alignment = align(claim, claim.words, read, library.context(passage))
    reading = read_closely(Reading(passage, alignment), claim.figures, claim.dates)
    against: list[Conflict | Obstacle] = [*reading.conflicts, *reading.obstacles]
    failed = next((each.code for each in against if isinstance(each, Conflict) or each.code not in _PARAPHRASED), "")
    return failed or _negation(claim, read) or _names(alignment) or ("LOOSE" if alignment.share < _LEAST_SHARE else "")


def _negation(claim: Parsed, passage: Parsed) -> str:
    """As many denials on both sides, or an unknown word may hide one."""
    mine, theirs = (sum(word.negated for word in parsed.words) for parsed in (claim, passage))
    return "NEGATION" if bool(mine) != bool(theirs) else ""


def _names(alignment: Alignment) -> str:
    """Every name of the claim is there, and in the same order."""
    if any(word.kind is Kind.NAME for word in alignment.missing):
        return "NAME"
    names = [pair for pair in alignment.pairs if pair.claimed.kind is Kind.NAME and not pair.in_context]
    places = [pair.found.start for pair in sorted(names, key=lambda pair: pair.claimed.start)]
    return "" if places == sorted(places) else "ROLES"
