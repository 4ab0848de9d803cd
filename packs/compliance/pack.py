"""The pack around `review`: what it accepts, where in a document a finding lies, how reliable the answer is."""

from dataclasses import dataclass

from dpp_project.logging import fields
from dpp_project.prices import COMPLIANCE_BASE
from packs.base import JsonObject, Pack, PackContext, PackResult
from packs.compliance.findings import readable_share, review
from packs.compliance.rules import KINDS

MAX_TEXT_CHARS = 200_000
MAX_SECTIONS = 500
_BETWEEN_PARTS = "\n\n"

_TEXT: JsonObject = {"type": "string", "minLength": 1, "maxLength": MAX_TEXT_CHARS, "pattern": r"\S"}
_HEADING: JsonObject = {"type": "string", "maxLength": 1_000}

INPUT_SCHEMA: JsonObject = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "compliance inputs",
    "description": (
        "Checks a Korean or English text against Korean rules on AI labelling, personal data, advertising, copyright "
        "and terms of service. Give exactly one of text and document. Not legal advice."
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


def _place(finding: JsonObject, parts: list[Part]) -> JsonObject:
    """The finding with its span inside the string it points at. A finding never reaches past its string."""
    start, end = finding["span"]["start"], finding["span"]["end"]
    part = next((each for each in parts if start < each.end), parts[-1])
    start, end = max(start, part.start), min(end, part.end)
    return {**finding, "pointer": part.pointer, "span": {"start": start - part.start, "end": end - part.start}}


_TRUNCATED: JsonObject = {
    "code": "TRUNCATED",
    "en": "Only the first 200,000 characters of the document were checked.",
    "ko": "문서의 처음 200,000자만 점검했습니다.",
}


def reliability(text: str, kind: str | None, *, truncated: bool) -> float:
    """Rules are exact, so what lowers trust is what they could not see: another script, another kind, a cut text."""
    score = 95.0 * readable_share(text)
    score -= 0 if kind else 5
    score -= 15 if truncated else 0
    score -= 20 if len(text.strip()) < 20 else 0
    return round(max(score, 0.0)) / 100


def execute(inputs: JsonObject, context: PackContext) -> PackResult:
    context.meter.base(COMPLIANCE_BASE)
    context.checkpoint("execute", 0.1)
    kind = inputs.get("kind")
    text, parts, truncated = join(inputs)
    data = review(text, kind)
    context.checkpoint("execute", 0.8)
    data["findings"] = [_place(finding, parts) for finding in data["findings"]]
    if truncated:
        data["notices"].append(_TRUNCATED)
    context.log.info("compliance_reviewed", extra=fields(chars=len(text), found=data["summary"]["found"]))
    context.checkpoint("execute", 1.0)
    return PackResult(data=data, reliability=reliability(text, kind, truncated=truncated))


PACK = Pack(
    name="compliance",
    title="Compliance: a text checked against Korean rules, with spans, legal basis and redlines",
    input_schema=INPUT_SCHEMA,
    prices=(COMPLIANCE_BASE,),
    execute=execute,
)
