"""A language model reads the pages that the relevance gate cannot judge, because page and question share no script.

Only pages that would be discarded for that are shown, several in one call, in a bounded number of calls. The model must
copy words of the page that speak of the question; code looks them up, letter by letter. A page without such words stays
what it was: unknown. The model is never asked about a page that the gate could judge.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from dpp_project.profile import PROFILE
from packs.base import JsonObject, PackContext
from packs.llm import Model, Prompt, Unanswered, Why, ask
from packs.url.gates import Candidate
from packs.url.quotes import MAX_QUOTE_CHARS, word_count

PAGES_PER_CALL = 6
MAX_CALLS = 3
SHOWN_CHARS = 2_000
"""Of each page, from its beginning."""
MIN_QUOTE_CHARS = 8

SCHEMA: JsonObject = {
    "type": "object",
    "additionalProperties": False,
    "required": ["pages"],
    "properties": {
        "pages": {
            "type": "array",
            "maxItems": PAGES_PER_CALL,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["page", "speaks_of_it", "quote"],
                "properties": {
                    "page": {"type": "integer", "description": "The number of the page."},
                    "speaks_of_it": {"type": "boolean"},
                    "quote": {
                        "type": "string",
                        "maxLength": MAX_QUOTE_CHARS,
                        "description": "The page's own words that speak of the question; empty where none do.",
                    },
                },
            },
        }
    },
}

TASK = (
    "For each page under `pages`, say whether it speaks of what `question` asks. Copy the words that do, letter by "
    f"letter and in the page's language, at most {PROFILE.quote_max_words} words. When in doubt: false."
)

_FAILURES = {
    Why.TIMEOUT: "The language model did not answer in time.",
    Why.UNAVAILABLE: "The language model could not be reached.",
    Why.REFUSED: "The language model refused the question.",
    Why.INVALID: "The language model gave no usable answer.",
    Why.BUDGET: "The language model was not asked: what is left of the reservation does not cover it.",
    Why.TOO_LARGE: "The language model was not asked: the pages are too long for it.",
}


@dataclass
class ModelReading:
    """What a model said of pages in foreign scripts."""

    quotes: dict[str, str] = field(default_factory=dict)
    """By URL: words of the page that speak of the question."""
    tokens: int = 0
    failure: Why | None = None

    @property
    def warnings(self) -> tuple[tuple[str, str], ...]:
        if self.failure is None:
            return ()
        stays = "Pages whose script shares too little with the question stay unjudged."
        return ((f"MODEL_{self.failure.name}", f"{_FAILURES[self.failure]} {stays}"),)


def model_calls(pages: int) -> int:
    """At most so many questions about so many pages."""
    return min(MAX_CALLS, -(-pages // PAGES_PER_CALL))


def read_by_model(question: str, candidates: Sequence[Candidate], context: PackContext) -> ModelReading:
    model: Model | None = context.services.get("llm")
    reading = ModelReading()
    if model is None:
        return reading
    for start in range(0, min(len(candidates), PAGES_PER_CALL * MAX_CALLS), PAGES_PER_CALL):
        batch = candidates[start : start + PAGES_PER_CALL]
        try:
            answer = ask(model, _prompt(question, batch), context, partial(_faults, len(batch)))
        except Unanswered as unanswered:
            reading.tokens += unanswered.tokens
            reading.failure = unanswered.why
            break
        reading.tokens += answer.tokens
        for said in answer.value["pages"]:
            candidate, quote = batch[said["page"]], said["quote"].strip()
            if said["speaks_of_it"] and _stands_in(quote, candidate):
                reading.quotes[candidate.url] = quote
    return reading


def _prompt(question: str, batch: Sequence[Candidate]) -> Prompt:
    pages = [
        {"page": number, "title": candidate.page.title, "text": candidate.page.text[:SHOWN_CHARS]}
        for number, candidate in enumerate(batch)
    ]
    return Prompt("page_relevance", TASK, {"question": question, "pages": pages}, SCHEMA)


def _faults(pages: int, value: JsonObject) -> list[str]:
    numbers = [each["page"] for each in value["pages"]]
    faults = [f"There is no page {number}." for number in numbers if not 0 <= number < pages]
    return faults if len(set(numbers)) == len(numbers) else [*faults, "One answer for each page."]


def _stands_in(quote: str, candidate: Candidate) -> bool:
    is_short = word_count(quote) <= PROFILE.quote_max_words and len(quote) <= MAX_QUOTE_CHARS
    return len(quote) >= MIN_QUOTE_CHARS and is_short and quote in candidate.page.text[:SHOWN_CHARS]
