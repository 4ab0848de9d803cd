"""The price list: what each metered thing costs, in USD micros. Part of the locked profile, but for what an operator's
own language model costs.

Packs name a thing (`FETCH`), the meter multiplies, the envelope itemises. Nothing else knows a price.
"""

from collections.abc import Mapping
from types import MappingProxyType

from dpp_project.money import Micros

DECISION_BASE = "decision"
COMPLIANCE_BASE = "compliance"
EVAL_BASE = "eval"
FETCH = "fetch"
FETCH_CACHED = "fetch_cached"
FETCH_LARGE = "fetch_large"
OCR_PAGE = "ocr_page"
OCR_PASS = "ocr_pass"  # noqa: S105 (a pass over a page, not a password)
OCR_PAGE_CACHED = "ocr_page_cached"
OCR_TEXT_PAGE = "ocr_text_page"
LLM_INPUT_TOKEN = "llm_input_token"  # noqa: S105 (a language model's token)
LLM_OUTPUT_TOKEN = "llm_output_token"  # noqa: S105
STORED_MIB = "stored_mib"

PRICES: Mapping[str, Micros] = MappingProxyType(
    {
        DECISION_BASE: Micros(50_000),
        COMPLIANCE_BASE: Micros(20_000),
        EVAL_BASE: Micros(20_000),
        FETCH: Micros(2_000),
        FETCH_CACHED: Micros(500),
        FETCH_LARGE: Micros(2_000),
        OCR_PAGE: Micros(5_000),
        OCR_PASS: Micros(2_000),
        OCR_PAGE_CACHED: Micros(1_000),
        OCR_TEXT_PAGE: Micros(1_000),
        LLM_INPUT_TOKEN: Micros(1),
        LLM_OUTPUT_TOKEN: Micros(4),
        STORED_MIB: Micros(1_000),
    }
)

# Given here for a model nobody has priced; the settings say what the operator's costs.
OPERATORS_OWN = frozenset({LLM_INPUT_TOKEN, LLM_OUTPUT_TOKEN})
