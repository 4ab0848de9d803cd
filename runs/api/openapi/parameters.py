"""The parameters of requests, each described once."""

from typing import Any

from dpp_project.profile import PROFILE
from packs.registry import PACKS
from runs import listing
from runs.states import Status

_INSTANT = {"type": "string", "format": "date-time"}


def _query(name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "description": description, "schema": schema}


PARAMETERS: dict[str, dict[str, Any]] = {
    "run_id": {
        "name": "run_id",
        "in": "path",
        "required": True,
        "description": "As in the receipt. One that is malformed or another tenant's is answered as one that is not.",
        "schema": {"type": "string", "format": "uuid"},
    },
    "trace_id": {
        "name": "X-Trace-Id",
        "in": "header",
        "required": False,
        "description": "1-128 of `A-Za-z0-9._-`; anything else is replaced. Follows the run to its envelope.",
        "schema": {"type": "string"},
    },
    "idempotency_key": {
        "name": "Idempotency-Key",
        "in": "header",
        "required": True,
        "description": (
            "Names this request within the tenant, for 30 days. The same key and payload is answered with the same "
            "receipt and charged once; with another payload it is a conflict."
        ),
        "schema": {"type": "string", "pattern": "^[!-~]{8,64}$"},
        "example": "order-4711-attempt",
    },
    "if_none_match": {
        "name": "If-None-Match",
        "in": "header",
        "required": False,
        "description": "The ETag of an earlier answer: 304 while the run is live and nothing has changed.",
        "schema": {"type": "string"},
    },
    "wait": _query(
        "wait",
        "Hold the answer until the run changes, at most so many seconds. May be answered earlier under load.",
        {"type": "integer", "minimum": 0, "maximum": PROFILE.long_poll_max_sec, "default": 0},
    ),
    "last_event_id": {
        "name": "Last-Event-ID",
        "in": "header",
        "required": False,
        "description": "The `id` of the last event seen.",
        "schema": {"type": "string"},
    },
    "last_seq": _query("last_seq", "As Last-Event-ID, for callers that cannot set headers.", {"type": "string"}),
    "status": _query("status", "Only runs in this state.", {"type": "string", "enum": Status.values}),
    "pack_type": _query("pack_type", "Only runs of this pack.", {"type": "string", "enum": list(PACKS)}),
    "created_after": _query("created_after", "Only runs created after this time.", _INSTANT),
    "created_before": _query("created_before", "Only runs created before this time.", _INSTANT),
    "cursor": _query("cursor", "The `next_cursor` of an earlier answer.", {"type": "string"}),
    "limit": _query(
        "limit",
        "Runs a page.",
        {"type": "integer", "minimum": 1, "maximum": listing.MAX_LIMIT, "default": listing.DEFAULT_LIMIT},
    ),
}


def refs(names: tuple[str, ...]) -> list[dict[str, str]]:
    return [{"$ref": f"#/components/parameters/{name}"} for name in names]
