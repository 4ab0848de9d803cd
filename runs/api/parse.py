"""From a request body, in either accepted shape, to a `RunRequest`. All of it is checked before any money moves."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from django.http import HttpRequest

from dpp_project.money import MAX_AMOUNT, InvalidMoney, Micros, format_usd, parse_usd
from dpp_project.profile import PROFILE
from packs.base import needed_features
from packs.registry import PACKS
from packs.schema import input_errors
from runs.api import trace
from runs.api.problems import INVALID_MONEY_SCALE, INVALID_PARAMS, SCHEMA_VALIDATION_FAILED, ProblemError
from runs.api.strict_json import read_object
from runs.request import RunRequest
from runs.worker.pack_services import pack_services

_IDEMPOTENCY_KEY = re.compile(r"[!-~]{8,64}", re.ASCII)
_MISSING = object()

T = TypeVar("T")

_FIELDS: dict[str, frozenset[str]] = {
    "": frozenset(
        {"pack_type", "inputs", "reservation", "options", "artifacts", "meta", "client"}
        | {"max_cost_usd", "timebox_sec", "min_reliability_score", "profile_version"}
    ),
    "reservation": frozenset({"max_cost_usd", "timebox_sec", "min_reliability_score"}),
    "options": frozenset({"inline"}),
    "artifacts": frozenset({"include_markdown", "include_docx"}),
    "meta": frozenset({"trace_id", "profile_version"}),
    "client": frozenset({"trace_id", "client_name", "client_version"}),
}

_TEXTS = (("meta", "trace_id"), ("client", "trace_id"), ("client", "client_name"), ("client", "client_version"))


@dataclass(frozen=True)
class Submission:
    request: RunRequest
    trace_id: str


def idempotency_key(request: HttpRequest) -> str:
    key = request.headers.get("Idempotency-Key", "")
    if not _IDEMPOTENCY_KEY.fullmatch(key):
        raise INVALID_PARAMS.error("The Idempotency-Key header must be 8 to 64 visible ASCII characters.")
    return key


def parse_submission(request: HttpRequest) -> Submission:
    body = read_object(request)
    _refuse_unknown_fields(body)
    _check_profile_version(body)
    _check_texts(body)
    pack_type = body.get("pack_type")
    if not isinstance(pack_type, str) or pack_type not in PACKS:
        raise _invalid("/pack_type", f"pack_type must be one of {', '.join(PACKS)}.")
    inputs = body.get("inputs")
    if not isinstance(inputs, dict):
        raise _invalid("/inputs", "inputs must be an object.")
    run_request = RunRequest(
        pack_type=pack_type,
        inputs=inputs,
        max_cost=_max_cost(body),
        timebox_sec=_timebox_sec(body),
        min_reliability_score=_min_reliability_score(body),
        inline=_one_of(body, "options", "inline", {0: False, 1: True}),
        include_markdown=_flag(body, "include_markdown"),
        include_docx=_flag(body, "include_docx"),
    )
    errors = input_errors(PACKS[pack_type], inputs, pack_services())
    if errors:
        raise SCHEMA_VALIDATION_FAILED.error(
            f"{len(errors)} of the inputs do not fit the schema of the {pack_type} pack.",
            errors=[{"pointer": error.pointer, "detail": error.detail} for error in errors],
        )
    features = needed_features(PACKS[pack_type], inputs, docx=run_request.include_docx)
    run_request = replace(run_request, features=features)
    meta, client = body.get("meta") or {}, body.get("client") or {}
    return Submission(
        run_request,
        trace.first_valid(request.headers.get(trace.HEADER), meta.get("trace_id"), client.get("trace_id")),
    )


def _refuse_unknown_fields(body: dict[str, Any]) -> None:
    for section, known in _FIELDS.items():
        value = body if not section else body.get(section, {})
        if not isinstance(value, dict):
            raise _invalid(f"/{section}", f"{section} must be an object.")
        for name in value:
            if name not in known:
                pointer = f"/{section}/{_escape(name)}" if section else f"/{_escape(name)}"
                raise _invalid(pointer, "This field is not known.")


def _check_profile_version(body: dict[str, Any]) -> None:
    for pointer, value in (
        ("/profile_version", body.get("profile_version", _MISSING)),
        ("/meta/profile_version", body.get("meta", {}).get("profile_version", _MISSING)),
    ):
        if value is not _MISSING and not (isinstance(value, str) and PROFILE.accepts_version(value)):
            raise _invalid(pointer, f"The only profile served here is {PROFILE.version}.")


def _check_texts(body: dict[str, Any]) -> None:
    """What is not part of the meaning is still not anything."""
    for section, name in _TEXTS:
        if not isinstance(body.get(section, {}).get(name, ""), str):
            raise _invalid(f"/{section}/{name}", f"{name} must be a string.")


def _max_cost(body: dict[str, Any]) -> Micros:
    pointer, given = _either(body, "max_cost_usd", _as_money)
    if given is None:
        raise _invalid("/reservation/max_cost_usd", "max_cost_usd is required: the most this run may cost.")
    least = PROFILE.minimum_fee_floor
    if given < least or given > MAX_AMOUNT:
        raise _invalid(
            pointer,
            f"max_cost_usd must be from {format_usd(least)} (the minimum fee) to {format_usd(MAX_AMOUNT)}.",
        )
    return given


def _timebox_sec(body: dict[str, Any]) -> int:
    def check(pointer: str, value: Any) -> int:
        if type(value) is not int or not 1 <= value <= PROFILE.timebox_max_sec:
            raise _invalid(pointer, f"timebox_sec must be a whole number from 1 to {PROFILE.timebox_max_sec}.")
        return value

    given = _either(body, "timebox_sec", check)[1]
    return PROFILE.timebox_default_sec if given is None else given


def _min_reliability_score(body: dict[str, Any]) -> float:
    def check(pointer: str, value: Any) -> float:
        if type(value) not in (int, float) or not math.isfinite(value) or not 0 <= value <= 1:
            raise _invalid(pointer, "min_reliability_score must be a number from 0 to 1.")
        return float(value)

    given = _either(body, "min_reliability_score", check)[1]
    return float(PROFILE.default_min_reliability_score) if given is None else given


def _either(body: dict[str, Any], name: str, check: Callable[[str, Any], T]) -> tuple[str, T | None]:
    """A value from the canonical place or the flat one; both only if they mean the same."""
    found = []
    for pointer, section in (("/reservation/", body.get("reservation") or {}), ("/", body)):
        if name in section:
            found.append((pointer + name, check(pointer + name, section[name])))
    if len(found) == 2 and found[0][1] != found[1][1]:
        raise _invalid(f"/{name}", f"{name} is given twice with different meaning.")
    return found[0] if found else (f"/reservation/{name}", None)


def _as_money(pointer: str, value: Any) -> Micros:
    try:
        return parse_usd(value)
    except InvalidMoney as error:
        raise INVALID_MONEY_SCALE.error(str(error), errors=[{"pointer": pointer, "detail": str(error)}]) from None


def _one_of(body: dict[str, Any], section: str, name: str, values: dict[int, bool]) -> bool:
    given = body.get(section, {}).get(name, 0)
    if type(given) is not int or given not in values:
        raise _invalid(f"/{section}/{name}", f"{name} must be one of {', '.join(map(str, values))}.")
    return values[given]


def _flag(body: dict[str, Any], name: str) -> bool:
    given = body.get("artifacts", {}).get(name, False)
    if type(given) is not bool:
        raise _invalid(f"/artifacts/{name}", f"{name} must be true or false.")
    return given


def _invalid(pointer: str, detail: str) -> ProblemError:
    return INVALID_PARAMS.error(detail, errors=[{"pointer": pointer, "detail": detail}])


def _escape(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")[:100]
