"""The whole document, as it is served and as it is committed: one text, the same in every process."""

import functools
import json
from typing import Any

from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.settings import spectacular_settings

# Registers them with drf-spectacular.
from runs.api.openapi import extensions  # noqa: F401


@functools.cache
def openapi_bytes() -> bytes:
    return (json.dumps(document(), indent=1, ensure_ascii=False, sort_keys=True) + "\n").encode()


def document() -> dict[str, Any]:
    schema: dict[str, Any] = SchemaGenerator(urlconf=spectacular_settings.SERVE_URLCONF).get_schema(public=True)  # type: ignore[no-untyped-call]
    # Through text and back: nothing but plain JSON leaves here.
    plain: dict[str, Any] = json.loads(json.dumps(schema))
    return plain
