"""Check a run's inputs against its pack's JSON Schema, and say where each error is."""

import functools
from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from packs.base import InputError, Pack
from packs.registry import PACKS

_MOST_ERRORS = 50
_LONGEST_DETAIL = 300


def input_errors(pack: Pack, inputs: Any, services: Mapping[str, Any]) -> list[InputError]:
    """All errors (at most 50), in document order; empty when the inputs fit."""
    found = sorted(validator(pack.name).iter_errors(inputs), key=lambda error: [str(part) for part in error.path])
    if found or pack.refuse is None:
        return [InputError(_pointer(error), _detail(error)) for error in found[:_MOST_ERRORS]]
    return pack.refuse(inputs, services)[:_MOST_ERRORS]


@functools.cache
def validator(name: str) -> Draft202012Validator:
    schema = PACKS[name].input_schema
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def _pointer(error: ValidationError) -> str:
    parts = ["inputs", *error.absolute_path]
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def _detail(error: ValidationError) -> str:
    # The message repeats the value; a megabyte of input does not belong in an answer.
    return error.message if len(error.message) <= _LONGEST_DETAIL else error.message[:_LONGEST_DETAIL] + "…"
