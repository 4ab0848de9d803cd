"""The pack as the registry lists it."""

from dpp_project.prices import FETCH, FETCH_CACHED, FETCH_LARGE, LLM_INPUT_TOKEN, LLM_OUTPUT_TOKEN
from dpp_project.work_queues import Work
from packs.base import FETCHES, Estimate, JsonObject, Pack
from packs.url.execute import execute
from packs.url.model_relevance import model_calls
from packs.url.schema import INPUT_SCHEMA, read_inputs
from packs.url_inputs import refuse_urls


def estimate(inputs: JsonObject) -> Estimate:
    asked = read_inputs(inputs)
    pages = min(len(set(asked.urls)), asked.max_urls)
    return Estimate(
        least={FETCH_CACHED: 1},
        likely={FETCH: pages},
        worst={FETCH: pages, FETCH_LARGE: pages},
        model_calls=model_calls(pages) if asked.question and asked.check_relevance and not asked.keep_unknown else 0,
    )


PACK = Pack(
    name="url",
    title="URL: public pages read, gated by access, quality and relevance, and quoted",
    input_schema=INPUT_SCHEMA,
    prices=(FETCH, FETCH_LARGE, FETCH_CACHED, LLM_INPUT_TOKEN, LLM_OUTPUT_TOKEN),
    execute=execute,
    estimate=estimate,
    features=lambda inputs: frozenset({FETCHES}),
    work=Work.FETCH,
    refuse=refuse_urls("urls"),
)
