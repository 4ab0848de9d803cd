"""One text against every rule that applies to its kind: which are met where, and which only look as if they were."""

from functools import cache

from packs.compliance.detectors import detected, resembling
from packs.compliance.likeness import Judged
from packs.compliance.product import product_of
from packs.compliance.reading import reading_of
from packs.compliance.rules import KINDS, Rule, rulebook
from packs.compliance.run_state import RunState
from packs.compliance.spans import Spans


def examine(
    text: str,
    kind: str | None = None,
    language: str | None = None,
    *,
    product: str | None = None,
    compared: Judged | None = None,
) -> RunState:
    """`product` and `compared` (sentences and what they resemble) are known where part of a text is read again."""
    applied = kind or "general"
    if applied not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}")
    reading = reading_of(text, applied, compared)
    rules = tuple(rule for rule in rulebook().rules if applied in rule.kinds)
    state = RunState(reading, language or reading.language, product or product_of(reading), rules)
    for rule in rulebook().rules:
        if rule.personal or (applied in rule.kinds and state.product in rule.products):
            state.met[rule.id], state.left_out[rule.id] = detected(rule, reading)
    _add_likenesses(state)
    for rule in rules:
        _yield(rule, state)
    return state


def _yield(rule: Rule, state: RunState) -> None:
    """One place is one finding: a rule gives way where a stricter or more special rule is met too."""
    own = state.met.get(rule.id)
    if own and "yields_to" in rule.parameters:
        stronger = Spans(span for name in rule.parameters.get("yields_to", ()) for span in state.met.get(name, ()))
        state.met[rule.id] = [span for span in own if not stronger.overlap(span)]


def _add_likenesses(state: RunState) -> None:
    """A likeness is a guess: unless it is clear, it counts only where no other rule has been met."""
    resembled = state.reading.likenesses
    if not resembled:
        return
    certain = Spans(span for name, spans in state.met.items() if name not in _personal() for span in spans)
    for rule in state.rules:
        if rule.id in resembled and rule.id in state.met and not rule.personal:
            met, left_out = state.met[rule.id], state.left_out[rule.id]
            guessed, denied = resembling(rule, state.reading, met, left_out)
            free = [span for span in guessed if state.reading.clear(span) or not certain.overlap(span)]
            state.met[rule.id], state.left_out[rule.id] = sorted(met + free), left_out + denied


@cache
def _personal() -> frozenset[str]:
    return frozenset(rule.id for rule in rulebook().rules if rule.personal)
