"""`residue`: every sentence of the input from which nothing was read, with its pointer. Nothing stays unread silently.

Also what a language model is shown, and all that it is shown, when one is configured.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from packs.base import JsonObject
from packs.decision.brief import normalise
from packs.decision.conditions.model import Constraint, Unread
from packs.decision.conditions.predicates import has_unknown_verb
from packs.decision.evidence import Evidence, quotation, sentences
from packs.decision.run_state import Outcome

MAX_LISTED = 200


@dataclass(frozen=True)
class Sentence:
    """A whole sentence of the input from which nothing was read."""

    pointer: str
    text: str
    binding: bool
    about: int | None = None
    """The option whose own text it stands in."""


def residue(outcome: Outcome) -> list[Unread]:
    """Binding sentences first, each with at most a quotation's words."""
    return [Unread(each.pointer, quotation(each.text), each.binding) for each in unread_sentences(outcome)]


def unread_sentences(outcome: Outcome) -> list[Sentence]:
    """The same, whole. A text that addresses the reader is left out: it is not material to be read."""
    cited: dict[str, list[str]] = {}
    for evidence in _used(outcome):
        cited.setdefault(evidence.pointer, []).append(evidence.quote)
    ignored = set(outcome.reading.instructions)
    names = {normalise(name) for option in outcome.brief.options for name in (option.name, *option.aliases)}
    binding = {(each.pointer, each.text) for each in outcome.reading.unread}
    found: list[Sentence] = []
    known: set[tuple[str, str]] = set()
    for passage in outcome.material.texts:
        if passage.url is not None or passage.pointer in ignored or normalise(passage.text) in names:
            continue
        quotes = cited.get(passage.pointer, ())
        for sentence in sentences(passage.text):
            key = (passage.pointer, quotation(sentence))
            binds = key in binding or (passage.pointer, quotation(sentence.lstrip("-*•· \t"))) in binding
            unread = binds or not any(_within(quote, sentence) for quote in quotes)
            if key not in known and unread:
                found.append(Sentence(passage.pointer, sentence, binds, passage.about))
                known.add(key)
    for each in outcome.reading.unread:  # conditions in criteria and typed entries, which are no texts
        if not any(kept.binding and kept.pointer == each.pointer for kept in found):
            found.append(Sentence(each.pointer, each.text, each.binding))
    return sorted(found, key=lambda each: not each.binding)[:MAX_LISTED]


def unread_context(outcome: Outcome) -> list[Sentence]:
    """What stayed unread in the context: any of it may be a condition, in words that nobody listed."""
    return [each for each in unread_sentences(outcome) if each.pointer.startswith("/context")]


def uncertain_conditions(outcome: Outcome) -> list[Constraint]:
    """Conditions on what an option has or is, with a verb that may turn their meaning round."""
    read = [each for each in outcome.reading.constraints if each.kind in ("value", "required")]
    return [each for each in read if has_unknown_verb(each.words)]


def _within(quote: str, sentence: str) -> bool:
    return bool(quote) and (quote in sentence or sentence in quote)


def _used(outcome: Outcome) -> Iterator[Evidence]:
    for column in outcome.columns:
        for cell in column.cells:
            yield from cell.evidence
        for conflict in column.conflicts:
            yield conflict.other
    for constraint in outcome.reading.constraints:
        yield constraint.evidence
    for check in outcome.checks:
        yield from check.evidence
    for days in outcome.reading.earliest.values():
        yield from (evidence for _, evidence in days)
    if outcome.spoken is not None:
        yield from outcome.spoken.evidence
    if outcome.ruled is not None:
        yield from (outcome.ruled.rule, outcome.ruled.fact)


def as_json(found: list[Unread]) -> list[JsonObject]:
    return [{"pointer": each.pointer, "text": each.text, "binding": each.binding} for each in found]
