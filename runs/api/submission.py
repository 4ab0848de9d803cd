"""From a request, in either accepted shape, to a `RunRequest`. All of it is checked before any money moves."""

import re
from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest
from rest_framework.exceptions import ValidationError

from packs.base import Pack, needed_features
from packs.registry import PACKS
from packs.schema import count_values, input_errors
from runs.api import trace
from runs.api.problems import INVALID_MONEY_SCALE, INVALID_PARAMS, SCHEMA_VALIDATION_FAILED
from runs.api.serializers.base import MAX_ERRORS, all_errors
from runs.api.serializers.fields import MONEY_SCALE
from runs.api.serializers.run_request import RUN_REQUEST
from runs.lifecycle.fetch_policy import url_refusal
from runs.lifecycle.price_list import least_price
from runs.lifecycle.request import RunRequest

# Servers join headers of one name by a comma, and nobody can tell that from a comma inside one: keys have none.
IDEMPOTENCY_KEY_PATTERN = "^[!-+.-~-]{8,64}$"

_IDEMPOTENCY_KEY = re.compile(IDEMPOTENCY_KEY_PATTERN[1:-1], re.ASCII)

_MAX_CLIENT_CHARS = 100

_ErrorEntry = dict[str, str]


@dataclass(frozen=True)
class Submission:
    request: RunRequest
    trace_id: str


def idempotency_key(request: HttpRequest) -> str:
    key = request.headers.get("Idempotency-Key", "")
    if "," in key:
        raise INVALID_PARAMS.error("The Idempotency-Key header must be given once, and without a comma.")
    if not _IDEMPOTENCY_KEY.fullmatch(key):
        raise INVALID_PARAMS.error("The Idempotency-Key header must be 8 to 64 visible ASCII characters but the comma.")
    return key


def read_submission(body: dict[str, Any], *, trace_header: str | None) -> Submission:
    """Raises a problem with all that is wrong: in the frame, in the inputs, or in both."""
    values, frame_errors, only_money = _read_frame(body)
    wrong_inputs = _wrong_inputs(body)
    errors = [*frame_errors, *wrong_inputs][:MAX_ERRORS]
    if frame_errors:
        problem = INVALID_MONEY_SCALE if only_money and not wrong_inputs else INVALID_PARAMS
        raise problem.error(_summary(errors), errors=errors)
    if errors:
        detail = f"The inputs do not fit the schema of the {values['pack_type']} pack: {_summary(errors)}"
        raise SCHEMA_VALIDATION_FAILED.error(detail, errors=errors)
    meta, client = values.get("meta", {}), values.get("client", {})
    return Submission(
        _run_request(values), trace.first_valid(trace_header, meta.get("trace_id"), client.get("trace_id"))
    )


def _read_frame(body: dict[str, Any]) -> tuple[dict[str, Any], list[_ErrorEntry], bool]:
    """All but what is inside `inputs`. The last says whether amounts in the wrong form are all that is wrong."""
    try:
        return RUN_REQUEST.run_validation(body), [], False
    except ValidationError as error:
        found = list(all_errors(error.detail))
    entries = [{"pointer": one.pointer, "detail": one.detail} for one in found[:MAX_ERRORS]]
    return {}, entries, all(one.code == MONEY_SCALE for one in found)


def _wrong_inputs(body: dict[str, Any]) -> list[_ErrorEntry]:
    """None where it is not known whose inputs they are."""
    pack_type, inputs = body.get("pack_type"), body.get("inputs")
    pack = PACKS.get(pack_type) if isinstance(pack_type, str) else None
    if pack is None or not isinstance(inputs, dict):
        return []
    if count_values(inputs, most=pack.max_values) > pack.max_values:
        return [{"pointer": "/inputs", "detail": f"inputs must have at most {pack.max_values} values in all."}]
    return [{"pointer": error.pointer, "detail": error.detail} for error in input_errors(pack, inputs, url_refusal)]


def _short(text: str | None) -> str | None:
    return text[:_MAX_CLIENT_CHARS] if text else None


def _summary(errors: list[_ErrorEntry]) -> str:
    if len(errors) == 1:
        return errors[0]["detail"]
    return f"{len(errors)} members are wrong; the first: {errors[0]['detail']}"


def _run_request(values: dict[str, Any]) -> RunRequest:
    artifacts, client = values.get("artifacts", {}), values.get("client", {})
    request = RunRequest(
        pack_type=values["pack_type"],
        inputs=values["inputs"],
        max_cost=values["max_cost_usd"],
        timebox_sec=values["timebox_sec"],
        min_reliability_score=values["min_reliability_score"],
        on_unmet=values["on_unmet"],
        inline=bool(values.get("options", {}).get("inline")),
        include_markdown=artifacts.get("include_markdown", False),
        include_docx=artifacts.get("include_docx", False),
        client_name=_short(client.get("client_name")),
        client_version=_short(client.get("client_version")),
        profile_version=values["profile_version"],
    )
    pack: Pack = PACKS[request.pack_type]
    reports = request.include_markdown + request.include_docx
    return replace(
        request,
        features=needed_features(pack, request.inputs, docx=request.include_docx),
        least=least_price(pack, request.inputs, reports=reports),
    )
