"""The ocr pack as a value."""

from dpp_project.prices import FETCH, FETCH_CACHED, FETCH_LARGE, OCR_PAGE, OCR_PAGE_CACHED, OCR_PASS, OCR_TEXT_PAGE
from dpp_project.profile import PROFILE
from dpp_project.work_queues import Work
from packs.base import FETCHES, Estimate, JsonObject, Pack
from packs.ocr.execute import execute
from packs.ocr.schema import INPUT_SCHEMA, read_inputs, refuse


def features(inputs: JsonObject) -> frozenset[str]:
    """What an operator can switch off: the expensive profile, and reading from the web."""
    from_web = any(given.kind == "url" for given in read_inputs(inputs).given)
    expensive = inputs.get("ocr_profile") == "P2B"
    return frozenset({name for name, used in ((FETCHES, from_web), ("ocr_p2b", expensive)) if used})


def estimate(inputs: JsonObject) -> Estimate:
    """How many pages a file has is not known before it is opened: likely one each, at worst all that may be read."""
    asked = read_inputs(inputs)
    fetched = sum(given.kind == "url" for given in asked.given)
    likely, worst = min(len(asked.given), asked.max_pages), asked.max_pages
    return Estimate(
        least={OCR_PAGE_CACHED: 1},
        likely={FETCH: fetched, OCR_PAGE: likely},
        worst={
            FETCH: fetched,
            FETCH_LARGE: fetched,
            OCR_PAGE: worst,
            OCR_PASS: worst * asked.profile.passes_charged,
        },
    )


PACK = Pack(
    name="ocr",
    title="OCR: Korean and English text from pictures and PDF, with every doubt marked",
    input_schema=INPUT_SCHEMA,
    prices=(OCR_PAGE, OCR_PASS, OCR_TEXT_PAGE, OCR_PAGE_CACHED, FETCH, FETCH_LARGE, FETCH_CACHED),
    execute=execute,
    estimate=estimate,
    features=features,
    work=Work.OCR,
    refuse=refuse,
    max_body_bytes=PROFILE.max_request_bytes,
)
