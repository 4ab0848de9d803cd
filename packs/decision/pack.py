"""The pack as the registry lists it."""

from dpp_project.prices import (
    DECISION_BASE,
    FETCH,
    FETCH_CACHED,
    FETCH_LARGE,
    LLM_INPUT_TOKEN,
    LLM_OUTPUT_TOKEN,
)
from packs.base import Pack
from packs.decision.execute import execute
from packs.decision.schema import INPUT_SCHEMA
from packs.url_inputs import refuse_urls

PACK = Pack(
    name="decision",
    title="Decision: options weighed against criteria, with evidence, assumptions and sensitivity",
    input_schema=INPUT_SCHEMA,
    prices=(DECISION_BASE, FETCH, FETCH_CACHED, FETCH_LARGE, LLM_INPUT_TOKEN, LLM_OUTPUT_TOKEN),
    execute=execute,
    least=lambda inputs: {DECISION_BASE: 1},
    features=lambda inputs: frozenset({"fetch_external"}) if inputs.get("evidence_urls") else frozenset(),
    refuse=refuse_urls("evidence_urls"),
)
