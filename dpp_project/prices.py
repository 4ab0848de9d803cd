"""The price list: what each metered thing costs, in USD micros. Part of the locked profile, but for what an operator's
own language model costs.

Packs name a thing (`FETCH`), the meter multiplies, the envelope itemises. Nothing else knows a price: `GET /v1/packs`
and `docs/prices.md` show this very list.
"""

from collections.abc import Mapping
from dataclasses import dataclass
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
REPORT = "report"
STORED_MIB = "stored_mib"
MINIMUM_FEE = "minimum_fee"


@dataclass(frozen=True)
class Price:
    amount: Micros
    unit: str
    """One of what."""
    charged: str
    """When, in one sentence for a customer."""


PRICE_LIST: Mapping[str, Price] = MappingProxyType(
    {
        DECISION_BASE: Price(Micros(50_000), "run", "A decision, once it is decided."),
        COMPLIANCE_BASE: Price(Micros(20_000), "run", "A review of one text."),
        EVAL_BASE: Price(Micros(20_000), "run", "An assessment of one answer."),
        FETCH: Price(Micros(2_000), "page", "A page or file that was fetched and could be read."),
        FETCH_CACHED: Price(Micros(500), "page", "Instead of a fetch, if your own fresh copy of it was used."),
        FETCH_LARGE: Price(Micros(2_000), "page", "Besides the fetch, if the document is larger than 512 KiB."),
        OCR_PAGE: Price(Micros(5_000), "page", "A page of a picture or scan that was read."),
        OCR_PASS: Price(Micros(2_000), "pass", "A further pass over a page, if it ran."),
        OCR_PAGE_CACHED: Price(Micros(1_000), "page", "Instead of a page, if you had it read before."),
        OCR_TEXT_PAGE: Price(Micros(1_000), "page", "A page that carries its text and needs no recognition."),
        LLM_INPUT_TOKEN: Price(Micros(1), "token", "What a language model read for the run."),
        LLM_OUTPUT_TOKEN: Price(Micros(4), "token", "What a language model wrote for the run."),
        REPORT: Price(Micros(1_000), "report", "Each report that was asked for, of up to 1 MiB."),
        STORED_MIB: Price(Micros(1_000), "MiB", "Each further MiB of a report."),
    }
)

PRICES: Mapping[str, Micros] = MappingProxyType({item: price.amount for item, price in PRICE_LIST.items()})

# What every pack may spend besides its own items.
FOR_REPORTS = (REPORT, STORED_MIB)

FREE = (
    "Quotes, polls, streams, lists and every other read.",
    "A repeat of a submit with the same Idempotency-Key.",
    "A page that did not come, a page that was not read, a pass that did not run: each is itemised with its reason.",
    "The result itself: its envelope is stored and can be fetched again within its retention.",
    "A run that never started: refused, cancelled while it was queued, not queued in time, switched off.",
)

# Given here for a model nobody has priced; the settings say what the operator's costs.
OPERATORS_OWN = frozenset({LLM_INPUT_TOKEN, LLM_OUTPUT_TOKEN})
