"""JSON Schemas of POST /v1/runs: for every pack the canonical shape and the flat one."""

from typing import Any

from dpp_project.profile import PROFILE
from packs.base import Pack
from packs.registry import PACKS

Schema = dict[str, Any]

# 0.0050 (the minimum fee) to 10^9 with at most four places, as a pattern: the amount is text.
_AMOUNT_PATTERN = (
    r"^(0\.(00[5-9][0-9]?|0[1-9][0-9]{0,2}|[1-9][0-9]{0,3})"
    r"|[1-9][0-9]{0,8}(\.[0-9]{1,4})?"
    r"|1000000000(\.0{1,4})?)$"
)

_MAX_COST: Schema = {
    "type": "string",
    "pattern": _AMOUNT_PATTERN,
    "description": "The most this run may cost, in USD: a string with at most 4 places. Held until the run ends.",
    "examples": ["0.5000"],
}
_TIMEBOX: Schema = {
    "type": "integer",
    "minimum": 1,
    "maximum": PROFILE.timebox_max_sec,
    "default": PROFILE.timebox_default_sec,
    "description": "Seconds the pack may work.",
}
_RELIABILITY: Schema = {
    "type": "number",
    "minimum": 0,
    "maximum": 1,
    "default": float(PROFILE.default_min_reliability_score),
    "description": "A promise asked for, not a gate: the envelope says whether it was met.",
}
_PROFILE: Schema = {
    "type": "string",
    "enum": [PROFILE.version, *PROFILE.version_aliases],
    "description": "The only profile served; others are refused.",
}
_TRACE_ID: Schema = {
    "type": "string",
    "description": "Used if it is 1-128 of `A-Za-z0-9._-` and no X-Trace-Id header is given; otherwise replaced.",
}


def _object(properties: dict[str, Schema], *, required: list[str] | None = None, **more: Any) -> Schema:
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False, **more}
    return {**schema, "required": required} if required else schema


_RESERVATION = _object(
    {"max_cost_usd": _MAX_COST, "timebox_sec": _TIMEBOX, "min_reliability_score": _RELIABILITY},
    required=["max_cost_usd"],
)
_OPTIONS = _object(
    {"inline": {"type": "integer", "enum": [0, 1], "default": 0, "description": "1: GET repeats a small envelope."}}
)
_ARTIFACTS = _object(
    {
        "include_markdown": {"type": "boolean", "default": False},
        "include_docx": {"type": "boolean", "default": False},
    },
    description="Reports to be stored beside the envelope.",
)
_META = _object({"trace_id": _TRACE_ID, "profile_version": _PROFILE})
_CLIENT = _object(
    {"trace_id": _TRACE_ID, "client_name": {"type": "string"}, "client_version": {"type": "string"}},
    description="Who calls. Not part of what makes two requests equal.",
)


def request_schemas() -> dict[str, Schema]:
    """Components by name. `RunRequest` is the union of the others."""
    schemas: dict[str, Schema] = {
        "Reservation": _RESERVATION,
        "Options": _OPTIONS,
        "Artifacts": _ARTIFACTS,
        "RequestMeta": _META,
        "Client": _CLIENT,
    }
    requests: list[str] = []
    for pack in PACKS.values():
        name = pack.name.capitalize()
        schemas[f"{name}Inputs"] = {"title": f"Inputs of the {pack.name} pack", **_without_dialect(pack)}
        schemas[f"{name}Run"] = _canonical(pack, name)
        schemas[f"{name}RunFlat"] = _flat(pack, name)
        requests += [f"{name}Run", f"{name}RunFlat"]
    schemas["RunRequest"] = {
        "description": (
            "Canonical or flat, a pack each. Both shapes of one pack hash equal when they mean the same. A value may "
            "also stand in both places of a mixed shape, if it means the same in both."
        ),
        "oneOf": [_ref(name) for name in requests],
    }
    return schemas


def _canonical(pack: Pack, name: str) -> Schema:
    return _object(
        {**_common(pack, name), "reservation": _ref("Reservation")},
        required=["pack_type", "inputs", "reservation"],
        description=pack.title,
    )


def _flat(pack: Pack, name: str) -> Schema:
    flat = {
        "max_cost_usd": _MAX_COST,
        "timebox_sec": _TIMEBOX,
        "min_reliability_score": _RELIABILITY,
        "profile_version": _PROFILE,
    }
    return _object(
        {**_common(pack, name), **flat},
        required=["pack_type", "inputs", "max_cost_usd"],
        description=f"{pack.title} (flat shape)",
    )


def _common(pack: Pack, name: str) -> dict[str, Schema]:
    return {
        "pack_type": {"type": "string", "const": pack.name},
        "inputs": _ref(f"{name}Inputs"),
        "options": _ref("Options"),
        "artifacts": _ref("Artifacts"),
        "meta": _ref("RequestMeta"),
        "client": _ref("Client"),
    }


def _without_dialect(pack: Pack) -> Schema:
    return {name: value for name, value in pack.input_schema.items() if name not in ("$schema", "$id")}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}
