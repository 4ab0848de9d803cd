"""What a compliance run accepts, and the one text that is made of it."""

from dataclasses import dataclass

from packs.base import JsonObject
from packs.compliance.rules import KINDS

MAX_TEXT_CHARS = 200_000
MAX_SECTIONS = 500
LANGUAGES = ("ko", "en")
_BETWEEN_PARTS = "\n\n"

_TEXT: JsonObject = {"type": "string", "minLength": 1, "maxLength": MAX_TEXT_CHARS, "pattern": r"\S"}
_HEADING: JsonObject = {"type": "string", "maxLength": 1_000}

INPUT_SCHEMA: JsonObject = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "compliance inputs",
    "description": (
        "Checks a Korean or English text against Korean rules on AI labelling, personal data, advertising, copyright, "
        "finance, health, hiring and terms of service. Give exactly one of text and document. Not legal advice."
    ),
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "text": {
            **_TEXT,
            "description": "The text to check, at most 200,000 characters. Give either this or document.",
            "examples": ["국내 최고의 효과를 100% 보장합니다. 문의 010-1234-5678"],
        },
        "document": {
            "description": (
                "The text as a document: a plain string, or a title with sections. At most 200,000 characters in all; "
                "what goes beyond is left out and a notice says so. Give either this or text."
            ),
            "anyOf": [
                _TEXT,
                {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["sections"],
                    "properties": {
                        "title": {**_HEADING, "description": "Title of the document."},
                        "sections": {
                            "type": "array",
                            "minItems": 1,
                            "maxItems": MAX_SECTIONS,
                            "description": "Sections in reading order.",
                            "items": {
                                "type": "object",
                                "additionalProperties": False,
                                "required": ["text"],
                                "properties": {
                                    "heading": {**_HEADING, "description": "Heading of the section."},
                                    "text": {"type": "string", "maxLength": MAX_TEXT_CHARS},
                                },
                            },
                        },
                    },
                },
            ],
        },
        "kind": {
            "type": "string",
            "enum": list(KINDS),
            "description": (
                "What the text is: an advertisement, a policy or terms of service, output of an AI, or anything else. "
                "It decides which rules apply; absent means general."
            ),
        },
        "language": {
            "type": "string",
            "enum": list(LANGUAGES),
            "description": "Language of the verdict, the rewrites and the report; absent means the text's own.",
        },
    },
    # Tool schemas may not carry oneOf at the top everywhere; this says the same with a clearer error.
    "if": {"required": ["text"]},
    "then": {"properties": {"document": False}},
    "else": {"required": ["document"]},
}


@dataclass(frozen=True)
class Part:
    """A string of the inputs, by its JSON pointer, and where it begins in the text that is checked."""

    pointer: str
    start: int
    end: int


def _strings(inputs: JsonObject) -> list[tuple[str, str]]:
    if "text" in inputs:
        return [("/text", inputs["text"])]
    document = inputs["document"]
    if isinstance(document, str):
        return [("/document", document)]
    strings = [("/document/title", document["title"])] if document.get("title") else []
    for index, section in enumerate(document["sections"]):
        strings += [
            (f"/document/sections/{index}/{name}", section[name]) for name in ("heading", "text") if section.get(name)
        ]
    return strings


def join(inputs: JsonObject) -> tuple[str, list[Part], bool]:
    """One text of all strings, the parts it is made of, and whether some of it had to be left out."""
    text = ""
    parts: list[Part] = []
    strings = _strings(inputs)
    for pointer, string in strings:
        start = len(text) + len(_BETWEEN_PARTS) if parts else 0
        kept = string[: max(0, MAX_TEXT_CHARS - start)]
        if not kept:
            break
        text = text + _BETWEEN_PARTS + kept if parts else kept
        parts.append(Part(pointer, start, start + len(kept)))
    given = sum(len(string) for _, string in strings)
    return text, parts, sum(part.end - part.start for part in parts) < given


def placed(finding: JsonObject, parts: list[Part]) -> JsonObject:
    """The finding with its span inside the string it points at. A finding never reaches past its string."""
    start, end = finding["span"]["start"], finding["span"]["end"]
    part = next((each for each in parts if start < each.end), parts[-1])
    start, end = max(start, part.start), min(end, part.end)
    return {**finding, "pointer": part.pointer, "span": {"start": start - part.start, "end": end - part.start}}
