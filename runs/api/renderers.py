"""JSON as it is sent: UTF-8, without a space too many."""

import json
from typing import Any

from rest_framework.renderers import JSONRenderer


def json_bytes(body: Any) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


class CompactJsonRenderer(JSONRenderer):
    """The standard one would escape two characters more, and make text of what is no JSON."""

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        return data if isinstance(data, bytes) else json_bytes(data)
