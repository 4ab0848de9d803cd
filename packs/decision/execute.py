"""A decision run, step by step: read, fetch evidence, weigh, write, review. The pack's only impure module."""

from dpp_project.prices import DECISION_BASE
from packs.base import JsonObject, PackContext, PackResult
from packs.compliance import review
from packs.decision.brief import MAX_LEAVES, read, walk
from packs.decision.claim_assessment import assess_claims
from packs.decision.gaps import OpenItem
from packs.decision.model_calls import Sources, judge, narrate
from packs.decision.outcomes import consider
from packs.decision.pages import Pages, fetch_pages
from packs.decision.readings import verbatim
from packs.decision.result import note, retold, why_not, written
from packs.decision.run_state import Outcome
from packs.llm import Model, Unanswered, Why


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
            data, tokens = with_model(outcome, pages, sources, model, context)
        except Unanswered as unanswered:
            tokens = unanswered.tokens
            out_of_budget = out_of_budget or unanswered.why is Why.BUDGET
            note(data, OpenItem(f"MODEL_{unanswered.why.upper()}", why_not(outcome, unanswered.why)))
    context.checkpoint("review", 0.9)
    by_model = data["method"]["kind"] == "language_model"
    data["compliance"] = _reviewed(outcome, review(data["answer_text"], "ai_output" if by_model else "general"))
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
    )


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


def with_model(
    outcome: Outcome, pages: Pages, sources: Sources, model: Model, context: PackContext
) -> tuple[JsonObject, int]:
    """The result with the model's judgements and words, and the tokens it took. Raises `Unanswered`."""
    context.checkpoint("model_judge", 0.55)
    judged, tokens = judge(outcome, sources, model, context)
    data = written(judged, pages)
    context.checkpoint("model_write", 0.7)
    try:
        narrative = narrate(judged, data, sources, model, context)
    except Unanswered as unanswered:
        raise Unanswered(unanswered.why, tokens + unanswered.tokens) from unanswered
    return retold(judged, data, narrative), tokens + narrative.tokens


def citable(inputs: JsonObject, pages: Pages) -> Sources:
    """What a claim may cite: every scalar of the inputs under its pointer, and the pages that were kept."""
    given = [leaf for leaf in walk(inputs, "") if leaf is not None][:MAX_LEAVES]
    sources = {leaf.pointer: verbatim(leaf.value) for leaf in given}
    return {**sources, **{page.pointer: page.text for page in pages.passages}}
