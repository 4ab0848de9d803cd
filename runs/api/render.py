"""What a run looks like from outside."""

import hashlib
import json
from datetime import datetime, timedelta
from typing import Any, Protocol
from uuid import UUID

from django.conf import settings

from dpp_project.money import ZERO, Micros, format_usd
from dpp_project.profile import PROFILE
from runs.api.answers import json_bytes
from runs.api.costs import Costs
from runs.api.problem_document import problem_document
from runs.api.problems import RUN_FAILURES
from runs.models import Run
from runs.states import LIVE, Status
from runs.worker.envelope import instant, signature_is_valid
from storage import store
from storage.exceptions import ObjectDamaged, ObjectMissing
from storage.keys import ENVELOPE
from storage.models import StoredObject


class LiveRun(Protocol):
    """What is shown of a run as long as it is live; a run, or as much of its row."""

    @property
    def pk(self) -> UUID: ...
    @property
    def pack_type(self) -> str: ...
    @property
    def money_state(self) -> str: ...
    @property
    def progress(self) -> float: ...
    @property
    def minimum_fee_usd_micros(self) -> int: ...
    @property
    def created_at(self) -> datetime: ...
    @property
    def updated_at(self) -> datetime: ...
    @property
    def trace_id(self) -> str: ...
    @property
    def profile_version(self) -> str: ...
    @property
    def retention_until(self) -> datetime: ...


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
        "events": {"href": f"{settings.EVENTS_URL}/v1/runs/{run.pk}/events"},
        "meta": {
            "created_at": instant(run.created_at),
            "trace_id": run.trace_id,
            "profile_version": run.profile_version,
        },
    }


def status(run: Run, costs: Costs, *, now: datetime) -> tuple[bytes, str | None]:
    """The answer to a poll, and while the run is live its ETag: later the link inside would grow stale behind a 304."""
    if run.status in LIVE:
        return live_status(run, costs, status=run.status)
    return json_bytes(_ended(run, costs, now)), None


def live_status(run: LiveRun, costs: Costs, *, status: str) -> tuple[bytes, str]:
    body = json_bytes(_with_balance(run, costs, status))
    return body, f'"{hashlib.sha256(body).hexdigest()[:32]}"'


def _with_balance(run: LiveRun, costs: Costs, status: str) -> dict[str, Any]:
    body = _frame(run, costs, status=status)
    body["cost"]["budget_remaining_usd"] = format_usd(costs.remaining)
    return body


def _ended(run: Run, costs: Costs, now: datetime) -> dict[str, Any]:
    body = _with_balance(run, costs, run.status)
    if run.result_key:
        body["result"] = _result(run, now)
    if run.status == Status.FAILED:
        body["error"] = {"reason_code": run.last_error_reason_code, "problem": _failure(run, costs)}
    return body


def summary(run: Run, *, now: datetime) -> dict[str, Any]:
    """One line of a listing: no link, and no balance, which is the tenant's and not the run's."""
    expired = run.retention_until <= now
    body = _frame(run, Costs.of(run, ZERO), status=Status.EXPIRED if expired else run.status)
    if run.last_error_reason_code:
        body["error"] = {"reason_code": run.last_error_reason_code}
    return body


def _frame(run: LiveRun, costs: Costs, *, status: str) -> dict[str, Any]:
    return {
        "run_id": str(run.pk),
        "pack_type": run.pack_type,
        "status": status,
        "money_state": run.money_state,
        "progress": run.progress,
        "cost": {
            "reserved_usd": format_usd(costs.reserved),
            "used_usd": format_usd(costs.used),
            "minimum_fee_usd": format_usd(Micros(run.minimum_fee_usd_micros)),
        },
        "meta": {
            "created_at": instant(run.created_at),
            "updated_at": instant(run.updated_at),
            "trace_id": run.trace_id,
            "profile_version": run.profile_version,
            "retention_until": instant(run.retention_until),
        },
    }


def _result(run: Run, now: datetime) -> dict[str, Any]:
    objects = {item.name: item for item in StoredObject.objects.filter(run=run)}
    stored = objects.pop(ENVELOPE, None)
    if stored is None:
        raise ObjectMissing(str(run.result_key))
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
    """Why it failed, as a problem document: what a caller of any failed request would read."""
    return problem_document(
        RUN_FAILURES[run.last_error_reason_code or ""],
        detail=run.last_error_detail or "",
        instance=f"/v1/runs/{run.pk}",
        trace_id=run.trace_id,
        charged_usd=format_usd(costs.used),
        run_id=str(run.pk),
    )
