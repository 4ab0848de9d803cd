"""The pack as the registry lists it."""

from dpp_project.prices import FETCH, FETCH_CACHED, FETCH_LARGE
from packs.base import Estimate, JsonObject, Pack
from packs.url.execute import execute
from packs.url.schema import INPUT_SCHEMA, read_inputs
from packs.url_inputs import refuse_urls


def estimate(inputs: JsonObject) -> Estimate:
    asked = read_inputs(inputs)
    pages = min(len(set(asked.urls)), asked.max_urls)
    return Estimate(least={FETCH_CACHED: 1}, likely={FETCH: pages}, worst={FETCH: pages, FETCH_LARGE: pages})


PACK = Pack(
    name="url",
    title="URL: public pages read, gated by access, quality and relevance, and quoted",
    input_schema=INPUT_SCHEMA,
    prices=(FETCH, FETCH_LARGE, FETCH_CACHED),
    execute=execute,
    estimate=estimate,
    features=lambda inputs: frozenset({"fetch_external"}),
    refuse=refuse_urls("urls"),
)
