"""A pack's input schema as a model reads it: what each field is, in few words. The whole of it is at GET /v1/packs.

A list of tools is read by the model in every turn, so it holds no bound that the API tells when it is broken, no
example, and no field a second time. What is left out here is accepted all the same: it is the API that judges.
"""

import re
from typing import Any

from packs.base import JsonObject, Pack

# Second names of a field, and switches that can only be on.
_LEFT_OUT = {
    "decision": frozenset({"decision_question"}),
    "ocr": frozenset({"input_files"}),
    "url": frozenset(
        {"max_urls", "fetch_timeout_sec", "max_redirect_hops", "block_private_ip", "allow_https_only", "refresh"}
    ),
}
# Objects that few callers need: named, not described.
_OPAQUE = frozenset({"gates", "rubric"})
_KEPT = ("type", "enum", "default")
_SENTENCE = re.compile(r"(.+?[.!?])(?:\s|$)", re.DOTALL)


def fields_of(pack: Pack) -> JsonObject:
    """The pack's fields by name, each in short."""
    left_out = _LEFT_OUT.get(pack.name, frozenset())
    properties: JsonObject = pack.input_schema.get("properties", {})
    return {
        name: _opaque(schema) if name in _OPAQUE else brief(schema)
        for name, schema in properties.items()
        if name not in left_out
    }


def required_of(pack: Pack) -> list[str]:
    """What must be given, where a pack has no choice; a second name that is left out is no choice."""
    schema = pack.input_schema
    condition = set(schema.get("if", {}).get("required", ()))
    is_left_out = bool(condition) and condition <= _LEFT_OUT.get(pack.name, frozenset())
    return [*schema.get("required", ()), *(schema["else"].get("required", ()) if is_left_out else ())]


def first_sentences(text: str, count: int) -> str:
    """`count` sentences of it."""
    found = _SENTENCE.findall(text)[:count]
    return " ".join(sentence.strip() for sentence in found) or text


def brief(schema: Any, *, with_words: bool = True) -> Any:
    """Words only for a field itself: inside it names and types say enough, as do the values of a choice."""
    if not isinstance(schema, dict):
        return schema
    short: JsonObject = {name: schema[name] for name in _KEPT if name in schema and schema[name] != {}}
    if with_words and "description" in schema and "enum" not in schema:
        short["description"] = first_sentences(schema["description"], 1)
    if "items" in schema:
        short["items"] = brief(schema["items"], with_words=False)
    properties = {**schema.get("properties", {}), **_conditional_properties(schema)}
    if properties:
        short["properties"] = {name: brief(inner, with_words=False) for name, inner in properties.items()}
    if "required" in schema:
        short["required"] = schema["required"]
    if "anyOf" in schema:
        short["anyOf"] = [brief(inner, with_words=False) for inner in schema["anyOf"]]
    return short


def _conditional_properties(schema: JsonObject) -> JsonObject:
    """Of `allOf` with `if` and `then`: the members that one of the cases has, side by side."""
    cases = (rule["then"].get("properties", {}) for rule in schema.get("allOf", ()) if "then" in rule)
    own = schema.get("properties", {})
    return {name: inner for case in cases for name, inner in case.items() if name not in own}


def _opaque(schema: JsonObject) -> JsonObject:
    return {
        "type": "object",
        "description": f"{first_sentences(schema.get('description', 'Settings.'), 1)} See /v1/packs.",
    }
