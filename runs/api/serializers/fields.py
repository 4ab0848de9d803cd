"""The kinds of values in the API: how each is read (strictly), shown, and described as JSON Schema."""

import math
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from rest_framework import serializers

from dpp_project.clock import instant
from dpp_project.money import DISPLAY_PLACES, MAX_AMOUNT, InvalidMoney, Micros, format_usd, parse_usd

Schema = dict[str, Any]

MAX_TAGS = 16
MAX_TAG_NAME_CHARS = 64
MAX_TAG_CHARS = 256
TAG_NAME = re.compile(f"[A-Za-z0-9._-]{{1,{MAX_TAG_NAME_CHARS}}}", re.ASCII)
# No control characters: tags stand in CSV files and on pages.
TAG_TEXT = re.compile(rf"[^\x00-\x1f\x7f-\x9f]{{0,{MAX_TAG_CHARS}}}")

# The code of an error that is an amount in the wrong form: such a request is answered with another status.
MONEY_SCALE = "money_scale"


class SchemaField(serializers.Field[Any, Any, Any, Any]):
    """A field that knows its JSON Schema. Its messages continue a sentence that begins with its name."""

    default_error_messages = {"required": "is required", "null": "must not be null"}
    component_name = ""
    """Set where the schema is a component of its own in OpenAPI."""

    def json_schema(self) -> Schema:
        raise NotImplementedError

    def described(self) -> Schema:
        """The schema with what every field may have: words, a default, null."""
        schema = dict(self.json_schema())
        if self.allow_null:
            schema["type"] = [schema["type"], "null"]
        if self.help_text:
            schema["description"] = str(self.help_text)
        if self.default is not serializers.empty and not callable(self.default):
            schema["default"] = self.default
        return schema

    def to_internal_value(self, data: Any) -> Any:
        return data

    def to_representation(self, value: Any) -> Any:
        return value


class Text(SchemaField):
    default_error_messages = {"invalid": "must be a string", "null": "must be a string"}

    def __init__(
        self,
        *,
        pattern: str = "",
        format: str = "",
        examples: Sequence[str] = (),
        media: Schema | None = None,
        **more: Any,
    ) -> None:
        super().__init__(**more)
        self._schema: Schema = {"type": "string"}
        if pattern:
            self._schema["pattern"] = pattern
        if format:
            self._schema["format"] = format
        if examples:
            self._schema["examples"] = list(examples)

    def json_schema(self) -> Schema:
        return self._schema

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return data


class Id(Text):
    """A UUID."""

    def __init__(self, **more: Any) -> None:
        super().__init__(format="uuid", **more)

    def to_representation(self, value: Any) -> str:
        return str(value)


class Instant(Text):
    """A time in UTC."""

    def __init__(self, **more: Any) -> None:
        super().__init__(format="date-time", examples=["2026-01-31T09:00:00.000Z"], **more)

    def to_representation(self, value: datetime) -> str:
        return instant(value)


class Sha256(Text):
    def __init__(self, **more: Any) -> None:
        super().__init__(pattern="^[0-9a-f]{64}$", **more)


class Choice(SchemaField):
    """One of a few values."""

    default_error_messages = {"invalid": "must be one of {values}", "null": "must be one of {values}"}

    def __init__(self, values: Sequence[str | int], **more: Any) -> None:
        super().__init__(**more)
        self.values = list(values)

    def json_schema(self) -> Schema:
        return {"type": "integer" if isinstance(self.values[0], int) else "string", "enum": self.values}

    def to_internal_value(self, data: Any) -> Any:
        # A type of its own each: true is no 1 here.
        if type(data) not in (str, int) or data not in self.values:
            self.fail("invalid")
        return data

    def fail(self, key: str, **more: Any) -> Any:
        super().fail(key, values=", ".join(map(str, self.values)), **more)


class Constant(SchemaField):
    """Always this value, whatever it is given."""

    def __init__(self, value: str, **more: Any) -> None:
        super().__init__(**{"source": "*", **more})
        self.value = value

    def json_schema(self) -> Schema:
        return {"type": "string", "const": self.value}

    def to_representation(self, value: Any) -> str:
        return self.value


class WholeNumber(SchemaField):
    default_error_messages = {"invalid": "must be a whole number{bounds}", "null": "must be a whole number{bounds}"}
    _type = "integer"

    def __init__(self, *, minimum: int | None = None, maximum: int | None = None, **more: Any) -> None:
        super().__init__(**more)
        self.minimum, self.maximum = minimum, maximum

    def json_schema(self) -> Schema:
        bounds = {"minimum": self.minimum, "maximum": self.maximum}
        return {"type": self._type, **{name: bound for name, bound in bounds.items() if bound is not None}}

    def to_internal_value(self, data: Any) -> Any:
        if type(data) is not int or not self._fits(data):
            self.fail("invalid")
        return data

    def _fits(self, value: float) -> bool:
        least = -math.inf if self.minimum is None else self.minimum
        most = math.inf if self.maximum is None else self.maximum
        return math.isfinite(value) and least <= value <= most

    def fail(self, key: str, **more: Any) -> Any:
        bounded = self.minimum is not None and self.maximum is not None
        super().fail(key, bounds=f" from {self.minimum} to {self.maximum}" if bounded else "", **more)


class Number(WholeNumber):
    default_error_messages = {"invalid": "must be a number{bounds}", "null": "must be a number{bounds}"}
    _type = "number"

    def to_internal_value(self, data: Any) -> float:
        if type(data) not in (int, float) or not self._fits(data):
            self.fail("invalid")
        return float(data)


class Flag(SchemaField):
    default_error_messages = {"invalid": "must be true or false", "null": "must be true or false"}

    def json_schema(self) -> Schema:
        return {"type": "boolean"}

    def to_internal_value(self, data: Any) -> bool:
        if type(data) is not bool:
            self.fail("invalid")
        return data


class Usd(Text):
    """An amount that is shown: micros inside, four places outside."""

    def __init__(self, **more: Any) -> None:
        super().__init__(pattern=rf"^[0-9]+\.[0-9]{{{DISPLAY_PLACES}}}$", examples=["0.5000"], **more)

    def to_representation(self, value: Micros) -> str:
        return format_usd(value)


class MaxCost(SchemaField):
    """The amount a caller gives: text with at most four places, from `least` to the largest amount there is."""

    default_error_messages = {"bounds": "must be from {least} (the minimum fee) to {most}"}

    def __init__(self, *, least: Micros, **more: Any) -> None:
        super().__init__(**more)
        self.least = least

    def json_schema(self) -> Schema:
        return {"type": "string", "pattern": amount_pattern(self.least), "examples": ["0.5000"]}

    def validate_empty_values(self, data: Any) -> tuple[bool, Any]:
        # Null is an amount in the wrong form, not a missing one.
        return (False, data) if data is None else super().validate_empty_values(data)

    def to_internal_value(self, data: Any) -> Micros:
        try:
            amount = parse_usd(data)
        except InvalidMoney:
            message = 'must be a string of digits with at most 4 decimal places, such as "0.5000"'
            raise serializers.ValidationError(message, code=MONEY_SCALE) from None
        if not self.least <= amount <= MAX_AMOUNT:
            self.fail("bounds", least=format_usd(self.least), most=format_usd(MAX_AMOUNT))
        return amount


def amount_pattern(least: Micros) -> str:
    """Of an amount below one USD upwards, up to the largest there is: what text can be checked for without parsing."""
    whole, _, fraction = format_usd(least).partition(".")
    digits = fraction.rstrip("0")
    assert (whole, MAX_AMOUNT) == ("0", 10**15), "the pattern is made for such bounds"
    above = []
    for place in range(len(digits) - 1, -1, -1):
        lowest = int(digits[place]) + (place < len(digits) - 1)
        if lowest <= 9:
            more = DISPLAY_PLACES - 1 - place
            any_more = ["", "[0-9]?"][more] if more < 2 else f"[0-9]{{0,{more}}}"
            above.append(f"{digits[:place]}[{lowest}-9]{any_more}")
    return rf"^(0\.({'|'.join(above)})|[1-9][0-9]{{0,8}}(\.[0-9]{{1,4}})?|1000000000(\.0{{1,4}})?)$"


def object_schema(serializer: serializers.Serializer[Any], *, closed: bool = False) -> Schema:
    """The JSON Schema of a serializer and all inside it. (OpenAPI has its own way, with components.)"""
    members = {name: _member_schema(field, closed) for name, field in serializer.fields.items()}
    required = [name for name, field in serializer.fields.items() if field.required]
    return {
        "type": "object",
        "properties": members,
        **({"required": required} if required else {}),
        **({"additionalProperties": False} if closed else {}),
        **({"description": text} if (text := _description(serializer)) else {}),
    }


def _member_schema(field: Any, closed: bool) -> Schema:
    return field.described() if isinstance(field, SchemaField) else object_schema(field, closed=closed)


def _description(serializer: serializers.Serializer[Any]) -> str:
    return str(serializer.help_text or vars(type(serializer)).get("__doc__") or "")


class JsonObject(SchemaField):
    """Any object; what is in it is somebody else's to describe."""

    default_error_messages = {"invalid": "must be an object", "null": "must be an object"}

    def json_schema(self) -> Schema:
        return {"type": "object", "additionalProperties": True}

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, dict):
            self.fail("invalid")
        return data


class MapOf(SchemaField):
    """An object whose members are all of one kind."""

    def __init__(self, member: Schema, **more: Any) -> None:
        super().__init__(**more)
        self._member = member

    def json_schema(self) -> Schema:
        return {"type": "object", "additionalProperties": self._member}


class Tags(SchemaField):
    """Names with texts, a few and short ones."""

    default_error_messages = {
        "invalid": f"must be an object of at most {MAX_TAGS} strings",
        "name": "has a name that is not 1 to {name_chars} of A-Z a-z 0-9 . _ -",
        "value": "must be a string of at most {value_chars} characters, none of them a control character",
        "null": f"must be an object of at most {MAX_TAGS} strings",
    }

    def json_schema(self) -> Schema:
        return {
            "type": "object",
            "maxProperties": MAX_TAGS,
            "propertyNames": {"pattern": f"^{TAG_NAME.pattern}$"},
            "additionalProperties": {"type": "string", "pattern": f"^{TAG_TEXT.pattern}$"},
        }

    def to_internal_value(self, data: Any) -> dict[str, str]:
        if not isinstance(data, dict) or len(data) > MAX_TAGS:
            self.fail("invalid")
        wrong_name = self.error_messages["name"].format(name_chars=MAX_TAG_NAME_CHARS)
        wrong_text = self.error_messages["value"].format(value_chars=MAX_TAG_CHARS)
        errors = {name: [wrong_text] for name, text in data.items() if not is_tag_text(text)}
        errors |= {name: [wrong_name] for name in data if not TAG_NAME.fullmatch(name)}
        if errors:
            raise serializers.ValidationError(errors)
        return dict(data)


def is_tag_text(text: Any) -> bool:
    return isinstance(text, str) and TAG_TEXT.fullmatch(text) is not None


class ListOf(SchemaField):
    """A list of plain values."""

    def __init__(self, item: SchemaField, **more: Any) -> None:
        super().__init__(**more)
        self._item = item

    def json_schema(self) -> Schema:
        return {"type": "array", "items": self._item.described()}
