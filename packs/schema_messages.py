"""What an input must be, as a sentence for people and agents. Never the validator's words, never the value itself."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from jsonschema.exceptions import ValidationError

from packs import schema_patterns

# Keywords of our own: a member whose schema is `false`, and what `if` and `required` mean together.
FORBIDDEN = "forbidden"
NOT_TOGETHER = "not_together"
ONE_OF = "one_of"

_LONGEST_NAME = 100
_MOST_NAMES = 30

_TYPES = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "null",
}


def sentence(error: ValidationError) -> str:
    """One sentence: which member, and what is expected of it."""
    keyword: Any = error.validator
    value: Any = error.validator_value
    subject = _subject(list(error.absolute_path))
    if keyword == "propertyNames" and error.context:
        inner = error.context[0]
        return f"The name of this member {_expectation(inner.validator, inner.validator_value)}."
    if keyword == "additionalProperties":
        return f"{subject} is not known here. {_known(error.schema)}"
    if keyword == ONE_OF:
        return f"One of {_listed(value, 'and')} must be given."
    if keyword == NOT_TOGETHER:
        return f"{subject} must not be given together with {_listed(value, 'and')}."
    if keyword in ("anyOf", "oneOf"):
        return _alternatives(subject, value)
    return f"{subject} {_expectation(keyword, value)}."


def _subject(path: Sequence[str | int]) -> str:
    if not path:
        return "inputs"
    last = path[-1]
    if isinstance(last, str):
        return last[:_LONGEST_NAME] or "This member"
    of = next((str(part)[:_LONGEST_NAME] for part in reversed(path) if isinstance(part, str)), "inputs")
    return f"Item {last + 1} of {of}"


def _expectation(keyword: Any, value: Any) -> str:
    if keyword == "pattern":
        return schema_patterns.EXPECTATIONS.get(value, f"must match the pattern {value}")
    say = _EXPECTATIONS.get(keyword)
    return say(value) if say else "is not allowed here"


_EXPECTATIONS: dict[str, Callable[[Any], str]] = {
    "type": lambda types: f"must be {_typed([types] if isinstance(types, str) else types)}",
    "required": lambda _: "is required",
    "enum": lambda values: f"must be one of {_listed([_written(value) for value in values], 'or')}",
    "const": lambda value: f"must be {_written(value)}",
    "minLength": lambda least: "must not be empty" if least == 1 else f"must have at least {least} characters",
    "maxLength": lambda most: f"must have at most {most} characters",
    "minItems": lambda least: f"must have at least {_counted(least, 'item')}",
    "maxItems": lambda most: f"must have at most {_counted(most, 'item')}",
    "minProperties": lambda least: f"must have at least {_counted(least, 'member')}",
    "maxProperties": lambda most: f"must have at most {_counted(most, 'member')}",
    "minimum": lambda least: f"must be at least {least}",
    "maximum": lambda most: f"must be at most {most}",
    "exclusiveMinimum": lambda least: f"must be more than {least}",
    "exclusiveMaximum": lambda most: f"must be less than {most}",
    "multipleOf": lambda step: f"must be a multiple of {step}",
    "uniqueItems": lambda _: "repeats an earlier item; each may be given once",
    "format": lambda name: f"must have the format {name}",
    "not": lambda schema: _exclusion(schema),
}


def _exclusion(schema: Any) -> str:
    if schema == {"const": False}:
        return "must be true"
    return f"must not be such that {schema.get('description', 'it fits the schema under not')}"


def _alternatives(subject: str, branches: Sequence[Any]) -> str:
    if all(isinstance(branch, dict) and branch.keys() == {"required"} for branch in branches):
        names = [" with ".join(branch["required"]) for branch in branches]
        return f"{subject} must have at least one of {_listed(names, 'and')}."
    types = [branch["type"] for branch in branches if isinstance(branch, dict) and isinstance(branch.get("type"), str)]
    if len(types) == len(branches):
        return f"{subject} must be {_typed(types)}."
    return f"{subject} has none of the forms that the schema allows."


def _known(schema: Any) -> str:
    names = list(schema.get("properties", ())) if isinstance(schema, dict) else []
    return f"Known are {_listed(names[:_MOST_NAMES], 'and')}." if names else "No member is."


def _typed(types: Sequence[str]) -> str:
    words = list(dict.fromkeys(_TYPES[name] for name in types))
    if len(words) > 1 and "boolean" in types:
        # Not "a number or true or false".
        place = words.index(_TYPES["boolean"])
        words[place : place + 1] = ["true", "false"]
    return _listed(words, "or")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _written(value: Any) -> str:
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


def _listed(words: Sequence[str], last: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"
