"""What a run looks like from outside."""

import json
from datetime import datetime, timedelta
from typing import Any

from dpp_project.money import Micros, format_usd
from dpp_project.profile import PROFILE
from runs.api.costs import Costs
from runs.models import Run
from runs.states import Status
from runs.worker.envelope import instant, signature_is_valid
from storage import store
from storage.exceptions import ObjectDamaged
from storage.keys import ENVELOPE
from storage.models import StoredObject


def receipt(run: Run) -> dict[str, Any]:
    """The answer to a submit. Made from what never changes, so that a replay is the same receipt."""
    return {
        "run_id": str(run.pk),
        "status": Status.QUEUED.value,
        "reservation": {
            "max_cost_usd": format_usd(Micros(run.reservation_max_cost_usd_micros)),
            "currency": "USD",
            "timebox_sec": run.timebox_sec,
            "min_reliability_score": run.min_reliability_score,
        },
        "poll": {
            "href": f"/v1/runs/{run.pk}",
            "recommended_interval_ms": PROFILE.poll_recommended_interval_ms,
            "max_wait_sec": PROFILE.poll_max_wait_sec,
        },
        "meta": {
            "created_at": instant(run.created_at),
            "trace_id": run.trace_id,
            "profile_version": run.profile_version,
        },
    }


def status(run: Run, costs: Costs, *, now: datetime) -> dict[str, Any]:
    body: dict[str, Any] = {
        "run_id": str(run.pk),
        "pack_type": run.pack_type,
        "status": run.status,
        "money_state": run.money_state,
        "progress": run.progress,
        "cost": {
            "reserved_usd": format_usd(costs.reserved),
            "used_usd": format_usd(costs.used),
            "minimum_fee_usd": format_usd(Micros(run.minimum_fee_usd_micros)),
            "budget_remaining_usd": format_usd(costs.remaining),
        },
        "meta": {
            "created_at": instant(run.created_at),
            "updated_at": instant(run.updated_at),
            "trace_id": run.trace_id,
            "profile_version": run.profile_version,
            "retention_until": instant(run.retention_until),
        },
    }
    if run.result_key:
        body["result"] = _result(run, now)
    if run.status == Status.FAILED:
        body["error"] = {"reason_code": run.last_error_reason_code, "problem": _failure(run, costs)}
    return body


def _result(run: Run, now: datetime) -> dict[str, Any]:
    objects = {item.name: item for item in StoredObject.objects.filter(run=run)}
    stored = objects.pop(ENVELOPE)
    result: dict[str, Any] = {
        "presigned_url": store.presigned_url(stored.key),
        "sha256": stored.sha256,
        "expires_at": instant(now + timedelta(seconds=PROFILE.presigned_url_ttl_sec)),
        "size": stored.size,
        "artifacts": [
            {
                "name": item.name,
                "presigned_url": store.presigned_url(item.key),
                "sha256": item.sha256,
                "size": item.size,
                "mime": item.mime,
            }
            for item in sorted(objects.values(), key=lambda item: item.name)
        ],
    }
    if run.inline_result and stored.size <= PROFILE.max_inline_result_bytes:
        result["inline"] = _verified_envelope(stored)
    return result


def _verified_envelope(stored: StoredObject) -> Any:
    document = json.loads(store.read(stored.key, sha256=stored.sha256))
    if not signature_is_valid(document):
        raise ObjectDamaged(stored.key)
    return document


def _failure(run: Run, costs: Costs) -> dict[str, Any]:
    """Why it failed, as a problem object: what a caller of any failed request would read."""
    reason = run.last_error_reason_code or ""
    return {
        "type": f"{_type_base()}{reason.lower().replace('_', '-')}",
        "title": "The run failed",
        "status": 200,
        "detail": run.last_error_detail or "",
        "instance": f"/v1/runs/{run.pk}",
        "reason_code": reason,
        "trace_id": run.trace_id,
        "run_id": str(run.pk),
        "charged_usd": format_usd(costs.used),
    }


def _type_base() -> str:
    from django.conf import settings

    return str(settings.PROBLEM_TYPE_BASE)
