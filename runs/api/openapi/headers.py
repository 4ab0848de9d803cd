"""The headers of requests and answers, each described once."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter

from runs.api.serializers.fields import Usd
from runs.api.submission import IDEMPOTENCY_KEY_PATTERN

_USD: dict[str, Any] = {name: value for name, value in Usd().json_schema().items() if name != "examples"}
_TEXT: dict[str, Any] = {"type": "string"}
_NUMBER: dict[str, Any] = {"type": "integer"}

TRACE = ("X-Trace-Id",)
COSTS = ("X-DPP-Cost-Reserved", "X-DPP-Cost-Used", "X-DPP-Budget-Remaining", "X-DPP-Tokens-Consumed")
LIMITS = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")

# By name: description, schema, and whether it is always there.
_OF_ANSWERS: dict[str, tuple[str, dict[str, Any], bool]] = {
    "X-Trace-Id": ("The trace id given, or a new one.", _TEXT, True),
    "X-DPP-Cost-Reserved": ("The run's reservation in USD; 0.0000 where there is no run.", _USD, True),
    "X-DPP-Cost-Used": ("What the run has cost; 0.0000 until it has ended.", _USD, True),
    "X-DPP-Budget-Remaining": ("The tenant's balance; 0.0000 with a 401 or 404.", _USD, True),
    "X-DPP-Tokens-Consumed": (
        "Tokens of a language model the run has used.",
        {"type": "string", "pattern": "^[0-9]+$"},
        True,
    ),
    "X-RateLimit-Limit": ("Requests of this kind per minute.", _NUMBER, True),
    "X-RateLimit-Remaining": ("How many of them are left now.", _NUMBER, True),
    "X-RateLimit-Reset": (
        "In epoch seconds: when all of them are available again; with a 429, when one will pass.",
        _NUMBER,
        True,
    ),
    "Location": ("Where to read the run.", _TEXT, True),
    "Idempotent-Replayed": (
        "`true` if the key had been used before: nothing was reserved anew.",
        {"type": "string", "const": "true"},
        False,
    ),
    "Preference-Applied": ("Of `Prefer: wait=N`: how long the answer was allowed to wait.", _TEXT, False),
    "ETag": ("Of the run while it is live, for If-None-Match.", _TEXT, False),
    "Retry-After": ("Seconds.", _NUMBER, False),
    "WWW-Authenticate": ("The scheme.", {"type": "string", "const": "Bearer"}, True),
    "Allow": ("Methods there are.", _TEXT, True),
}


def of_answers(name: str, statuses: list[int]) -> OpenApiParameter:
    description, schema, always = _OF_ANSWERS[name]
    return OpenApiParameter(
        name, schema, OpenApiParameter.HEADER, required=always, description=description, response=statuses
    )


TRACE_ID = OpenApiParameter(
    "X-Trace-Id",
    _TEXT,
    OpenApiParameter.HEADER,
    description="1-128 of `A-Za-z0-9._-`; anything else is replaced. Follows the run to its envelope.",
)
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "pattern": IDEMPOTENCY_KEY_PATTERN, "examples": ["order-4711-attempt"]},
    OpenApiParameter.HEADER,
    required=True,
    description=(
        "Names this request within the tenant, for 30 days. The same key and payload is answered with the same "
        "receipt and charged once; with another payload it is a conflict."
    ),
)
PREFER = OpenApiParameter(
    "Prefer",
    {"type": "string", "examples": ["wait=20"]},
    OpenApiParameter.HEADER,
    description=(
        "RFC 7240. `wait=N` (0-25): hold the answer until the run has ended, at most N seconds, and put `run` into it. "
        "May be answered earlier under load. Anything else is ignored."
    ),
)
IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match",
    _TEXT,
    OpenApiParameter.HEADER,
    description="The ETag of an earlier answer: 304 while the run is live and nothing has changed.",
)
LAST_EVENT_ID = OpenApiParameter(
    "Last-Event-ID", _TEXT, OpenApiParameter.HEADER, description="The `id` of the last event seen."
)
LAST_SEQ = OpenApiParameter(
    "last_seq", _TEXT, OpenApiParameter.QUERY, description="As Last-Event-ID, for callers that cannot set headers."
)
MONTH = OpenApiParameter(
    "month",
    {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}$"},
    OpenApiParameter.PATH,
    required=True,
    description="Year and month, UTC.",
)
KEY_ID = OpenApiParameter(
    "key_id",
    {"type": "string", "format": "uuid"},
    OpenApiParameter.PATH,
    required=True,
    description="Of the calling key or one below it; any other is answered as one that is not.",
)
RUN_ID = OpenApiParameter(
    "run_id",
    {"type": "string", "format": "uuid"},
    OpenApiParameter.PATH,
    required=True,
    description="As in the receipt. One that is malformed or another tenant's is answered as one that is not.",
)
WEBHOOK_ID = OpenApiParameter(
    "webhook_id",
    {"type": "string", "format": "uuid"},
    OpenApiParameter.PATH,
    required=True,
    description="One that is malformed or another tenant's is answered as one that is not.",
)
DELIVERY_ID = OpenApiParameter(
    "delivery_id",
    {"type": "string", "format": "uuid"},
    OpenApiParameter.PATH,
    required=True,
    description="The `webhook-id` of the message.",
)
