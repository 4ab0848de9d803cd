"""The headers of requests and answers, each described once."""

from typing import Any

_USD = {"type": "string", "pattern": r"^[0-9]+\.[0-9]{4}$"}

TRACE = ("X-Trace-Id",)
COSTS = ("X-DPP-Cost-Reserved", "X-DPP-Cost-Used", "X-DPP-Budget-Remaining", "X-DPP-Tokens-Consumed")
LIMITS = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")


def _header(description: str, schema: dict[str, Any], *, always: bool = True) -> dict[str, Any]:
    return {"description": description, "required": always, "schema": schema}


ANSWER_HEADERS: dict[str, dict[str, Any]] = {
    "X-Trace-Id": _header("The trace id given, or a new one.", {"type": "string"}),
    "X-DPP-Cost-Reserved": _header("The run's reservation in USD; 0.0000 where there is no run.", _USD),
    "X-DPP-Cost-Used": _header("What the run has cost; 0.0000 until it has ended.", _USD),
    "X-DPP-Budget-Remaining": _header("The tenant's balance; 0.0000 with a 401 or 404.", _USD),
    "X-DPP-Tokens-Consumed": _header(
        "Tokens of a language model the run has used.", {"type": "string", "pattern": "^[0-9]+$"}
    ),
    "X-RateLimit-Limit": _header("Requests of this kind a minute.", {"type": "integer"}),
    "X-RateLimit-Remaining": _header("How many of them are left now.", {"type": "integer"}),
    "X-RateLimit-Reset": _header("When all of them are available again, in epoch seconds.", {"type": "integer"}),
    "Location": _header("Where to read the run.", {"type": "string"}),
    "Idempotent-Replayed": _header(
        "`true` if the key had been used before: nothing was reserved anew.",
        {"type": "string", "const": "true"},
        always=False,
    ),
    "ETag": _header("Of the run while it is live, for If-None-Match.", {"type": "string"}, always=False),
    "Retry-After": _header("Seconds.", {"type": "integer"}, always=False),
    "WWW-Authenticate": _header("The scheme.", {"type": "string", "const": "Bearer"}),
    "Allow": _header("Methods there are.", {"type": "string"}),
}


def refs(names: tuple[str, ...]) -> dict[str, dict[str, str]]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
