"""The whole document: what drf-spectacular finds at the views, and the components they refer to."""

import functools
import json
from typing import Any

from drf_spectacular.generators import SchemaGenerator

from dpp_project.profile import PROFILE
from runs.api.openapi.answer_schemas import ANSWER_SCHEMAS
from runs.api.openapi.breaking import PROFILE_VERSION
from runs.api.openapi.examples import examples
from runs.api.openapi.headers import ANSWER_HEADERS
from runs.api.openapi.operations import METRICS, STREAM_EVENTS
from runs.api.openapi.parameters import PARAMETERS
from runs.api.openapi.request_schemas import request_schemas

_SECURITY = {
    "ApiKey": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "dpp_sk_…",
        "description": "A key of the tenant. It is shown once, when it is issued.",
    }
}


@functools.cache
def openapi_bytes() -> bytes:
    """As it is served and as it is committed: one text, the same in every process."""
    return (json.dumps(document(), indent=1, ensure_ascii=False, sort_keys=True) + "\n").encode()


def document() -> dict[str, Any]:
    schema: dict[str, Any] = SchemaGenerator().get_schema(public=True)  # type: ignore[no-untyped-call]
    # Through text and back: nothing but plain JSON leaves here.
    plain: dict[str, Any] = json.loads(json.dumps(schema))
    return plain


def complete(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """drf-spectacular's hook: add what no view declares."""
    result["info"][PROFILE_VERSION] = PROFILE.version
    result["paths"]["/metrics"] = {"get": METRICS}
    # Served by the events gateway, a process of its own.
    result["paths"]["/v1/runs/{run_id}/events"] = {"get": STREAM_EVENTS.document}
    result["components"] = {
        "schemas": {**request_schemas(), **ANSWER_SCHEMAS},
        "headers": ANSWER_HEADERS,
        "parameters": PARAMETERS,
        "examples": examples(),
        "securitySchemes": _SECURITY,
    }
    return result
