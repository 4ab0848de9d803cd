"""`open`: what is not known, one entry per kind and thing, each saying who could answer it."""

from collections.abc import Iterable
from dataclasses import dataclass

from packs.base import JsonObject
from packs.decision.cells import Column, Gap
from packs.decision.conditions.checks import Status
from packs.decision.evidence import quotation
from packs.decision.phrases import say
from packs.decision.residue import uncertain_conditions, unread_context
from packs.decision.run_state import Outcome, listed
from packs.text.language import Language

GAP_KINDS = {
    Gap.NOTHING: "NO_EVIDENCE",
    Gap.PROSE: "NOT_COMPARABLE",
    Gap.UNITS: "UNITS_DIFFER",
    Gap.ALONE: "SINGLE_VALUE",
    Gap.UNCLEAR: "UNCLEAR_TEXT",
}


_ASKED_OF_THE_AUTHOR = frozenset(
    {"CONSTRAINT_UNREAD", "CONSTRAINT_UNCERTAIN", "SENTENCES_UNREAD", "INSTRUCTION_IGNORED", "CONFLICT", "UNCLEAR_TEXT"}
)


@dataclass(frozen=True)
class OpenItem:
    kind: str
    text: str
    pointers: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    """Whose providers could answer it."""

    def as_json(self, number: int, language: Language) -> JsonObject:
        return {
            "id": f"OPEN-{number}",
            "kind": self.kind,
            "text": self.text,
            "answered_by": self._asked(language),
            "pointers": list(self.pointers),
        }

    def _asked(self, language: Language) -> str:
        if self.options:
            return say(language, "asked_provider", options=listed(self.options))
        if self.kind in _ASKED_OF_THE_AUTHOR:
            return say(language, "asked_author")
        if self.kind.startswith(("EVIDENCE", "MODEL")):
            return say(language, "asked_operator")
        return say(language, "asked_decider")


def open_items(outcome: Outcome) -> list[OpenItem]:
    return [*_about_inputs(outcome), *_about_conditions(outcome), *_about_cells(outcome)]


def _about_inputs(outcome: Outcome) -> Iterable[OpenItem]:
    brief, say = outcome.brief, outcome.say
    if outcome.frame == "yes_no" and outcome.winner is None:
        yield OpenItem("NO_RULE", say("open_no_rule"), (brief.question_pointer,))
    elif not brief.options:
        yield OpenItem("NO_OPTIONS", say("open_no_options"), (brief.question_pointer,))
    elif not brief.criteria and outcome.winner is None:
        yield OpenItem("NO_CRITERIA", say("open_no_criteria"), ("/options",))
    elif not outcome.weighing.admissible:
        yield OpenItem("NOTHING_LEFT", say("open_nothing_left"), ("/options",))
    elif outcome.weighing.tied and outcome.weighing.coverage:
        level = leaders(outcome)
        names = listed([brief.options[i].name for i in level])
        yield OpenItem("TIE", say("open_tie", options=names), tuple(brief.options[i].pointer for i in level))
    for name in brief.repeated_options:
        yield OpenItem("REPEATED_OPTION", say("open_repeated_option", name=name), ("/options",))
    for name in brief.repeated_criteria:
        yield OpenItem("REPEATED_CRITERION", say("open_repeated_criterion", name=name), ("/criteria",))
    for name in brief.broken_scales:
        yield OpenItem("BROKEN_SCALE", say("open_broken_scale", name=name), ("/criteria",))
    given = [criterion.weight for criterion in brief.criteria if criterion.weight is not None]
    if given and not any(given):
        yield OpenItem("ZERO_WEIGHTS", say("open_zero_weights"), ("/criteria",))
    if brief.context_truncated:
        yield OpenItem("CONTEXT_TRUNCATED", say("open_truncated"), ("/context",))


def _about_conditions(outcome: Outcome) -> Iterable[OpenItem]:
    """Conditions that could not be checked, and binding sentences that could not be read."""
    say, brief = outcome.say, outcome.brief
    for constraint in outcome.reading.constraints:
        unsure = [c.option for c in outcome.checks if c.constraint is constraint and c.status is Status.UNKNOWN]
        if unsure:
            names = tuple(brief.options[i].name for i in unsure)
            subject = constraint.subject or say("a_condition")
            text = say("open_condition", condition=constraint.evidence.quote, options=listed(names), subject=subject)
            yield OpenItem("CONSTRAINT_UNKNOWN", text, (constraint.evidence.pointer,), names)
    for unread in outcome.reading.unread:
        yield OpenItem("CONSTRAINT_UNREAD", say("open_unread", quote=unread.text), (unread.pointer,))
    for constraint in uncertain_conditions(outcome):
        text = say("open_uncertain", condition=constraint.evidence.quote)
        yield OpenItem("CONSTRAINT_UNCERTAIN", text, (constraint.evidence.pointer,))
    unread_rest = [each for each in unread_context(outcome) if not each.binding]
    if unread_rest and outcome.winner is not None:
        text = say("open_sentences", count=str(len(unread_rest)), quote=quotation(unread_rest[0].text))
        yield OpenItem("SENTENCES_UNREAD", text, tuple(dict.fromkeys(each.pointer for each in unread_rest)))
    for pointer in dict.fromkeys(outcome.reading.instructions):
        yield OpenItem("INSTRUCTION_IGNORED", say("open_instruction", pointer=pointer), (pointer,))
    for later, first in outcome.weighing.same.items():
        one, other = brief.options[first], brief.options[later]
        text = say("open_same_option", first=one.name, later=other.name)
        yield OpenItem("SAME_OPTION", text, (one.pointer, other.pointer))


def leaders(outcome: Outcome) -> list[int]:
    """The candidates that share the highest total."""
    totals = outcome.weighing.totals
    best = max((totals[i] for i in outcome.weighing.candidates), default=None)
    return [i for i in outcome.weighing.candidates if totals[i] == best]


def _about_cells(outcome: Outcome) -> Iterable[OpenItem]:
    """One entry per criterion and kind of gap, naming the options it concerns."""
    for scored in outcome.columns:
        for gap in Gap:
            concerned = [i for i, cell in enumerate(scored.cells) if cell.gap is gap]
            yield from _gap_item(outcome, scored, GAP_KINDS[gap], f"open_{gap}", concerned)
        outside = [i for i, cell in enumerate(scored.cells) if cell.clamped]
        yield from _gap_item(outcome, scored, "OUTSIDE_SCALE", "open_outside_scale", outside)
        for conflict in scored.conflicts:
            text = outcome.say(
                "open_conflict",
                option=conflict.option,
                criterion=conflict.criterion,
                used=conflict.used.quote,
                other=conflict.other.quote,
            )
            yield OpenItem("CONFLICT", text, (conflict.used.pointer, conflict.other.pointer))


def _gap_item(outcome: Outcome, scored: Column, kind: str, key: str, concerned: list[int]) -> Iterable[OpenItem]:
    if concerned:
        names = tuple(outcome.brief.options[i].name for i in concerned)
        pointers = [cited.pointer for i in concerned for cited in scored.cells[i].evidence]
        text = outcome.say(key, criterion=scored.criterion.name, options=listed(names))
        yield OpenItem(kind, text, tuple(dict.fromkeys(pointers)), names)
