"""The pack around `assess`: what it accepts, and how far its score can be relied on."""

from dpp_project.logging import fields
from dpp_project.prices import EVAL_BASE
from packs.base import JsonObject, Pack, PackContext, PackResult
from packs.evaluate.assessment import assess
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
        "citations, clarity. Give exactly one of text and claims. Figures are compared as written, never recomputed."
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


def reliability(data: JsonObject) -> float:
    """How much of the score rests on something seen.

    With source texts to hold claims against the checks can do their work: 0.95. Without, evidence and figures are
    judged from the text alone: 0.7. Few claims make every share coarse, and what was left out was not judged.
    """
    codes = {point["code"] for point in data["open"]}
    score = 70 if codes & {"NO_SOURCES", "SOURCES_WITHOUT_TEXT"} else 95
    score -= 15 if len(data["evidence"]) < 2 else 0
    score -= 10 if codes & {"CLAIMS_LEFT_OUT", "SOURCES_CUT"} else 0
    return score / 100


def execute(inputs: JsonObject, context: PackContext) -> PackResult:
    context.meter.base(EVAL_BASE)
    context.checkpoint("execute", 0.1)
    material = inputs["text"] if "text" in inputs else inputs["claims"]
    data = assess(material, inputs.get("sources", ()), inputs.get("rubric"))
    context.log.info("eval_assessed", extra=fields(claims=len(data["evidence"]), score=data["score"]))
    context.checkpoint("execute", 1.0)
    return PackResult(data=data, reliability=reliability(data))


PACK = Pack(
    name="eval",
    title="Eval: a text scored from 0 to 100 by a declared rubric, with reasons",
    input_schema=INPUT_SCHEMA,
    prices=(EVAL_BASE,),
    execute=execute,
)
