"""JSON Schemas of what the API answers."""

from typing import Any

from packs.registry import PACKS
from runs.api.problems import ANSWERS, RUN_FAILURES
from runs.events.event import Stage
from runs.states import MoneyState, Status

Schema = dict[str, Any]

_USD: Schema = {"type": "string", "pattern": r"^[0-9]+\.[0-9]{4}$", "examples": ["0.5000"]}
_MICROS: Schema = {"type": "integer", "minimum": 0}
_INSTANT: Schema = {"type": "string", "format": "date-time", "examples": ["2026-01-31T09:00:00.000Z"]}
_UUID: Schema = {"type": "string", "format": "uuid"}
_TEXT: Schema = {"type": "string"}
_URL: Schema = {"type": "string", "format": "uri"}
_SHA256: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_SIZE: Schema = {"type": "integer", "minimum": 0, "description": "Bytes."}
_SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
_STATUS: Schema = {"type": "string", "enum": Status.values}
_MONEY_STATE: Schema = {"type": "string", "enum": MoneyState.values}
_FAILURE: Schema = {"type": "string", "enum": list(RUN_FAILURES)}
_STAGE: Schema = {"type": "string", "enum": [stage.value for stage in Stage]}
_PACK_TYPE: Schema = {"type": "string", "enum": list(PACKS)}


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _object(properties: dict[str, Schema], *, optional: tuple[str, ...] = (), **more: Any) -> Schema:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, **more}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


_COST = {"reserved_usd": _USD, "used_usd": _USD, "minimum_fee_usd": _USD}
_META = _object(
    {
        "created_at": _INSTANT,
        "updated_at": _INSTANT,
        "trace_id": _TEXT,
        "profile_version": _TEXT,
        "retention_until": _INSTANT,
    }
)
_FRAME: dict[str, Schema] = {
    "run_id": _UUID,
    "pack_type": _PACK_TYPE,
    "status": _STATUS,
    "money_state": _MONEY_STATE,
    "progress": _SHARE,
}
_ERROR_ENTRY = _object(
    {
        "pointer": {**_TEXT, "description": "JSON Pointer into the request body."},
        "parameter": {**_TEXT, "description": "Name of a query parameter."},
        "detail": _TEXT,
    },
    optional=("pointer", "parameter"),
)
_EXTENSIONS: dict[str, Schema] = {
    "reason_code": {"type": "string", "enum": sorted({*ANSWERS, *RUN_FAILURES})},
    "trace_id": _TEXT,
    "retryable": {"type": "boolean", "description": "The same request, sent again later, may succeed."},
    "retry_after_sec": {"type": ["integer", "null"], "minimum": 0},
    "charged_usd": {**_USD, "description": "What has been charged in spite of the problem."},
    "next_action": {**_TEXT, "description": "One imperative sentence for the agent that reads it."},
    "run_id": {**_UUID, "description": "Where a run is concerned and the caller may know it."},
    "errors": {**_list(_ERROR_ENTRY), "description": "Of INVALID_PARAMS, SCHEMA_VALIDATION_FAILED and such."},
    "balance_remaining": {**_USD, "description": "Of BUDGET_DRAINED."},
    "reservation_required": {**_USD, "description": "Of BUDGET_DRAINED."},
}
_SOMETIMES = ("run_id", "errors", "balance_remaining", "reservation_required")

ANSWER_SCHEMAS: dict[str, Schema] = {
    "Receipt": _object(
        {
            "run_id": _UUID,
            "status": {"type": "string", "const": Status.QUEUED.value},
            "reservation": _object(
                {
                    "max_cost_usd": _USD,
                    "currency": {"type": "string", "const": "USD"},
                    "timebox_sec": {"type": "integer"},
                    "min_reliability_score": _SHARE,
                }
            ),
            "poll": _object(
                {
                    "href": {**_TEXT, "description": "Where to read the run."},
                    "recommended_interval_ms": {"type": "integer"},
                    "max_wait_sec": {"type": "integer", "description": "A run has ended after about this time."},
                }
            ),
            "events": _object({"href": {**_TEXT, "description": "Where to listen to the run, as Server-Sent Events."}}),
            "meta": _object({"created_at": _INSTANT, "trace_id": _TEXT, "profile_version": _TEXT}),
        },
        description="Made from what never changes: a replay is the same receipt, also after the run has ended.",
    ),
    "Run": _object(
        {
            **_FRAME,
            "cost": _object({**_COST, "budget_remaining_usd": _USD}),
            "result": ref("Result"),
            "error": _object({"reason_code": _FAILURE, "problem": ref("Problem")}),
            "meta": _META,
        },
        optional=("result", "error"),
        description="`result` stands in it once there is one, `error` when the run is FAILED.",
    ),
    "Result": _object(
        {
            "presigned_url": {**_URL, "description": "The envelope, for ten minutes. Every GET gives a fresh one."},
            "sha256": _SHA256,
            "expires_at": {**_INSTANT, "description": "When the links stop working."},
            "size": _SIZE,
            "artifacts": _list(
                _object({"name": _TEXT, "presigned_url": _URL, "sha256": _SHA256, "size": _SIZE, "mime": _TEXT})
            ),
            "inline": {
                "type": "object",
                "additionalProperties": True,
                "description": "The envelope itself, if `options.inline` was 1 and it is small.",
            },
        },
        optional=("inline",),
    ),
    "RunSummary": _object(
        {**_FRAME, "cost": _object(_COST), "error": _object({"reason_code": _TEXT}), "meta": _META},
        optional=("error",),
    ),
    "RunEvent": {
        "type": "object",
        "description": (
            "One message of the stream. The first has no data: it tells from where a broken stream resumes (`id`) and "
            "after how many milliseconds (`retry`)."
        ),
        "properties": {
            "id": {**_TEXT, "pattern": "^[0-9]+$", "description": "`seq`, for Last-Event-ID."},
            "event": _STAGE,
            "retry": {"type": "integer"},
            "data": {**_TEXT, "contentMediaType": "application/json", "contentSchema": ref("RunEventData")},
        },
    },
    "RunEventData": _object(
        {
            "run_id": _UUID,
            "seq": {"type": "integer", "minimum": 1, "description": "Rises from event to event of a run."},
            "stage": _STAGE,
            "status": _STATUS,
            "money_state": _MONEY_STATE,
            "progress": _SHARE,
            "version": {"type": "integer", "minimum": 0},
            "at": _INSTANT,
            "step": {**_TEXT, "description": "What the pack is doing."},
            "detail": {"type": "object", "additionalProperties": {"type": ["string", "integer"]}},
            "used_usd": {**_USD, "description": "With the last event."},
            "reason_code": {**_FAILURE, "description": "With the last event of a run that failed."},
        },
        optional=("step", "detail", "used_usd", "reason_code"),
    ),
    "RunList": _object(
        {
            "runs": _list(ref("RunSummary")),
            "next_cursor": {"type": ["string", "null"], "description": "For the next page; null on the last."},
        }
    ),
    "Budget": _object(
        {
            "currency": {"type": "string", "const": "USD"},
            "balance_usd": {**_USD, "description": "What can be spent now."},
            "reserved_usd": {**_USD, "description": "Held for runs that have not ended."},
            "spent_this_month_usd": {**_USD, "description": "Charged for runs that ended in this month (UTC)."},
            "month": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}$"},
        }
    ),
    "PackList": _object({"profile_version": _TEXT, "currency": {"const": "USD"}, "packs": _list(ref("Pack"))}),
    "Pack": _object(
        {
            "name": _PACK_TYPE,
            "title": _TEXT,
            "input_schema": {
                "type": "object",
                "additionalProperties": True,
                "description": "JSON Schema 2020-12 of `inputs`.",
            },
            "prices": _list(_object({"item": _TEXT, "unit_price_usd_micros": _MICROS})),
        }
    ),
    "Problem": _object(
        {
            "type": _URL,
            "title": _TEXT,
            "status": {"type": "integer", "minimum": 400, "maximum": 599},
            "detail": _TEXT,
            "instance": _TEXT,
            **_EXTENSIONS,
            "extensions": _object(_EXTENSIONS, optional=_SOMETIMES, description="The same members once more."),
        },
        optional=_SOMETIMES,
        description="RFC 9457. All members stand at the top level and, but for the first five, under `extensions`.",
    ),
    "Health": _object({"status": {"type": "string", "const": "ok"}}),
    "Readiness": _object(
        {
            "status": {"type": "string", "enum": ["ready", "unavailable"]},
            "down": _list(_TEXT),
            "checks": {
                "type": "object",
                "additionalProperties": _object(
                    {"ok": {"type": "boolean"}, "latency_ms": {"type": "number"}, "error": _TEXT},
                    optional=("latency_ms", "error"),
                ),
            },
        }
    ),
}
