"""Check a run's inputs against its pack's JSON Schema: at most 50 errors, each where it is and in our own words.

jsonschema does the work. Some of its keywords are replaced: those that would go through a list or an object that is
already too long, and those whose error does not name the member it is about.
"""

import functools
import math
from collections.abc import Iterator
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from dpp_project.json_pointer import pointer
from packs.base import InputError, Pack, UrlCheck
from packs.registry import PACKS
from packs.schema_messages import FORBIDDEN, NOT_TOGETHER, ONE_OF, sentence

MAX_ERRORS = 50


def input_errors(pack: Pack, inputs: Any, refusal_of_url: UrlCheck) -> list[InputError]:
    """Empty when the inputs fit. At most `MAX_ERRORS`: the schema's in document order, then those of `refuse`."""
    found = list(islice(validator(pack.name).iter_errors(inputs), MAX_ERRORS))
    found.sort(key=lambda error: [(isinstance(part, str), part) for part in error.absolute_path])
    errors = [InputError(pointer(["inputs", *error.absolute_path]), sentence(error)) for error in found]
    if pack.refuse is not None and isinstance(inputs, dict) and len(found) < MAX_ERRORS:
        wrong = {error.absolute_path[0] for error in found if error.absolute_path}
        fitting = {name: value for name, value in inputs.items() if name not in wrong}
        errors += pack.refuse(fitting, refusal_of_url)
    # Two rules of a schema may have the same to say of a member.
    return list(dict.fromkeys(errors))[:MAX_ERRORS]


@functools.cache
def validator(name: str) -> Any:
    schema = PACKS[name].input_schema
    Draft202012Validator.check_schema(schema)
    return _InputValidator(schema)


def count_values(value: Any, *, most: int) -> int:
    """How many values a document has, its names not counted; counting stops above `most`."""
    count, todo = 0, [value]
    while todo and count <= most:
        item = todo.pop()
        count += 1
        if isinstance(item, dict):
            todo.extend(item.values())
        elif isinstance(item, list):
            todo.extend(item)
    return count


_Errors = Iterator[ValidationError]
_STANDARD = Draft202012Validator.VALIDATORS


def _of_list(keyword: str) -> Any:
    """The keyword, but not for a list that is too long: that is said once, not for each item."""
    standard = _STANDARD[keyword]

    def check(validator: Any, value: Any, instance: Any, schema: Any) -> _Errors:
        if not isinstance(instance, list) or len(instance) <= schema.get("maxItems", len(instance)):
            yield from standard(validator, value, instance, schema) or ()

    return check


def _of_object(check: Any) -> Any:
    """The keyword, but not for an object with too many members."""

    def bounded(validator: Any, value: Any, instance: Any, schema: Any) -> _Errors:
        if not isinstance(instance, dict) or len(instance) <= schema.get("maxProperties", len(instance)):
            yield from check(validator, value, instance, schema) or ()

    return bounded


def _type(validator: Any, types: Any, instance: Any, schema: Any) -> _Errors:
    """Not beside `enum`, which says more: no value of another type is in it."""
    if "enum" not in schema:
        yield from _STANDARD["type"](validator, types, instance, schema) or ()


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> _Errors:
    """Not for a text that is too short or too long, which is said by itself."""
    if isinstance(instance, str) and schema.get("minLength", 0) <= len(instance) <= schema.get("maxLength", math.inf):
        yield from _STANDARD["pattern"](validator, pattern, instance, schema) or ()


def _properties(validator: Any, properties: dict[str, Any], instance: Any, schema: Any) -> _Errors:
    """A member whose schema is `false` is named too; the standard keyword forgets where it was."""
    if isinstance(instance, dict):
        for name, subschema in properties.items():
            if name in instance and subschema is False:
                yield ValidationError("", path=[name], validator=FORBIDDEN)
            elif name in instance:
                yield from validator.descend(instance[name], subschema, path=name, schema_path=name)


def _required(validator: Any, names: list[str], instance: Any, schema: Any) -> _Errors:
    """At the member that is missing."""
    if isinstance(instance, dict):
        yield from (ValidationError("", path=[name]) for name in names if name not in instance)


def _additional_properties(validator: Any, allowed: Any, instance: Any, schema: Any) -> _Errors:
    """At each member that is not known, not at the object."""
    if allowed is not False or schema.get("patternProperties") or not isinstance(instance, dict):
        yield from _STANDARD["additionalProperties"](validator, allowed, instance, schema) or ()
        return
    known = schema.get("properties", {})
    yield from (ValidationError("", path=[name]) for name in instance if name not in known)


def _property_names(validator: Any, names_schema: Any, instance: Any, schema: Any) -> _Errors:
    """At the member whose name is not allowed."""
    if isinstance(instance, dict):
        for name in instance:
            for error in validator.descend(instance=name, schema=names_schema):
                yield ValidationError("", path=[name], context=[error])


def _unique_items(validator: Any, wanted: Any, instance: Any, schema: Any) -> _Errors:
    """At the item that repeats an earlier one. One pass: comparing each with each takes minutes for a long list."""
    if not wanted or not isinstance(instance, list) or len(instance) > schema.get("maxItems", len(instance)):
        return
    seen = set()
    for index, item in enumerate(instance):
        identity = _identity(item)
        if identity in seen:
            yield ValidationError("", path=[index])
        seen.add(identity)


def _identity(value: Any) -> Any:
    """Equal for values that are equal in JSON: 1 and 1.0 are, 1 and true are not."""
    if isinstance(value, dict):
        return frozenset((name, _identity(item)) for name, item in value.items())
    if isinstance(value, list):
        return tuple(_identity(item) for item in value)
    return (isinstance(value, bool), value)


def _any_of(validator: Any, branches: list[Any], instance: Any, schema: Any) -> _Errors:
    """The errors of the only branch that takes a value of this type, or one error for all of them."""
    meant = []
    for index, branch in enumerate(branches):
        errors = list(islice(validator.descend(instance, branch, schema_path=index), MAX_ERRORS))
        if not errors:
            return
        if not any(error.validator == "type" and not error.path for error in errors):
            meant.append(errors)
    if len(meant) == 1 and len(branches) > 1:
        yield from meant[0]
    else:
        yield ValidationError("")


def _if(validator: Any, condition: Any, instance: Any, schema: Any) -> _Errors:
    """`if` a member is given, `then` another must not be, `else` it is required: said as such. Types too."""
    keyword, value = next(iter(condition.items())) if isinstance(condition, dict) and len(condition) == 1 else ("", ())
    given = value if keyword == "required" else ()
    for error in _STANDARD["if"](validator, condition, instance, schema) or ():
        if keyword == "type" and error.validator == "type" and not error.path:
            others: Any = error.validator_value
            either = [value, *([others] if isinstance(others, str) else others)]
            yield ValidationError("", validator="type", validator_value=either)
        elif given and error.validator == FORBIDDEN and len(error.path) == 1:
            yield ValidationError("", path=error.path, validator=NOT_TOGETHER, validator_value=list(given))
        elif given and error.validator == "required" and len(error.path) == 1:
            yield ValidationError("", path=error.path, validator=ONE_OF, validator_value=[*given, error.path[0]])
        else:
            yield error


_InputValidator: Any = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {
        "type": _type,
        "items": _of_list("items"),
        "prefixItems": _of_list("prefixItems"),
        "contains": _of_list("contains"),
        "uniqueItems": _unique_items,
        "pattern": _pattern,
        "properties": _properties,
        "required": _required,
        "additionalProperties": _of_object(_additional_properties),
        "patternProperties": _of_object(_STANDARD["patternProperties"]),
        "propertyNames": _of_object(_property_names),
        "anyOf": _any_of,
        "if": _if,
    },
)
