"""`residue`: every sentence of the input from which nothing was read, with its pointer. Nothing stays unread silently.

Also what a language model is shown, and all that it is shown, when one is configured.
"""

from collections.abc import Iterator

from packs.base import JsonObject
from packs.decision.conditions.model import Unread
from packs.decision.evidence import Evidence, quotation, sentences
from packs.decision.run_state import Outcome

MAX_LISTED = 200


def residue(outcome: Outcome) -> list[Unread]:
    """Binding sentences first, each with at most a quotation's words."""
    cited: dict[str, list[str]] = {}
    for evidence in _used(outcome):
        cited.setdefault(evidence.pointer, []).append(evidence.quote)
    ignored = set(outcome.reading.instructions)
    found = list(outcome.reading.unread)
    known = {(each.pointer, each.text) for each in found}
    for passage in outcome.material.texts:
        if passage.url is not None or passage.pointer in ignored:
            continue
        quotes = cited.get(passage.pointer, ())
        for sentence in sentences(passage.text):
            text = quotation(sentence)
            if (passage.pointer, text) not in known and not any(_within(quote, sentence) for quote in quotes):
                found.append(Unread(passage.pointer, text, binding=False))
                known.add((passage.pointer, text))
            if len(found) >= MAX_LISTED:
                return found
    return found


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
