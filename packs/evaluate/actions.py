"""What would raise the score most, claim by claim, with what it would change."""

from collections.abc import Callable
from dataclasses import replace

from packs.base import JsonObject
from packs.claims.verdict import Status, Verdict
from packs.evaluate.coverage import Assessed
from packs.evaluate.phrases import say
from packs.evaluate.submission import Submission
from packs.next_actions import MAX_NEXT_ACTIONS, NextAction, listed_actions
from packs.text.sentences import quotation

_ORDER = (Status.CONTRADICTED, Status.PARTLY, Status.NOT_IN_SOURCES, Status.NOT_VERIFIED)


def next_actions(
    submission: Submission,
    assessed: tuple[Assessed, ...],
    score: int,
    score_of: Callable[[tuple[Assessed, ...]], int],
) -> list[JsonObject]:
    language = submission.language
    actions: list[NextAction] = []
    if assessed and not any(source.text for source in submission.sources):
        actions.append(
            NextAction(say(language, "action_NO_SOURCES"), say(language, "effect_reliability"), {"claim_index": None})
        )
    concerned = [each for status in _ORDER for each in assessed if each.status is status]
    for each in concerned:
        if len(actions) == MAX_NEXT_ACTIONS:
            break
        code = (
            "UNSEEN"
            if each.unseen
            else "WRONG_CITATION"
            if each.verdict.code == "WRONG_CITATION"
            else each.status.upper()
        )
        source = each.verdict.passage.source.id if each.verdict.passage is not None else ""
        mended = tuple(
            replace(other, verdict=Verdict(Status.SUPPORTED, "ALIGNED"), unseen=False) if other is each else other
            for other in assessed
        )
        actions.append(
            NextAction(
                say(language, f"action_{code}", claim=quotation(each.claim.text), source=source),
                say(language, "effect", now=score, then=max(score, score_of(mended))),
                {"claim_index": each.claim.index},
            )
        )
    return listed_actions(actions)
