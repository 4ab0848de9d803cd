"""The second call of a language model: the finished weighing in its words, and the next actions reworded.

Everything it writes is checked here. The weighing stays ours, and so does the recommendation.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dpp_project.profile import PROFILE
from packs.base import JsonObject, PackContext
from packs.decision.brief import detect_language
from packs.decision.evidence import Evidence, mention, sentences
from packs.decision.run_state import Outcome
from packs.llm import Model, Prompt, ToldField, ask
from packs.llm.grounding import (
    Figure,
    foreign_urls,
    invented_figures,
    known_figures,
    long_quotations,
    unsupported_quotation,
)
from packs.next_actions import MAX_NEXT_ACTIONS

_RECOMMENDING = re.compile(
    r"\b(?:recommend\w*|choose|choice|pick|select|go with|best|better|winner|opt for|should (?:take|use|buy|sign))\b"
    r"|추천|권고|권장|선택|고르|택하|최선|가장\s?(?:좋|낫)|낫다|유리",
    re.IGNORECASE,
)

Sources = dict[str, str]
"""Every citable text by its pointer."""

_CITATION: JsonObject = {
    "type": "object",
    "additionalProperties": False,
    "required": ["pointer", "quote"],
    "properties": {
        "pointer": {"type": "string", "maxLength": 1_000},
        "quote": {
            "type": "string",
            "minLength": 1,
            "maxLength": 1_000,
            "description": f"At most {PROFILE.quote_max_words} consecutive words, letter by letter.",
        },
    },
}

_MAX_TEXT_CHARS = 6_000

NARRATIVE_SCHEMA: JsonObject = {
    "type": "object",
    "additionalProperties": False,
    "required": ["recommendation", "answer_text", "key_findings", "claims", "open"],
    "properties": {
        "recommendation": {
            "type": ["string", "null"],
            "description": "The weighing's recommendation, repeated; null if it has none.",
        },
        "answer_text": {"type": "string", "minLength": 1, "maxLength": _MAX_TEXT_CHARS},
        "key_findings": {
            "type": "array",
            "minItems": 1,
            "maxItems": 8,
            "items": {"type": "string", "minLength": 1, "maxLength": 300},
        },
        "claims": {
            "type": "array",
            "maxItems": 12,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["text", "kind", "evidence"],
                "properties": {
                    "text": {"type": "string", "minLength": 1, "maxLength": 500},
                    "kind": {"type": "string", "enum": ["fact", "interpretation"]},
                    "evidence": {"type": "array", "minItems": 1, "maxItems": 5, "items": _CITATION},
                },
            },
        },
        "open": {
            "type": "array",
            "maxItems": 8,
            "items": {"type": "string", "minLength": 1, "maxLength": 300},
        },
        "next_actions": {
            "type": "array",
            "maxItems": MAX_NEXT_ACTIONS,
            "description": "The given next actions in better words; `number` says which one, from 1.",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["number", "action", "changes"],
                "properties": {
                    "number": {"type": "integer", "minimum": 1, "maximum": MAX_NEXT_ACTIONS},
                    "action": {"type": "string", "minLength": 1, "maxLength": 300},
                    "changes": {"type": "string", "minLength": 1, "maxLength": 300},
                },
            },
        },
    },
}

_NARRATE = (
    "Write the answer to `question` from the finished weighing under `weighing`: in `answer_text` what is recommended, "
    "why, what speaks against it and what would change it; if nothing is recommended, what is known and what is "
    "missing. Mode brief: three to five sentences; mode full: several paragraphs. Repeat the weighing's recommendation "
    "and name it in the text. You may put the given `next_actions` into better words, by their number; add none. "
    "Every claim cites its evidence from `sources`. Facts say what was given, interpretations what follows. Write in "
    "the language named under `language` (ko: Korean, en: English)."
)


@dataclass(frozen=True)
class Narrative:
    answer_text: str
    key_findings: list[str]
    claims: list[JsonObject]
    open: list[str]
    next_actions: list[JsonObject]
    tokens: int


def narrate(outcome: Outcome, data: JsonObject, sources: Sources, model: Model, context: PackContext) -> Narrative:
    """The answer in the model's words. Raises `Unanswered`."""
    weighing = {
        key: data[key] for key in ("recommendation", "answer_text", "key_findings", "weights", "scores", "sensitivity")
    }
    weighing["open"] = [item["text"] for item in data["open"]]
    weighing["assumptions"] = [item["text"] for item in data["asmp"]]
    weighing["next_actions"] = [
        {"number": number, "action": item["action"], "changes": item["changes"]}
        for number, item in enumerate(data["next_actions"], 1)
    ]
    known, given = _known(data, sources), set(_urls(outcome).values())
    prompt = Prompt(
        name="narrative",
        task=_NARRATE,
        data={
            "question": outcome.brief.question,
            "language": outcome.brief.language,
            "mode": outcome.brief.mode,
            "weighing": weighing,
            "sources": sources,
        },
        schema=NARRATIVE_SCHEMA,
        told=ToldField("answer_text", _MAX_TEXT_CHARS, lambda text: not any(_wrong_text(text, known, given))),
    )
    answer = ask(model, prompt, context, lambda value: list(_wrong_narrative(value, outcome, data, sources)))
    value, urls = answer.value, _urls(outcome)
    return Narrative(
        answer_text=value["answer_text"].strip(),
        key_findings=value["key_findings"],
        claims=[
            {
                "text": claim["text"],
                "kind": claim["kind"],
                "evidence": [_evidence(cited, urls).as_json() for cited in claim["evidence"]],
            }
            for claim in value["claims"]
        ],
        open=value["open"],
        next_actions=value.get("next_actions", []),
        tokens=answer.tokens,
    )


def _wrong_narrative(value: JsonObject, outcome: Outcome, data: JsonObject, sources: Sources) -> Iterator[str]:
    expected = outcome.name(outcome.winner)
    if value["recommendation"] != expected:
        yield ("The recommendation must be the weighing's own: repeat `weighing.recommendation.option`, or null.")
    if expected is not None and expected not in value["answer_text"]:
        yield "The answer's text does not name the recommended option."
    if expected is None:
        for option in outcome.brief.options:
            for text in (value["answer_text"], *value["key_findings"]):
                if _recommends(text, option.name):
                    yield f"Nothing is recommended: the text must not recommend {option.name[:60]}."
    if detect_language(value["answer_text"]) != outcome.brief.language:
        yield f"The answer's text is not in the language {outcome.brief.language}."
    known = _known(data, sources)
    reworded = value.get("next_actions", [])
    numbers = [each["number"] for each in reworded]
    if len(set(numbers)) < len(numbers) or any(number > len(data["next_actions"]) for number in numbers):
        yield "A next action is numbered twice, or has a number that none of the given ones has."
    actions = [text for each in reworded for text in (each["action"], each["changes"])]
    written = [value["answer_text"], *value["key_findings"], *value["open"], *actions]
    for text in [*written, *(claim["text"] for claim in value["claims"])]:
        yield from _wrong_text(text, known, _urls(outcome).values())
    for claim in value["claims"]:
        for cited in claim["evidence"]:
            if wrong := unsupported_quotation(cited["quote"], cited["pointer"], sources):
                yield wrong


def _recommends(text: str, option: str) -> bool:
    """A sentence that names the option together with a word of recommending. Denied or not: it is not the text's."""
    return any(
        mention(option, sentence) >= 0 and _RECOMMENDING.search(sentence) is not None for sentence in sentences(text)
    )


def _known(data: JsonObject, sources: Sources) -> frozenset[Figure]:
    return known_figures([*sources.values(), *_said(data)])


def _said(data: JsonObject) -> list[str]:
    """The weighing's own texts and figures: totals and shares may be repeated, too."""
    texts = [data["answer_text"], *data["key_findings"]]
    for row in data["scores"]:
        texts += [str(row["total"]), *(str(cell["score"]) for cell in row["criteria"])]
    texts += [str(weight["share"]) for weight in data["weights"]]
    texts += [text for item in data["next_actions"] for text in (item["action"], item["changes"])]
    return [*texts, *(item["text"] for item in (*data["open"], *data["asmp"]))]


def _wrong_text(text: str, known: frozenset[Figure], urls: Iterable[str]) -> Iterator[str]:
    for figure in invented_figures(text, known):
        yield (f"{figure} does not occur in the material in this form; use only given numbers with their units.")
    for url in foreign_urls(text, urls):
        yield f"{url[:200]} is not in the material."
    for quoted in long_quotations(text):
        yield f"The quotation beginning with {quoted!r} is longer than {PROFILE.quote_max_words} words."


def _urls(outcome: Outcome) -> dict[str, str]:
    return {passage.pointer: passage.url for passage in outcome.material.texts if passage.url is not None}


def _evidence(cited: JsonObject, urls: dict[str, str]) -> Evidence:
    return Evidence(cited["pointer"], cited["quote"], urls.get(cited["pointer"]))
