"""The pack as the registry lists it."""

from dpp_project.prices import FETCH, FETCH_CACHED, FETCH_LARGE
from packs.base import Pack
from packs.url.execute import execute
from packs.url.schema import INPUT_SCHEMA
from packs.url_inputs import refuse_urls

PACK = Pack(
    name="url",
    title="URL: public pages read, gated by access, quality and relevance, and quoted",
    input_schema=INPUT_SCHEMA,
    prices=(FETCH, FETCH_LARGE, FETCH_CACHED),
    execute=execute,
    least=lambda inputs: {FETCH: 1},
    features=lambda inputs: frozenset({"fetch_external"}),
    refuse=refuse_urls("urls"),
)
