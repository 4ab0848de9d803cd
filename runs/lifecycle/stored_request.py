"""What a run was asked to do, as it is stored for the worker: RFC 8785 text in its row, a larger one in S3."""

import json

from packs.base import JsonObject
from runs.models import RunPayload
from storage import store


def read_request(payload: RunPayload) -> JsonObject:
    text = payload.body or store.read_patiently(payload.object_key or "", sha256=payload.sha256).decode()
    request: JsonObject = json.loads(text)
    return request
