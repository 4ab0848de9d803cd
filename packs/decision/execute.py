"""A decision run, step by step: read, fetch evidence, weigh, write, review. The pack's only impure module."""

from fractions import Fraction

from dpp_project.prices import DECISION_BASE
from packs.base import JsonObject, PackContext, PackResult
from packs.compliance import review
from packs.decision import answer
from packs.decision.assessed import assess_claims
from packs.decision.brief import MAX_LEAVES, Brief, read, walk
from packs.decision.cells import column
from packs.decision.evidence import gather
from packs.decision.ledgers import OpenItem, assumptions, open_items, turning
from packs.decision.pages import Pages, fetch_pages
from packs.decision.quantities import verbatim
from packs.decision.result import Outcome
from packs.decision.weigh import weigh, weights
from packs.decision.written_by_model import Narrative, Sources, judge, narrate
from packs.llm import Model, Unanswered, Why

CLEAR_LEAD = 25
MOST_CONFIDENT = Fraction(95, 100)


def execute(inputs: JsonObject, context: PackContext) -> PackResult:
    context.meter.base(DECISION_BASE)
    brief = read(inputs)
    pages = fetch_pages(brief, context)
    context.checkpoint("weigh", 0.5)
    outcome = weigh_up(brief, pages)
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
            _note(data, OpenItem(f"MODEL_{unanswered.why.upper()}", _why_not(outcome, unanswered.why)))
    context.checkpoint("review", 0.9)
    by_model = data["method"]["kind"] == "language_model"
    data["compliance"] = review(data["answer_text"], "ai_output" if by_model else "general")
    found = data["compliance"]["summary"]
    if found["found"]:
        text = outcome.say("open_compliance", count=str(found["found"]), verdict=found["verdict"])
        _note(data, OpenItem("COMPLIANCE", text))
    data["evaluation"] = assess_claims(brief, data["claims"])
    return PackResult(
        data=data,
        reliability=data["evidence"]["coverage"],
        discard_log=pages.discard_log,
        blocked_log=pages.blocked_log,
        cache=pages.cache,
        tokens_consumed=tokens,
        budget_cap_reached=out_of_budget,
    )


def weigh_up(brief: Brief, pages: Pages) -> Outcome:
    material = gather(brief, pages.passages)
    columns = tuple(column(material, j) for j in range(len(brief.criteria))) if brief.options else ()
    weighted = weights(brief.criteria) if columns else ()
    return Outcome(material, columns, weigh(columns, weighted, len(brief.options)))


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
    return _retold(judged, data, narrative), tokens + narrative.tokens


def written(outcome: Outcome, pages: Pages) -> JsonObject:
    """The deterministic result: everything but the reviews."""
    brief, weighing, winner = outcome.brief, outcome.weighing, outcome.winner
    claims = [{**claim.as_json(), "author": "weighing"} for claim in answer.claims(outcome)]
    assumed = assumptions(outcome)
    turned_by = turning(outcome, assumed)
    data: JsonObject = {
        "question": brief.question,
        "language": brief.language,
        "mode": brief.mode,
        "method": {"kind": "deterministic_weighing", "note": outcome.say("method")},
        "decided": winner is not None,
        "recommendation": None
        if winner is None
        else {"option": brief.options[winner].name, "pointer": brief.options[winner].pointer},
        "answer_text": answer.answer_text(outcome, len(claims), turned_by),
        "confidence": confidence(outcome, turned_by),
        "key_findings": answer.key_findings(outcome, turned_by),
        "weights": answer.weight_rows(outcome),
        "scores": answer.score_rows(outcome),
        "sensitivity": answer.sensitivity(outcome, turned_by),
        "evidence": {"coverage": float(round(weighing.coverage, 4)), "keep": list(pages.keep)},
        "open": [],
        "asmp": assumed,
    }
    _set_claims(data, claims)
    for item in (*open_items(outcome), *pages.opens):
        _note(data, item)
    return data


def _retold(outcome: Outcome, data: JsonObject, narrative: Narrative) -> JsonObject:
    """The same result in the model's words, which say themselves whose they are."""
    note = outcome.say("method_model")
    retold = {
        **data,
        "method": {"kind": "language_model", "note": note},
        "answer_text": f"{narrative.answer_text}\n\n{note}",
        "key_findings": narrative.key_findings,
        "open": list(data["open"]),
    }
    _set_claims(retold, [*data["claims"], *({**claim, "author": "model"} for claim in narrative.claims)])
    for text in narrative.open:
        _note(retold, OpenItem("MODEL_NOTE", text))
    return retold


def _set_claims(data: JsonObject, claims: list[JsonObject]) -> None:
    data["claims"] = [{**claim, "id": f"C{number}"} for number, claim in enumerate(claims, 1)]
    data["evidence_map"] = evidence_map(data["claims"])


def _note(data: JsonObject, item: OpenItem) -> None:
    data["open"].append(item.as_json(len(data["open"]) + 1))


def _why_not(outcome: Outcome, why: Why) -> str:
    return outcome.say("open_model", why=outcome.say(f"why_{why}"))


def confidence(outcome: Outcome, turned_by: list[str]) -> float:
    """For display only: the supported part of the weight, halved when the lead is nothing and whole from 25
    points, a quarter less when an assumption could turn the answer.

    Never above 0.95: the weighing sees only what it was given.
    """
    if outcome.winner is None:
        return 0.0
    lead = min(outcome.weighing.margin / CLEAR_LEAD, Fraction(1))
    doubt = Fraction(3, 4) if turned_by else Fraction(1)
    return float(round(min(outcome.weighing.coverage * (1 + lead) / 2 * doubt, MOST_CONFIDENT), 2))


def evidence_map(claims: list[JsonObject]) -> JsonObject:
    """Pointer or URL -> the claims that rest on it."""
    rests: dict[str, list[str]] = {}
    for claim in claims:
        for source in dict.fromkeys(cited.get("url") or cited["pointer"] for cited in claim["evidence"]):
            rests.setdefault(source, []).append(claim["id"])
    return dict(rests)


def citable(inputs: JsonObject, pages: Pages) -> Sources:
    """What a claim may cite: every scalar of the inputs under its pointer, and the pages that were kept."""
    given = [leaf for leaf in walk(inputs, "") if leaf is not None][:MAX_LEAVES]
    sources = {leaf.pointer: verbatim(leaf.value) for leaf in given}
    return {**sources, **{page.pointer: page.text for page in pages.passages}}
