"""The two kinds of serializers: strict ones that read requests, plain ones that render answers."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail

from dpp_project.json_pointer import pointer

# At most so many errors are told, of a whole request.
MAX_ERRORS = 50

_LONGEST_NAME = 100
_MISSING = object()


# Reads a request: takes nothing that it does not know, and tells all that is wrong at once.
class StrictSerializer(serializers.Serializer[Any]):
    default_error_messages = {
        "required": "is required",
        "null": "must be an object",
        "invalid": "must be an object",
        "unknown": "is not known here; known are {known}",
    }

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            self.fail("invalid")
        values: dict[str, Any] = {}
        errors: dict[str, Any] = {}
        for name, field in self.fields.items():
            try:
                values[name] = field.run_validation(data.get(name, serializers.empty))
            except serializers.SkipField:
                pass
            except serializers.ValidationError as error:
                errors[name] = error.detail
        if unknown := data.keys() - self.fields.keys():
            message = self.error_messages["unknown"].format(known=", ".join(self.fields))
            errors |= {name: [message] for name in data if name in unknown}
        self.check_together(data, values, errors)
        if errors:
            raise serializers.ValidationError(errors)
        return values

    def check_together(self, data: dict[str, Any], values: dict[str, Any], errors: dict[str, Any]) -> None:
        """What no member can know alone. Adds to `values` and to `errors`, by name."""


# Renders an answer. It reads mappings only, and so takes a third of the framework's time. (No docstring: those of
# serializers are descriptions in the OpenAPI document, and are inherited.)
class AnswerSerializer(serializers.Serializer[Any]):
    def to_representation(self, instance: Mapping[str, Any]) -> dict[str, Any]:
        """A member that is not required and not given is left out."""
        shown: dict[str, Any] = {}
        for name, source, field in self._members:
            value = instance if source == "*" else instance.get(source, _MISSING)
            if value is _MISSING:
                if field.required:
                    raise KeyError(f"{type(self).__name__} needs {source}.")
                continue
            shown[name] = None if value is None else field.to_representation(value)
        return shown

    @cached_property
    def _members(self) -> list[tuple[str, str, Any]]:
        return [(name, field.source or name, field) for name, field in self.fields.items()]


class Error(NamedTuple):
    path: tuple[str | int, ...]
    detail: str
    code: str

    @property
    def pointer(self) -> str:
        return pointer(self.path)


def all_errors(detail: Any, path: tuple[str | int, ...] = ()) -> Iterator[Error]:
    """Each error of a `ValidationError`, as a sentence that begins with the member it is about."""
    if isinstance(detail, dict):
        for name, inner in detail.items():
            yield from all_errors(inner, (*path, name))
    elif isinstance(detail, list):
        for inner in detail:
            yield from all_errors(inner, path)
    else:
        subject = str(path[-1])[:_LONGEST_NAME] or "This member" if path else "The body"
        yield Error(path, f"{subject} {detail}.", (detail.code or "") if isinstance(detail, ErrorDetail) else "")
