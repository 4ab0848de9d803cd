"""The pack as the registry lists it."""

from dpp_project.prices import COMPLIANCE_BASE, LLM_INPUT_TOKEN, LLM_OUTPUT_TOKEN
from packs.base import Estimate, Pack
from packs.compliance.execute import execute
from packs.compliance.schema import INPUT_SCHEMA

PACK = Pack(
    name="compliance",
    title="Compliance: a text checked against Korean rules, with spans, legal basis and words to publish instead",
    input_schema=INPUT_SCHEMA,
    prices=(COMPLIANCE_BASE, LLM_INPUT_TOKEN, LLM_OUTPUT_TOKEN),
    execute=execute,
    estimate=lambda inputs: Estimate.fixed(COMPLIANCE_BASE, model_calls=1),
    is_deterministic=True,
)
