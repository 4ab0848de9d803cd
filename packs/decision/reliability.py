"""How far the answer can be relied on, 0-1: the supported part of the weight, capped by everything that is in doubt.

The caps are calibrated on labelled cases: of results that claim 0.8 or more, at least nine in ten are right. The table
stands in docs/packs-decision.md.
"""

from fractions import Fraction

from packs.decision.cells import Gap
from packs.decision.residue import uncertain_conditions, unread_context
from packs.decision.robustness import Robustness
from packs.decision.run_state import Outcome

# A rule and a fact of prose were matched by their words.
RULED = Fraction(7, 10)
# One option was left over: the conditions decided, not the weighing.
ONLY_ONE_LEFT = Fraction(85, 100)
CAPS = {
    "unread_condition": Fraction(55, 100),
    "unknown_condition": Fraction(6, 10),
    "conflict": Fraction(6, 10),
    "assumption_turns_it": Fraction(75, 100),
    "options_from_prose": Fraction(75, 100),
    "few_weightings": Fraction(75, 100),
    "missing_values": Fraction(75, 100),
    "instruction_found": Fraction(75, 100),
    "read_by_model": Fraction(75, 100),
    "uncertain_condition": Fraction(75, 100),
    "unread_sentence": Fraction(75, 100),
}
MOST = Fraction(95, 100)


def reliability(outcome: Outcome, turned_by: list[str], robust: Robustness | None) -> tuple[float, list[str]]:
    """The figure, and the names of the caps that apply, the lowest first."""
    if outcome.winner is None:
        return 0.0, ["undecided"]
    applied = [name for name in CAPS if _applies(name, outcome, turned_by, robust)]
    value = min([_supported(outcome), MOST, *(CAPS[name] for name in applied)])
    return float(round(value, 4)), sorted(applied, key=lambda name: CAPS[name])


def _supported(outcome: Outcome) -> Fraction:
    if outcome.ruled is not None:
        return RULED
    if len(outcome.weighing.candidates) == 1 and outcome.weighing.excluded:
        return max(outcome.weighing.coverage, ONLY_ONE_LEFT)
    return outcome.weighing.coverage


def _applies(name: str, outcome: Outcome, turned_by: list[str], robust: Robustness | None) -> bool:
    winner = outcome.winner
    assert winner is not None
    rivals = (winner, *(each for each in (outcome.rival,) if each is not None))
    match name:
        case "unread_condition":
            return bool(outcome.reading.binding)
        case "unknown_condition":
            return winner in outcome.unknown
        case "conflict":
            named = {outcome.brief.options[i].name for i in rivals}
            return any(each.option in named for column in outcome.columns for each in column.conflicts)
        case "assumption_turns_it":
            return bool(turned_by)
        case "options_from_prose":
            return outcome.frame == "named"
        case "few_weightings":
            return robust is not None and robust.wins.get(winner, 0.0) < 0.5
        case "missing_values":
            return any(column.cells[i].gap in (Gap.NOTHING, Gap.UNITS) for column in outcome.columns for i in rivals)
        case "instruction_found":
            return bool(outcome.reading.instructions)
        case "read_by_model":
            return outcome.read_by_model > 0
        case "uncertain_condition":
            return bool(uncertain_conditions(outcome))
        case _:
            # Whatever nobody read may be a condition, in words that nobody listed.
            return bool(unread_context(outcome))
