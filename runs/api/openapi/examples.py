"""Examples, rendered by the code that renders real answers: they cannot go out of date."""

import functools
import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiExample

from dpp_project.clock import instant
from dpp_project.money import ZERO, Micros, format_usd
from dpp_project.profile import PROFILE
from runs.access import plans
from runs.api.problems import ANSWERS, Problem
from runs.api.serializers.problem import problem_document
from runs.api.serializers.service import BUDGET
from runs.api.shown_run import Costs, receipt, shown_list, shown_run
from runs.models import Run
from runs.states import MoneyState, Reason, Status

_RUN_ID = UUID("0b4f3a52-6c1e-4d0a-9a55-3f1f7f0f7c11")
_CREATED = datetime(2026, 1, 31, 9, 0, tzinfo=UTC)
_REMAINING = Micros(9_500_000)
_INPUTS = {
    "question": "Which supplier should we choose?",
    "options": [
        {"name": "Alpha", "attributes": {"price": "1,200 USD", "delivery time": "14 days"}},
        {"name": "Beta", "attributes": {"price": "1,450 USD", "delivery time": "5 days"}},
        {"name": "Gamma", "attributes": {"price": "1,600 USD", "delivery time": "8 days"}},
    ],
    "criteria": ["price", "delivery time"],
    "context": "Delivery must not take longer than 10 days.",
}


# One of each other pack.
_INPUTS_OF: dict[str, dict[str, Any]] = {
    "url": {"urls": ["https://www.law.go.kr/"], "decision_question": "How did the subsidy change?"},
    "ocr": {"pdf_url": "https://www.example.com/terms.pdf", "language": "kor+eng"},
    "compliance": {"text": "국내 최고의 효과를 100% 보장합니다.", "kind": "ad"},
    "eval": {"text": "Sales rose by 10 % [1].", "sources": [{"id": "1", "text": "Sales rose by 10 % in 2025."}]},
}


def example(name: str, *, request_only: bool = False) -> OpenApiExample:
    """By its name, or the `reason_code` of a problem."""
    if name in ANSWERS:
        summary, value = ANSWERS[name].title, _problem(ANSWERS[name])
        # Capitals with underscores are no name to drf-spectacular, which would put them together.
        name = name.title().replace("_", "")
    else:
        summary, value = _examples()[name]
    return OpenApiExample(name, value, summary=summary, request_only=request_only)


def _example_name(pack: str) -> str:
    return f"{pack.capitalize()}Request"


OF_EVERY_PACK = ["CanonicalRequest", "FlatRequest", *map(_example_name, _INPUTS_OF)]


@functools.cache
def _examples() -> dict[str, tuple[str, Any]]:
    """Summary and value by name."""
    return {
        "CanonicalRequest": (
            "Canonical shape",
            {"pack_type": "decision", "inputs": _INPUTS, "reservation": {"max_cost_usd": "0.5000"}},
        ),
        "FlatRequest": ("Flat shape", {"pack_type": "decision", "inputs": _INPUTS, "max_cost_usd": "0.5000"}),
        **{
            _example_name(pack): (
                f"The {pack} pack",
                {"pack_type": pack, "inputs": inputs, "reservation": {"max_cost_usd": "0.5000"}},
            )
            for pack, inputs in _INPUTS_OF.items()
        },
        "Receipt": ("Accepted", receipt(_run())),
        "ReceiptWithRun": ("Accepted, and ended within `Prefer: wait`", {**receipt(_run()), "run": _completed()}),
        "QueuedRun": ("Waiting", _status(_run())),
        "CompletedRun": ("Completed", _completed()),
        "FailedRun": ("Failed", _failed(Reason.PACK_FAILED, Micros(10_000))),
        "CancelledRun": ("Cancelled before it started", _failed(Reason.RUN_CANCELLED, ZERO)),
        "RunList": ("One page", shown_list([_run()], None, now=_CREATED)),
        "Budget": (
            "A balance",
            BUDGET.to_representation(
                {
                    "available": 9_450_000,
                    "reserved": 500_000,
                    "spent": 50_000,
                    "month": "2026-01",
                    "is_low": False,
                    "plan": vars(plans.terms(None)),
                },
            ),
        ),
        "Ready": (
            "Everything answers",
            {"status": "ready", "down": [], "checks": {"database": {"ok": True, "latency_ms": 0.6}}},
        ),
        "NotReady": (
            "Something is down",
            {
                "status": "unavailable",
                "down": ["redis"],
                "checks": {"redis": {"ok": False, "error": "ConnectionError"}},
            },
        ),
    }


def _run(**changes: Any) -> Run:
    values: dict[str, Any] = {
        "run_id": _RUN_ID,
        "tenant_id": "acme",
        "pack_type": "decision",
        "profile_version": PROFILE.version,
        "reservation_max_cost_usd_micros": 500_000,
        "minimum_fee_usd_micros": PROFILE.minimum_fee(Micros(500_000)),
        "timebox_sec": PROFILE.timebox_default_sec,
        "min_reliability_score": float(PROFILE.default_min_reliability_score),
        "trace_id": "trace-1",
        "created_at": _CREATED,
        "updated_at": _CREATED,
        "retention_until": _CREATED + PROFILE.retention,
    }
    return Run(**{**values, **changes})


def _status(run: Run) -> dict[str, Any]:
    body, _ = shown_run(run, Costs.of(run, _REMAINING), (), now=_CREATED)
    return dict(json.loads(body))


def _completed() -> dict[str, Any]:
    run = _run(
        status=Status.COMPLETED,
        money_state=MoneyState.SETTLED,
        actual_cost_usd_micros=50_000,
        progress=1.0,
        result_summary={
            "reliability": {"score": 0.7, "required": 0.8, "met": False},
            "warnings": [{"code": "RELIABILITY_NOT_MET", "text": "Reliability 0.7 is below the requested 0.8."}],
            "budget_cap": None,
        },
    )
    expires_at = _CREATED + timedelta(seconds=PROFILE.presigned_url_ttl_sec)
    return {
        **_status(run),
        "result": {
            "presigned_url": "https://results.example/dpp/acme/2026/01/31/pack_envelope.json?signature=x",
            "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "expires_at": instant(expires_at),
            "size": 4096,
            "artifacts": [],
        },
    }


def _failed(reason: Reason, charge: Micros) -> dict[str, Any]:
    return _status(
        _run(
            status=Status.FAILED,
            money_state=MoneyState.SETTLED if charge else MoneyState.REFUNDED,
            actual_cost_usd_micros=charge,
            last_error_reason_code=reason.value,
            last_error_detail="What happened, for the owner of the run.",
            progress=1.0,
        )
    )


def _problem(problem: Problem) -> dict[str, Any]:
    extra: dict[str, Any] = {}
    if problem.reason_code == "BUDGET_DRAINED":
        extra = {"balance_remaining": "0.1000", "reservation_required": "0.5000"}
    elif problem.reason_code == "SCHEMA_VALIDATION_FAILED":
        extra = {"errors": [{"pointer": "/inputs/options", "detail": "options must have at least 2 items."}]}
    elif problem.reason_code in ("RUN_EXPIRED", "RUN_NOT_CANCELLABLE", "QUEUE_ENQUEUE_FAILED"):
        extra = {"run_id": str(_RUN_ID)}
    return problem_document(
        problem,
        detail="What happened, in one sentence.",
        instance="/v1/runs",
        trace_id="trace-1",
        charged_usd=format_usd(ZERO),
        **extra,
    )
