"""From a tool call's arguments to the request that is sent to the API.

The API judges the request, so that the model reads the API's own words. Refused here is only what could not be sent,
or would be sent with another meaning than the model gave it.
"""

import json
import re
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import uuid4

from dpp_project.canonical import NotCanonical, canonical_sha256
from dpp_project.money import InvalidMoney, Micros, format_usd, parse_usd
from packs.base import JsonObject
from runs.api.problems import INVALID_PARAMS, ProblemError
from runs.api.submission import IDEMPOTENCY_KEY_PATTERN, RESERVATION

# Above the API's own minimum: a model that tries the smallest amount would only buy runs that stop at once.
LEAST_MAX_COST = Micros(10_000)

# How long a call waits for the end of its run.
MAX_WAIT_SEC = 45
DEFAULT_WAIT_SEC = 20

# The arguments that are not the pack's. Those of a run stand in the API's flat shape under the same names, so that
# the pointers in its errors name the arguments.
RUN_ARGUMENTS = (*RESERVATION.fields, "artifacts")
_DEFAULTS = {name: field.default for name, field in RESERVATION.fields.items() if not callable(field.default)}
OWN_ARGUMENTS = frozenset({*RUN_ARGUMENTS, "inputs", "idempotency_key", "wait_sec"})


@dataclass(frozen=True)
class Submission:
    body: bytes
    idempotency_key: str
    wait_sec: int = 0
    """Not part of the run's meaning: a call that waits on is the same run."""


def read_arguments(pack_type: str, arguments: JsonObject, *, utc_day: date) -> Submission:
    """Raises `ProblemError` for arguments that cannot be passed on."""
    run = {name: arguments[name] for name in RUN_ARGUMENTS if name in arguments}
    _refuse_small_cost(run)
    body = {"pack_type": pack_type, "inputs": _inputs(arguments), **run}
    key = _given_key(arguments["idempotency_key"]) if "idempotency_key" in arguments else _derived_key(body, utc_day)
    return Submission(json.dumps(body).encode(), key, _wait_sec(arguments.get("wait_sec", DEFAULT_WAIT_SEC)))


def _wait_sec(given: object) -> int:
    if type(given) is not int or not 0 <= given <= MAX_WAIT_SEC:
        raise _invalid("/wait_sec", f"wait_sec must be a whole number from 0 to {MAX_WAIT_SEC}.")
    return given


def _inputs(arguments: JsonObject) -> Any:
    """The pack's fields, given flat, under `inputs`, or some here and some there."""
    flat = {name: value for name, value in arguments.items() if name not in OWN_ARGUMENTS}
    nested = arguments.get("inputs", {})
    if not isinstance(nested, dict):
        return nested
    for name in flat:
        if name in nested and nested[name] != flat[name]:
            raise _invalid(f"/{name}", f"{name} is given twice, flat and under inputs, with different values.")
    return {**nested, **flat}


def _refuse_small_cost(run: JsonObject) -> None:
    try:
        amount = parse_usd(run.get("max_cost_usd"))
    except InvalidMoney:
        return
    if amount < LEAST_MAX_COST:
        raise _invalid("/max_cost_usd", f"max_cost_usd must be at least {format_usd(LEAST_MAX_COST)} here.")


def _given_key(key: object) -> str:
    if not isinstance(key, str) or not re.fullmatch(IDEMPOTENCY_KEY_PATTERN[1:-1], key, re.ASCII):
        raise _invalid("/idempotency_key", "idempotency_key must be 8 to 64 visible ASCII characters but the comma.")
    return key


def _derived_key(body: JsonObject, utc_day: date) -> str:
    """The same for all calls of one day that mean the same. The day is in it so that tomorrow is a fresh run."""
    try:
        digest = canonical_sha256(_meaning(body))
    except NotCanonical:
        # The API refuses such a request whatever its key.
        digest = uuid4().hex
    return f"mcp-{utc_day.isoformat()}-{digest[:40]}"


def _meaning(body: JsonObject) -> JsonObject:
    """Defaults filled in: a model that repeats a call and spells a default out means the same run."""
    artifacts = body.get("artifacts", {})
    return {
        **_DEFAULTS,
        **body,
        "max_cost_usd": _normal_amount(body.get("max_cost_usd")),
        "artifacts": {"include_markdown": False, "include_docx": False, **artifacts}
        if isinstance(artifacts, dict)
        else artifacts,
    }


def _normal_amount(text: Any) -> Any:
    try:
        return format_usd(parse_usd(text))
    except InvalidMoney:
        return text


def _invalid(pointer: str, detail: str) -> ProblemError:
    return INVALID_PARAMS.error(detail, errors=[{"pointer": pointer, "detail": detail}])
