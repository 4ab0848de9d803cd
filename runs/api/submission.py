"""The request of POST /v1/runs: its declaration in both shapes, which OpenAPI and the MCP tools follow, and how a body
becomes a `RunRequest`. All of it is checked before any money moves."""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from rest_framework import serializers

from dpp_project.profile import PROFILE, PROFILES, profile_of
from packs.base import Pack, needed_features
from packs.registry import PACKS
from packs.schema import count_values, input_errors
from runs.api import trace
from runs.api.problems import INVALID_MONEY_SCALE, INVALID_PARAMS, SCHEMA_VALIDATION_FAILED
from runs.api.serializers.base import MAX_ERRORS, StrictSerializer, all_errors
from runs.api.serializers.fields import (
    MONEY_SCALE,
    Choice,
    Constant,
    Flag,
    JsonObject,
    MaxCost,
    Number,
    Schema,
    SchemaField,
    Tags,
    Text,
    WholeNumber,
)
from runs.exceptions import BadQuote
from runs.lifecycle.fetch_policy import url_refusal
from runs.lifecycle.price_list import least_price
from runs.lifecycle.quotes import bound_prices
from runs.lifecycle.request import ACCEPT, REFUND, RunRequest

_OTHERS = sorted({profile.version for profile in PROFILES.values()} - {PROFILE.version})
_SERVED = (
    f"{PROFILE.version}, the only profile served here" if not _OTHERS else " or ".join([PROFILE.version, *_OTHERS])
)


_PROFILE_HELP = f"{'One of the profiles' if _OTHERS else 'The only profile'} served; others are refused."


class ProfileVersion(Choice):
    default_error_messages = {
        "invalid": f"must be {_SERVED}",
        "null": f"must be {_SERVED}",
    }


class TraceId(Text):
    def __init__(self, **more: Any) -> None:
        super().__init__(
            help_text="Used if it is 1-128 of `A-Za-z0-9._-` and no X-Trace-Id header is given; otherwise replaced.",
            **more,
        )


class ReservationSerializer(StrictSerializer):
    max_cost_usd = MaxCost(
        least=PROFILE.minimum_fee_floor,
        help_text="The most this run may cost, in USD: a string with at most 4 places. Held until the run ends.",
        error_messages={"required": "is required: the most this run may cost"},
    )
    timebox_sec = WholeNumber(
        minimum=1,
        maximum=PROFILE.timebox_max_sec,
        default=PROFILE.timebox_default_sec,
        help_text="Seconds the pack may work.",
    )
    min_reliability_score = Number(
        minimum=0,
        maximum=1,
        default=float(PROFILE.default_min_reliability_score),
        help_text="A promise asked for: the envelope says whether it was met, `on_unmet` what happens if it was not.",
    )
    on_unmet = Choice(
        [ACCEPT, REFUND],
        default=ACCEPT,
        help_text="`refund`: a result below `min_reliability_score` is withheld; the run fails for the minimum fee.",
    )
    quote_id = Text(default="", help_text="Of POST /v1/quotes, not yet expired: the run is charged at its prices.")


class OptionsSerializer(StrictSerializer):
    inline = Choice([0, 1], default=0, help_text="1: GET repeats a small envelope.")


class ArtifactsSerializer(StrictSerializer):
    """Reports to be stored beside the envelope."""

    include_markdown = Flag(default=False)
    include_docx = Flag(default=False)


class RequestMetaSerializer(StrictSerializer):
    trace_id = TraceId(required=False)
    profile_version = ProfileVersion(list(PROFILES), required=False, help_text=_PROFILE_HELP)


class ClientSerializer(StrictSerializer):
    """Who calls. Not part of what makes two requests equal."""

    trace_id = TraceId(required=False)
    client_name = Text(required=False)
    client_version = Text(required=False)


class _AnyShape(StrictSerializer):
    pack_type = Choice(list(PACKS))
    inputs: SchemaField = JsonObject()
    options = OptionsSerializer(required=False)
    artifacts = ArtifactsSerializer(required=False)
    meta = RequestMetaSerializer(required=False)
    client = ClientSerializer(required=False)
    tags = Tags(
        required=False,
        help_text="Your own words for the run, by name. Shown with it, searchable, in the statement; not part of what "
        "makes two requests equal.",
    )


class CanonicalRunSerializer(_AnyShape):
    reservation = ReservationSerializer()


class FlatRunSerializer(_AnyShape, ReservationSerializer):
    profile_version = ProfileVersion(list(PROFILES), required=False, help_text=_PROFILE_HELP)


class RunRequestSerializer(FlatRunSerializer):
    """What is read: one shape, the other, or a mix in which no value is given twice with different meaning."""

    reservation = ReservationSerializer(required=False)

    def get_fields(self) -> dict[str, Any]:
        """Nothing of the reservation is required in one place: it may stand in the other."""
        fields: dict[str, Any] = super().get_fields()
        for place in (fields, fields["reservation"].fields):
            for name in RESERVATION.fields.keys():  # noqa: SIM118
                place[name].required = False
                place[name].default = serializers.empty
        return fields

    def check_together(self, data: dict[str, Any], values: dict[str, Any], errors: dict[str, Any]) -> None:
        nested = data.get("reservation")
        nested = nested if isinstance(nested, dict) else {}
        for name, field in RESERVATION.fields.items():
            given = [place[name] for place in (values.get("reservation", {}), values) if name in place]
            if len(given) == 2 and given[0] != given[1]:
                errors[name] = ["is given twice with different meaning"]
            elif given:
                values[name] = given[0]
            elif name in data or name in nested:
                pass  # it is wrong, and said so
            elif not field.required:
                values[name] = field.default
            elif "reservation" not in errors:
                errors["reservation"] = {name: [field.error_messages["required"]]}
        names = [place["profile_version"] for place in (values, values.get("meta", {})) if "profile_version" in place]
        versions = {profile_of(name).version for name in names or [PROFILE.version]}
        if len(versions) > 1:
            errors["profile_version"] = ["is given twice with different meaning"]
        else:
            values["profile_version"] = versions.pop()


class PackInputs(SchemaField):
    """`inputs` of one pack, as the pack's own schema has it."""

    def __init__(self, pack: Pack, **more: Any) -> None:
        super().__init__(**more)
        self.pack = pack
        self.component_name = f"{pack.name.capitalize()}Inputs"

    def json_schema(self) -> Schema:
        schema = {name: value for name, value in self.pack.input_schema.items() if name not in ("$schema", "$id")}
        return {**schema, "title": f"Inputs of the {self.pack.name} pack"}


def pack_shapes(pack: Pack) -> list[type[StrictSerializer]]:
    """Both shapes of one pack's requests, for the description: `DecisionRun` and `DecisionRunFlat`."""
    name = pack.name.capitalize()
    shapes: list[tuple[str, type[StrictSerializer], str]] = [
        (f"{name}RunSerializer", CanonicalRunSerializer, pack.title),
        (f"{name}RunFlatSerializer", FlatRunSerializer, f"{pack.title} (flat shape)"),
    ]
    return [
        type(shape, (base,), {"__doc__": words, "pack_type": Constant(pack.name), "inputs": PackInputs(pack)})
        for shape, base, words in shapes
    ]


RESERVATION = ReservationSerializer()
ARTIFACTS = ArtifactsSerializer()
RUN_REQUEST = RunRequestSerializer()

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


def read_submission(body: dict[str, Any], *, trace_header: str | None, tenant_id: str, now: datetime) -> Submission:
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
    request = _run_request(values)
    if values["quote_id"]:
        request = _at_quoted_prices(request, values["quote_id"], tenant_id, now)
    return Submission(request, trace.first_valid(trace_header, meta.get("trace_id"), client.get("trace_id")))


def _at_quoted_prices(request: RunRequest, quote_id: str, tenant_id: str, now: datetime) -> RunRequest:
    try:
        bound = bound_prices(quote_id, tenant_id, request, now=now)
    except BadQuote as error:
        detail = f"quote_id {error}."
        raise INVALID_PARAMS.error(detail, errors=[{"pointer": "/reservation/quote_id", "detail": detail}]) from error
    return replace(request, prices=bound.prices, quote_is_expired=bound.is_expired)


def _read_frame(body: dict[str, Any]) -> tuple[dict[str, Any], list[_ErrorEntry], bool]:
    """All but what is inside `inputs`. The last says whether amounts in the wrong form are all that is wrong."""
    try:
        return RUN_REQUEST.run_validation(body), [], False
    except serializers.ValidationError as error:
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
    members = len({error["pointer"] for error in errors})
    if members == 1:
        return " ".join(error["detail"] for error in errors)
    return f"{members} members are wrong; the first: {errors[0]['detail']}"


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
        tags=values.get("tags"),
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
