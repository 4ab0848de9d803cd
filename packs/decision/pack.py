"""The pack as the registry lists it."""

from dpp_project.prices import (
    DECISION_BASE,
    FETCH,
    FETCH_CACHED,
    FETCH_LARGE,
    LLM_INPUT_TOKEN,
    LLM_OUTPUT_TOKEN,
)
from packs.base import FETCHES, Estimate, JsonObject, Pack
from packs.decision.execute import execute
from packs.decision.schema import INPUT_SCHEMA
from packs.url_inputs import refuse_urls


def estimate(inputs: JsonObject) -> Estimate:
    """The decision, its evidence pages, and two questions to a model: one that reads, one that words."""
    pages = len(inputs.get("evidence_urls", ()))
    base = {DECISION_BASE: 1}
    return Estimate(
        least=base,
        likely={**base, FETCH: pages},
        worst={**base, FETCH: pages, FETCH_LARGE: pages},
        model_calls=2,
    )


PACK = Pack(
    name="decision",
    title="Decision: options weighed against criteria, with evidence, assumptions and sensitivity",
    input_schema=INPUT_SCHEMA,
    prices=(DECISION_BASE, FETCH, FETCH_CACHED, FETCH_LARGE, LLM_INPUT_TOKEN, LLM_OUTPUT_TOKEN),
    execute=execute,
    estimate=estimate,
    features=lambda inputs: frozenset({FETCHES}) if inputs.get("evidence_urls") else frozenset(),
    refuse=refuse_urls("evidence_urls"),
    is_deterministic=True,
)
