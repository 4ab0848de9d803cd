"""The pack as the registry lists it."""

from dpp_project.prices import EVAL_BASE
from packs.base import Estimate, Pack
from packs.evaluate.execute import execute
from packs.evaluate.schema import INPUT_SCHEMA

PACK = Pack(
    name="eval",
    title="Eval: a text scored from 0 to 100 by a declared rubric, with reasons",
    input_schema=INPUT_SCHEMA,
    prices=(EVAL_BASE,),
    execute=execute,
    estimate=lambda inputs: Estimate.fixed(EVAL_BASE),
)
