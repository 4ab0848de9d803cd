"""`review`: every rule that applies to a kind of text, run over it once."""

from functools import cache

from packs.base import JsonObject
from packs.compliance.detectors import Place, detected, places, resembling
from packs.compliance.product import product_of
from packs.compliance.reading import Reading, Span, reading_of
from packs.compliance.result import result_of
from packs.compliance.rules import KINDS, Rule, rulebook
from packs.compliance.run_state import RunState


def review(text: str, kind: str | None = None, language: str | None = None, *, rewrites: bool = True) -> JsonObject:
    """Findings, texts to publish, notices and a summary for one text (`ad`, `policy`, `ai_output`, `general`)."""
    return result_of(text, kind, examine(text, kind, language), rewrites=rewrites)


def examine(text: str, kind: str | None = None, language: str | None = None) -> RunState:
    applied = kind or "general"
    if applied not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}")
    reading = reading_of(text, applied)
    rules = tuple(rule for rule in rulebook().rules if applied in rule.kinds)
    state = RunState(reading, language or reading.language, product_of(reading), rules)
    for rule in rulebook().rules:
        if rule.personal or (applied in rule.kinds and state.product in rule.products):
            state.met[rule.id], state.left_out[rule.id] = detected(rule, reading)
    _add_likenesses(state)
    for rule in rules:
        _yield(rule, state)
    return state


def spans_of(rule: Rule, text: str, kind: str) -> tuple[list[Span], list[Place]]:
    """One rule alone, without the others it yields to."""
    return places(rule, reading_of(text, kind))


def _yield(rule: Rule, state: RunState) -> None:
    """One place is one finding: a rule gives way where a stricter or more special rule is met too."""
    stronger = [span for name in rule.parameters.get("yields_to", ()) for span in state.met.get(name, ())]
    own = state.met.get(rule.id)
    if stronger and own:
        state.met[rule.id] = [span for span in own if not any(_overlap(span, other) for other in stronger)]


def _add_likenesses(state: RunState) -> None:
    """A likeness is a guess: it counts only where no other rule has been met."""
    certain = [span for name, spans in state.met.items() if name not in _personal() for span in spans]
    for rule in state.rules:
        if rule.id in state.met and not rule.personal:
            met, left_out = state.met[rule.id], state.left_out[rule.id]
            guessed, denied = resembling(rule, state.reading, met, left_out)
            free = [span for span in guessed if not any(_overlap(span, other) for other in certain)]
            state.met[rule.id], state.left_out[rule.id] = sorted(met + free), left_out + denied


@cache
def _personal() -> frozenset[str]:
    return frozenset(rule.id for rule in rulebook().rules if rule.personal)


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


__all__ = ["Reading", "examine", "review", "spans_of"]
