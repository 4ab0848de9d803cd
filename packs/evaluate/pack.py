"""The pack as the registry lists it."""

from dpp_project.prices import EVAL_BASE, LLM_INPUT_TOKEN, LLM_OUTPUT_TOKEN
from packs.base import Estimate, JsonObject, Pack
from packs.evaluate.execute import execute
from packs.evaluate.model_judge import CLAIMS_PER_CALL, MAX_CALLS
from packs.evaluate.schema import INPUT_SCHEMA


def estimate(inputs: JsonObject) -> Estimate:
    """The base price, and questions to a model about claims that the rules may leave open; none without sources."""
    if not inputs.get("sources"):
        return Estimate.fixed(EVAL_BASE)
    claims = len(inputs["claims"]) if "claims" in inputs else CLAIMS_PER_CALL * MAX_CALLS
    return Estimate.fixed(EVAL_BASE, model_calls=min(MAX_CALLS, -(-claims // CLAIMS_PER_CALL)))


PACK = Pack(
    name="eval",
    title="Eval: a text scored from 0 to 100 by a declared rubric, with reasons",
    input_schema=INPUT_SCHEMA,
    prices=(EVAL_BASE, LLM_INPUT_TOKEN, LLM_OUTPUT_TOKEN),
    execute=execute,
    estimate=estimate,
    is_deterministic=True,
)
