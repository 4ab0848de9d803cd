"""One run of the pack, and how far its score can be relied on."""

from dpp_project.logging import fields
from dpp_project.prices import EVAL_BASE
from packs.base import JsonObject, PackContext, PackResult
from packs.claims.verdict import Status
from packs.evaluate.result import assess

# Measured on labelled cases, see docs/packs-eval.md: how often each verdict is right, rounded down. Half-true claims
# are rarely named as such; a claim that could not be verified tells nothing.
PRECISION = {Status.SUPPORTED: 0.92, Status.CONTRADICTED: 0.92, Status.PARTLY: 0.8}


def reliability(data: JsonObject) -> float:
    """How much of the answer could be verified: the share of claims with a verdict, each weighed by its precision."""
    statuses = [entry["status"] for entry in data["interpretation"]]
    if not statuses:
        return 0.0
    return round(sum(PRECISION.get(Status(status), 0.0) for status in statuses) / len(statuses), 2)


def execute(inputs: JsonObject, context: PackContext) -> PackResult:
    context.meter.base(EVAL_BASE)
    context.checkpoint("execute", 0.1)
    submitted = inputs["text"] if "text" in inputs else inputs["claims"]
    data = assess(submitted, inputs.get("sources", ()), inputs.get("rubric"))
    context.log.info("eval_assessed", extra=fields(claims=len(data["evidence"]), score=data["score"]))
    context.checkpoint("execute", 1.0)
    return PackResult(data=data, reliability=reliability(data))
