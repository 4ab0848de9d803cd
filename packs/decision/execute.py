"""A decision run, step by step: read, fetch evidence, weigh, write, review. The pack's only impure module."""

import re
from dataclasses import dataclass

from dpp_project.logging import fields
from dpp_project.prices import DECISION_BASE
from packs.base import JsonObject, PackContext, PackResult
from packs.compliance import review
from packs.decision.brief import MAX_LEAVES, read, walk
from packs.decision.claim_assessment import assess_claims
from packs.decision.extraction import extract
from packs.decision.gaps import OpenItem
from packs.decision.narration import Sources, narrate
from packs.decision.outcomes import consider
from packs.decision.pages import Pages, fetch_pages
from packs.decision.readings import verbatim
from packs.decision.result import note, why_not, with_narrative, written
from packs.decision.run_state import Outcome
from packs.llm import Model, Unanswered, Why

_QUOTED = re.compile(r'"[^"]*"|“[^”]*”')


def execute(inputs: JsonObject, context: PackContext) -> PackResult:
    context.meter.base(DECISION_BASE)
    brief = read(inputs)
    pages = fetch_pages(brief, context)
    context.checkpoint("weigh", 0.5)
    outcome = consider(brief, pages.passages, context.now.date())
    sources = citable(inputs, pages)
    model: Model | None = context.services.get("llm")
    tokens, out_of_budget = 0, pages.budget_cap_reached
    data = written(outcome, pages)
    if model is not None:
        try:
            narrated = with_model(inputs, outcome, pages, sources, model, context)
            outcome, data, tokens = narrated.outcome, narrated.data, narrated.tokens
            out_of_budget = out_of_budget or narrated.out_of_budget
        except Unanswered as unanswered:
            tokens = unanswered.tokens
            out_of_budget = out_of_budget or unanswered.why is Why.BUDGET
            note(data, OpenItem(f"MODEL_{unanswered.why.upper()}", why_not(outcome, unanswered.why)))
    context.checkpoint("review", 0.9)
    by_model = data["method"]["kind"] == "language_model"
    data["compliance"] = _reviewed(outcome, _own_review(data["answer_text"], by_model))
    found = data["compliance"]["summary"]
    if found["found"]:
        text = outcome.say("open_compliance", count=str(found["found"]), verdict=found["verdict"])
        pointers = dict.fromkeys(each["pointer"] for each in data["compliance"]["findings"])
        note(data, OpenItem("COMPLIANCE", text, tuple(pointers)))
    data["evaluation"] = assess_claims(brief, data["claims"])
    return PackResult(
        data=data,
        reliability=data["reliability"]["score"],
        discard_log=pages.discard_log,
        blocked_log=pages.blocked_log,
        cache=pages.cache,
        tokens_consumed=tokens,
        budget_cap_reached=out_of_budget,
        undecided=not data["decided"],
    )


def _own_review(text: str, by_model: bool) -> JsonObject:
    """The review of our own words. What the weighing quotes is the caller's own input, which is reviewed where it
    stands: here it is blanked, and every span stays where it was.
    """
    if by_model:
        return review(text, "ai_output")
    return review(_QUOTED.sub(lambda found: " " * len(found.group()), text), "general")


def _reviewed(outcome: Outcome, answer_review: JsonObject) -> JsonObject:
    """The review of our own words and of the material, each finding with the pointer of its text."""
    own = [{**each, "pointer": "/answer_text"} for each in answer_review["findings"]]
    findings = [*outcome.findings, *own]
    summary = dict(answer_review["summary"])
    counts = dict(summary["counts"])
    for each in outcome.findings:
        counts[each["severity"]] = counts.get(each["severity"], 0) + 1
    worst = next((severity for severity in ("critical", "high", "medium", "low") if counts.get(severity)), None)
    verdict = {"critical": "stop", "high": "revise", "medium": "revise", "low": "note", None: "clear"}[worst]
    found = summary["found"] + len(outcome.findings)
    summary |= {"counts": counts, "found": found, "listed": len(findings), "verdict": verdict}
    return {**answer_review, "findings": findings, "summary": summary}


@dataclass(frozen=True)
class NarratedResult:
    """A result with a model's part in it."""

    outcome: Outcome
    data: JsonObject
    tokens: int
    out_of_budget: bool = False


def with_model(
    inputs: JsonObject, outcome: Outcome, pages: Pages, sources: Sources, model: Model, context: PackContext
) -> NarratedResult:
    """The result with what the model read and in its words, and the tokens it took. Raises `Unanswered`: the first
    call has failed. What it read stays when only the second one fails.
    """
    context.checkpoint("model_read", 0.55)
    proposals, tokens = extract(outcome, model, context)
    if proposals.used:
        outcome = consider(read(inputs), pages.passages, context.now.date(), proposals)
    context.log.info("decision_model_read", extra=fields(proposed=proposals.proposed, used=proposals.used))
    data = written(outcome, pages)
    context.checkpoint("model_write", 0.7)
    try:
        narrative = narrate(outcome, data, sources, model, context)
    except Unanswered as unanswered:
        note(data, OpenItem(f"MODEL_{unanswered.why.upper()}", why_not(outcome, unanswered.why)))
        return NarratedResult(outcome, data, tokens + unanswered.tokens, unanswered.why is Why.BUDGET)
    return NarratedResult(outcome, with_narrative(outcome, data, narrative), tokens + narrative.tokens)


def citable(inputs: JsonObject, pages: Pages) -> Sources:
    """What a claim may cite: every scalar of the inputs under its pointer, and the pages that were kept."""
    given = [leaf for leaf in walk(inputs, "") if leaf is not None][:MAX_LEAVES]
    sources = {leaf.pointer: verbatim(leaf.value) for leaf in given}
    return {**sources, **{page.pointer: page.text for page in pages.passages}}
