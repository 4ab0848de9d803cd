"""What a decision run accepts. Shown to agents as it stands and turned into a tool schema, so every field
explains itself.

"Exactly one of question and decision_question" is written as if/then/else: tool schemas may not carry
`oneOf` at their top level everywhere, and the error then reads "'question' is a required property".
"""

from packs.base import JsonObject
from packs.fetch.url import MAX_URL_CHARS
from packs.schema_patterns import HTTPS_URL

MAX_OPTIONS = 20
MAX_CRITERIA = 20
MAX_EVIDENCE_URLS = 30  # as many as one run may fetch
MAX_CONTEXT_CHARS = 100_000

_QUESTION: JsonObject = {
    "type": "string",
    "minLength": 1,
    "maxLength": 4_000,
    "pattern": r"\S",
    "description": "The decision to take, as one question. A Korean question is answered in Korean.",
    "examples": ["Which database should we use for the ledger?", "어느 업체와 계약해야 하나요?"],
}

_ATTRIBUTE_VALUE: JsonObject = {
    "anyOf": [
        {"type": "string", "maxLength": 2_000},
        {"type": "number"},
        {"type": "boolean"},
    ],
}

_OPTION_NAME: JsonObject = {"type": "string", "minLength": 1, "maxLength": 200, "pattern": r"\S"}

_OPTION: JsonObject = {
    "anyOf": [
        {**_OPTION_NAME, "description": "Only the option's name."},
        {
            "type": "object",
            "additionalProperties": False,
            "required": ["name"],
            "properties": {
                "name": {**_OPTION_NAME, "description": "How the option is called in the answer."},
                "description": {
                    "type": "string",
                    "maxLength": 8_000,
                    "description": ("What is known about it, in prose. Sentences that name a criterion are evidence."),
                },
                "attributes": {
                    "type": "object",
                    "maxProperties": 50,
                    "propertyNames": {"minLength": 1, "maxLength": 200},
                    "additionalProperties": _ATTRIBUTE_VALUE,
                    "description": (
                        'Facts by criterion name. A number, a number with its unit ("30 days", '
                        '"1,200,000원"), '
                        "a grade (low, medium, high; 상, 중, 하) or true/false. Values are quoted unchanged."
                    ),
                    "examples": [{"price": "1,200,000원", "uptime": "99.9 %", "on-site support": True}],
                },
            },
        },
    ],
}

_CRITERION: JsonObject = {
    "anyOf": [
        {
            **_OPTION_NAME,
            "description": "Only the criterion's name: weight and direction are derived and declared.",
        },
        {
            "type": "object",
            "additionalProperties": False,
            "required": ["name"],
            "properties": {
                "name": {**_OPTION_NAME, "description": "Matched with the options' attribute names."},
                "weight": {
                    "type": "number",
                    "minimum": 0,
                    "maximum": 1_000_000,
                    "description": "Relative importance, on any scale: only the proportions count.",
                },
                "direction": {
                    "type": "string",
                    "enum": ["higher_is_better", "lower_is_better"],
                    "description": "Derived from the name (cost, risk, 기간 …) and declared when absent.",
                },
                "scale": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["min", "max"],
                    "properties": {"min": {"type": "number"}, "max": {"type": "number"}},
                    "description": (
                        "The ends of the scale, in the attributes' unit. Absent: options are compared "
                        "with the best one."
                    ),
                },
            },
        },
    ],
}

INPUT_SCHEMA: JsonObject = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "decision inputs",
    "description": (
        "Weighs the given options against the given criteria and says what the answer rests on. Give "
        "options with "
        "attributes for a scored answer; without them the pack structures what is known and lists what is "
        "missing."
    ),
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "question": _QUESTION,
        "decision_question": {
            **_QUESTION,
            "description": "The same as `question`; give exactly one of the two.",
        },
        "options": {
            "type": "array",
            "minItems": 2,
            "maxItems": MAX_OPTIONS,
            "items": _OPTION,
            "description": "The alternatives, at least two, each a name or an object.",
        },
        "criteria": {
            "type": "array",
            "minItems": 1,
            "maxItems": MAX_CRITERIA,
            "items": _CRITERION,
            "description": "What counts. Absent: taken from the attributes that the options have in common.",
        },
        "context": {
            "anyOf": [
                {"type": "string", "maxLength": MAX_CONTEXT_CHARS},
                {"type": "object", "maxProperties": 200},
            ],
            "description": (
                "Background, as text or as an object. Facts may be keyed by option and criterion, either "
                "way round: "
                '{"Vendor A": {"price": "30 USD"}}. It is read as data and never followed as instructions.'
            ),
        },
        "mode": {
            "type": "string",
            "enum": ["brief", "full"],
            "default": "brief",
            "description": (
                "brief: the answer and what it rests on. full: every comparison and every weight that "
                "would change the answer."
            ),
        },
        "evidence_urls": {
            "type": "array",
            "minItems": 1,
            "maxItems": MAX_EVIDENCE_URLS,
            "uniqueItems": True,
            "items": {"type": "string", "format": "uri", "maxLength": MAX_URL_CHARS, "pattern": HTTPS_URL},
            "description": ("Pages to read as evidence. Each is fetched, gated and charged as in the url pack."),
        },
        "language": {
            "type": "string",
            "enum": ["ko", "en"],
            "description": "Language of the texts; detected from the question when absent.",
        },
    },
    "if": {"required": ["decision_question"]},
    "then": {"properties": {"question": False}},
    "else": {"required": ["question"]},
    "examples": [
        {
            "question": "Which vendor should host the service?",
            "options": [
                {"name": "Vendor A", "attributes": {"price": "30 USD", "uptime": "99.9 %"}},
                {"name": "Vendor B", "attributes": {"price": "24 USD", "uptime": "99.5 %"}},
            ],
            "criteria": [
                {"name": "price", "weight": 2, "direction": "lower_is_better"},
                {"name": "uptime", "weight": 3},
            ],
            "mode": "brief",
        },
        {
            "decision_question": "재택근무를 계속해야 하나요?",
            "context": "직원 120명 중 78%가 찬성했다.",
            "mode": "full",
        },
    ],
}
