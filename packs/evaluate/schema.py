"""What the pack accepts."""

from packs.base import JsonObject
from packs.evaluate.rubric import MEANINGS, WEIGHTS

MAX_TEXT_CHARS = 100_000
MAX_CLAIMS_GIVEN = 400
MAX_SOURCES = 50
MAX_SOURCE_CHARS = 50_000

_ID: JsonObject = {"type": "string", "minLength": 1, "maxLength": 100}
_CLAIM_TEXT: JsonObject = {"type": "string", "minLength": 1, "maxLength": 4_000, "pattern": r"\S"}

_CLAIM: JsonObject = {
    "anyOf": [
        {**_CLAIM_TEXT, "description": "Only the claim."},
        {
            "type": "object",
            "additionalProperties": False,
            "required": ["text"],
            "properties": {
                "text": {**_CLAIM_TEXT, "description": "One statement."},
                "source_ids": {
                    "type": "array",
                    "maxItems": 20,
                    "items": _ID,
                    "description": "Ids of the sources this claim rests on.",
                },
            },
        },
    ]
}

_SOURCE: JsonObject = {
    "anyOf": [
        {
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_SOURCE_CHARS,
            "description": "Only the source's text. Its id is its place in the list, from 1.",
        },
        {
            "type": "object",
            "additionalProperties": False,
            "minProperties": 1,
            "properties": {
                "id": {**_ID, "description": "How the text cites it, as in [id]. Default: its place in the list."},
                "title": {"type": "string", "maxLength": 1_000, "description": "Title of the source."},
                "url": {"type": "string", "maxLength": 4_000, "description": "Address; not fetched by this pack."},
                "date": {"type": "string", "maxLength": 40, "description": "Date of publication."},
                "text": {
                    "type": "string",
                    "maxLength": MAX_SOURCE_CHARS,
                    "description": "What the source says. Without it claims cannot be verified against the source.",
                },
            },
        },
    ]
}

INPUT_SCHEMA: JsonObject = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "eval inputs",
    "description": (
        "Scores a Korean or English text from 0 to 100 by a declared rubric: evidence, figures, contradictions, "
        "citations, clarity. Give exactly one of text and claims. Sums, differences and shares are computed and shown."
    ),
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "text": {
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_TEXT_CHARS,
            "pattern": r"\S",
            "description": "The text to score. Give either this or claims.",
            "examples": ["2024년 매출은 120억 원으로 전년보다 10% 늘었다 [1]."],
        },
        "claims": {
            "type": "array",
            "minItems": 1,
            "maxItems": MAX_CLAIMS_GIVEN,
            "items": _CLAIM,
            "description": "The statements to score, one by one. Give either this or text.",
        },
        "sources": {
            "type": "array",
            "maxItems": MAX_SOURCES,
            "items": _SOURCE,
            "description": "What the text is held against.",
        },
        "rubric": {
            "type": "object",
            "additionalProperties": False,
            "description": "Changes to the declared rubric.",
            "properties": {
                "weights": {
                    "type": "object",
                    "additionalProperties": False,
                    "description": "Weights by sub-score; those left out keep their declared weight.",
                    "properties": {
                        name: {
                            "type": "integer",
                            "minimum": 0,
                            "maximum": 1_000,
                            "default": WEIGHTS[name],
                            "description": meaning,
                        }
                        for name, meaning in MEANINGS.items()
                    },
                    # All weights at 0 would leave nothing to score by.
                    "not": {
                        "description": "all weights are 0",
                        "required": list(WEIGHTS),
                        "properties": {name: {"const": 0} for name in WEIGHTS},
                    },
                },
            },
        },
    },
    "if": {"required": ["text"]},
    "then": {"properties": {"claims": False}},
    "else": {"required": ["claims"]},
}
