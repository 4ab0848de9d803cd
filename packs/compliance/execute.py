"""One run of the pack: rules, then a language model if one is configured, then the answer."""

from dpp_project.logging import fields
from dpp_project.prices import COMPLIANCE_BASE
from packs.base import JsonObject, PackContext, PackResult
from packs.compliance.examination import examine
from packs.compliance.model_findings import ask_model
from packs.compliance.phrases import ABOUT_THE_REVIEW
from packs.compliance.reliability import reliability
from packs.compliance.result import result_of
from packs.compliance.schema import join, placed
from packs.llm import Model, Unanswered, Why


def execute(inputs: JsonObject, context: PackContext) -> PackResult:
    context.meter.base(COMPLIANCE_BASE)
    context.checkpoint("execute", 0.1)
    kind = inputs.get("kind")
    text, parts, truncated = join(inputs)
    state = examine(text, kind, inputs.get("language"))
    context.checkpoint("execute", 0.5)
    model: Model | None = context.services.get("llm")
    out_of_budget = False
    if model is not None:
        try:
            state.by_model, state.tokens = ask_model(text, state, model, context)
        except Unanswered as unanswered:
            state.model_note, state.tokens = unanswered.why.value, unanswered.tokens
            out_of_budget = unanswered.why is Why.BUDGET
    data = result_of(text, kind, state)
    context.checkpoint("execute", 0.9)
    for name in ("findings", "left_out"):
        data[name] = [placed(entry, parts) for entry in data[name]]
    if truncated:
        data["notices"].append({"code": "TRUNCATED", **ABOUT_THE_REVIEW["TRUNCATED"].as_json()})
    found = data["summary"]["found"]
    context.log.info("compliance_reviewed", extra=fields(chars=len(text), found=found, by_model=len(state.by_model)))
    context.checkpoint("execute", 1.0)
    return PackResult(
        data=data,
        reliability=reliability(text, kind, state.reading.language, truncated=truncated),
        tokens_consumed=state.tokens,
        budget_cap_reached=out_of_budget,
    )
