"""How drf-spectacular is told what it cannot see: our kinds of fields, closed objects, our keys."""

from typing import Any

from drf_spectacular.extensions import (
    OpenApiAuthenticationExtension,
    OpenApiSerializerExtension,
    OpenApiSerializerFieldExtension,
)
from drf_spectacular.plumbing import ResolvedComponent

from runs.api.serializers.fields import Schema, SchemaField
from runs.api.serializers.run import EventData, RunEventDataSerializer

AutoSchema = Any
Direction = Any


class SchemaFieldExtension(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """A field says itself what it is. Description, default and null are added by the library."""

    target_class = "runs.api.serializers.fields.SchemaField"
    match_subclasses = True

    def get_name(self) -> str | None:
        target: SchemaField = self.target
        return target.component_name or None

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Direction) -> Schema:
        target: SchemaField = self.target
        schema = dict(target.json_schema())
        if isinstance(target, EventData):
            data: ResolvedComponent = auto_schema.resolve_serializer(RunEventDataSerializer, direction)
            schema |= {"contentMediaType": "application/json", "contentSchema": data.ref}
        return schema


class StrictSerializerExtension(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Takes no member it does not know."""

    target_class = "runs.api.serializers.base.StrictSerializer"
    match_subclasses = True

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> Schema:
        schema: Schema = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        return {**schema, "additionalProperties": False}


class ApiKeyExtension(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "runs.api.authentication.ApiKeyAuthentication"
    name = "ApiKey"

    def get_security_definition(self, auto_schema: AutoSchema) -> Schema:
        return {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "dpp_sk_…",
            "description": "A key of the tenant. It is shown once, when it is issued.",
        }
