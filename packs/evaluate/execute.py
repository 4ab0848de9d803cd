"""One run of the pack, and how far its score can be relied on."""

from dpp_project.logging import fields
from dpp_project.prices import EVAL_BASE
from packs.base import JsonObject, PackContext, PackResult
from packs.claims.verdict import Status
from packs.evaluate.coverage import Assessed
from packs.evaluate.model_judge import Judged, judged_by
from packs.evaluate.result import assess
from packs.evaluate.submission import Submission
from packs.llm import Model, Why

# Measured on held-out cases, see docs/packs-eval.md: how often each verdict is right, rounded down. Half-true claims
# are rarely named as such; a claim that could not be verified tells nothing.
PRECISION = {Status.SUPPORTED: 0.7, Status.CONTRADICTED: 0.8, Status.PARTLY: 0.8}

# Depends on the model that an operator configures, which was not measured.
JUDGED_PRECISION = 0.5


def reliability(data: JsonObject) -> float:
    """How much of the answer could be verified: the share of claims with a verdict, each weighed by its precision."""
    entries = data["interpretation"]
    if not entries:
        return 0.0
    return round(sum(_precision(entry) for entry in entries) / len(entries), 2)


def _precision(entry: JsonObject) -> float:
    return JUDGED_PRECISION if entry["code"] == "JUDGED" else PRECISION.get(Status(entry["status"]), 0.0)


def execute(inputs: JsonObject, context: PackContext) -> PackResult:
    context.meter.base(EVAL_BASE)
    context.checkpoint("execute", 0.1)
    submitted = inputs["text"] if "text" in inputs else inputs["claims"]
    model: Model | None = context.services.get("llm")
    tokens, failure = 0, ""

    def judge(submission: Submission, assessed: tuple[Assessed, ...]) -> Judged:
        nonlocal tokens, failure
        context.checkpoint("model_judge", 0.5)
        judged = judged_by(model, context, submission, assessed) if model is not None else Judged(assessed)
        tokens, failure = judged.tokens, judged.failure
        return judged

    data = assess(submitted, inputs.get("sources", ()), inputs.get("rubric"), judge if model is not None else None)
    told = data.get("model_judge", {})
    context.log.info(
        "eval_assessed",
        extra=fields(claims=len(data["evidence"]), score=data["score"], judge_refused=told.get("refused", 0)),
    )
    context.checkpoint("execute", 1.0)
    return PackResult(
        data=data,
        reliability=reliability(data),
        tokens_consumed=tokens,
        budget_cap_reached=failure == Why.BUDGET,
    )
