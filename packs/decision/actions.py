"""`next_actions`: at most five things to do, the one that changes most first, each with what it would change."""

from collections.abc import Iterator

from packs.base import JsonObject
from packs.decision.cells import FULL, Gap
from packs.decision.conditions.checks import Status
from packs.decision.evidence import quotation
from packs.decision.residue import unread_context
from packs.decision.run_state import Outcome, listed, percent_text
from packs.decision.weigh import ZERO, answer_if
from packs.next_actions import NextAction, listed_actions


def next_actions(outcome: Outcome, assumed: list[JsonObject], turned_by: list[str]) -> list[JsonObject]:
    return listed_actions(
        (
            *_missing_frame(outcome),
            *_unlawful(outcome),
            *_unread(outcome),
            *_unknown_conditions(outcome),
            *_conflicts(outcome),
            *_rates(outcome),
            *_missing_values(outcome),
            *_turning(outcome, assumed, turned_by),
            *_weights(outcome),
            *_proceed(outcome),
        )
    )


def _action(outcome: Outcome, key: str, pointers: tuple[str, ...] = (), **values: str) -> NextAction:
    details = {"pointers": list(pointers)} if pointers else {}
    return NextAction(outcome.say(f"do_{key}", **values), outcome.say(f"then_{key}", **values), details)


def _missing_frame(outcome: Outcome) -> Iterator[NextAction]:
    """What an undecided run lacks before anything else."""
    brief = outcome.brief
    if outcome.winner is not None:
        return
    if outcome.frame == "yes_no":
        yield _action(outcome, "rule", (brief.question_pointer,))
        yield _action(outcome, "rule_fact", ("/context",))
    elif not brief.options:
        yield _action(outcome, "options", ("/options",))
        yield _action(outcome, "criteria", ("/criteria",))
    elif not outcome.weighing.admissible:
        first = outcome.checks[0].constraint.evidence if outcome.checks else None
        condition = next((c.constraint.evidence for c in outcome.checks if c.status is Status.FAIL), first)
        quote = "" if condition is None else condition.quote
        yield _action(outcome, "relax", () if condition is None else (condition.pointer,), condition=quote)
        yield _action(outcome, "more_options", ("/options",))
    elif not brief.criteria:
        yield _action(outcome, "criteria", ("/criteria",))
    elif outcome.weighing.tied and outcome.weighing.coverage:
        names = listed([brief.options[i].name for i in outcome.weighing.candidates])
        yield _action(outcome, "tie", ("/criteria",), options=names)


def _unlawful(outcome: Outcome) -> Iterator[NextAction]:
    for i, checks in outcome.failed.items():
        for check in checks:
            if check.constraint.kind == "law":
                pointer = check.constraint.evidence.pointer
                name = outcome.brief.options[i].name
                yield _action(outcome, "lawful", (pointer,), option=name, rule=check.constraint.subject)
                break


def _unread(outcome: Outcome) -> Iterator[NextAction]:
    for unread in outcome.reading.binding[:2]:
        yield _action(outcome, "unread", (unread.pointer,), quote=unread.text)
    rest = [each for each in unread_context(outcome) if not each.binding]
    if rest and outcome.winner is not None:
        quote = quotation(rest[0].text)
        yield _action(outcome, "sentences", (rest[0].pointer,), count=str(len(rest)), quote=quote)


def _unknown_conditions(outcome: Outcome) -> Iterator[NextAction]:
    """The recommended option's first: its recommendation is conditional."""
    order = [i for i in (outcome.winner, *outcome.weighing.admissible) if i is not None]
    seen: set[tuple[int, str]] = set()
    for i in order:
        for check in outcome.unknown.get(i, ()):
            subject = check.constraint.subject or check.constraint.evidence.quote
            if (i, subject) in seen:
                continue
            seen.add((i, subject))
            key = "confirm_winner" if i == outcome.winner else "confirm_other"
            yield _action(
                outcome,
                key,
                (check.constraint.evidence.pointer,),
                option=outcome.brief.options[i].name,
                subject=subject,
                condition=check.constraint.evidence.quote,
            )


def _conflicts(outcome: Outcome) -> Iterator[NextAction]:
    for column in outcome.columns:
        for conflict in column.conflicts:
            yield _action(
                outcome,
                "conflict",
                (conflict.used.pointer, conflict.other.pointer),
                option=conflict.option,
                criterion=conflict.criterion,
                used=conflict.used.quote,
                other=conflict.other.quote,
            )


def _rates(outcome: Outcome) -> Iterator[NextAction]:
    for column in outcome.columns:
        units = {cell.quantity.unit for cell in column.cells if cell.gap is Gap.UNITS and cell.quantity is not None}
        if len(units) > 1:
            yield _action(outcome, "rate", ("/context",), criterion=column.criterion.name, units=listed(sorted(units)))


def _missing_values(outcome: Outcome) -> Iterator[NextAction]:
    """Values that are not given, those first that could turn the answer."""
    shares = tuple(weight.share for weight in outcome.weighing.weights)
    candidates = outcome.weighing.candidates
    found: list[tuple[bool, NextAction]] = []
    for j, column in enumerate(outcome.columns):
        for i in candidates:
            if column.cells[i].gap not in (Gap.NOTHING, Gap.PROSE, Gap.UNCLEAR, Gap.ALONE):
                continue
            ways = [answer_if(outcome.columns, shares, candidates, {(i, j): score}) for score in (FULL, ZERO)]
            other = next((way for way in ways if way is not None and way != outcome.winner), None)
            names = {"option": outcome.brief.options[i].name, "criterion": column.criterion.name}
            if other is not None:
                then = outcome.brief.options[other].name
                found.append((True, _action(outcome, "value_turns", (), **names, then=then)))
            else:
                found.append((False, _action(outcome, "value", (), **names)))
    yield from (action for turns, action in sorted(found, key=lambda each: not each[0]))


def _turning(outcome: Outcome, assumed: list[JsonObject], turned_by: list[str]) -> Iterator[NextAction]:
    turning = [entry for entry in assumed if entry["id"] in turned_by and entry["kind"] != "missing"]
    weights = [entry for entry in turning if entry["kind"] == "weight"]
    if len(weights) > 1:  # one question to whoever decides, not one per criterion
        names = listed([criterion.name for criterion in outcome.brief.criteria])
        yield _action(outcome, "weights", ("/criteria",), criteria=names)
        turning = [entry for entry in turning if entry not in weights]
    for entry in turning:
        answers = [entry[way]["answer"] for way in ("optimistic", "pessimistic")]
        other = next((answer for answer in answers if answer and answer != entry["base"]["answer"]), None)
        key = "settle" if other else "settle_open"
        yield _action(outcome, key, (), id=entry["id"], text=entry["text"], then=other or "")


def _weights(outcome: Outcome) -> Iterator[NextAction]:
    if outcome.winner is None or not outcome.weighing.flips:
        return
    flip = outcome.weighing.flips[0]
    yield _action(
        outcome,
        "weight",
        ("/criteria",),
        criterion=outcome.columns[flip.criterion].criterion.name,
        now=percent_text(flip.share),
        at=percent_text(flip.at),
        rival=outcome.brief.options[flip.rival].name,
    )


def _proceed(outcome: Outcome) -> Iterator[NextAction]:
    """There is always something to do."""
    if outcome.ruled is not None:
        yield _action(outcome, f"ruled_{outcome.ruled.answer}", (outcome.ruled.fact.pointer,))
    elif outcome.winner is not None:
        yield _action(outcome, "proceed", (), option=outcome.brief.options[outcome.winner].name)
    else:
        yield _action(outcome, "facts", ("/options",))
