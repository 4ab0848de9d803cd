"""POST /v1/runs and GET /v1/runs/{run_id}."""

import json
from typing import Any
from uuid import UUID

from django.db.models import F
from django.http import HttpResponse
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.views import APIView

from budget import journal
from dpp_project.money import Micros
from runs.api import render
from runs.api.auth import authenticate
from runs.api.costs import Costs
from runs.api.parse import idempotency_key, parse_submission
from runs.api.problems import TENANT_SUSPENDED
from runs.cancel import cancel
from runs.exceptions import RunExpired, RunNotFound
from runs.models import Run, Tenant
from runs.states import Status
from runs.submit import submit


class RunsView(APIView):
    def post(self, request: Request) -> HttpResponse:
        http = request._request
        tenant = authenticate(http)
        if tenant.status == Tenant.Status.SUSPENDED:
            raise TENANT_SUSPENDED.error("This tenant may not submit runs at present.")
        key = idempotency_key(http)
        submission = parse_submission(http)
        http.trace_id = submission.trace_id  # type: ignore[attr-defined]
        accepted = submit(tenant, submission.request, key=key, trace_id=submission.trace_id, now=timezone.now())
        http.costs = Costs.of(accepted.run, accepted.available)  # type: ignore[attr-defined]
        headers = {"Location": f"/v1/runs/{accepted.run.pk}"}
        if accepted.replayed:
            headers["Idempotent-Replayed"] = "true"
        return json_response(render.receipt(accepted.run), status=202, headers=headers)


class RunView(APIView):
    def get(self, request: Request, run_id: str) -> HttpResponse:
        http = request._request
        tenant = authenticate(http)
        now = timezone.now()
        run, costs = _owned_run(tenant, run_id)
        if run.status == Status.EXPIRED or run.retention_until <= now:
            raise RunExpired(run.pk)
        http.costs = costs  # type: ignore[attr-defined]
        return json_response(render.status(run, costs, now=now))


class CancelView(APIView):
    def post(self, request: Request, run_id: str) -> HttpResponse:
        http = request._request
        tenant = authenticate(http)
        run = cancel(_owned_run(tenant, run_id)[0])
        costs = Costs.of(run, journal.available(tenant.pk))
        http.costs = costs  # type: ignore[attr-defined]
        return json_response(render.status(run, costs, now=timezone.now()), status=202)


def _owned_run(tenant: Tenant, run_id: str) -> tuple[Run, Costs]:
    """One query, filtered by tenant: a stranger's run and no run are the same to it."""
    run = (
        Run.objects.filter(pk=_uuid(run_id), tenant=tenant)
        .annotate(available=F("tenant__balance__available_usd_micros"))
        .first()
    )
    if run is None:
        raise RunNotFound
    return run, Costs.of(run, Micros(run.available or 0))


def _uuid(text: str) -> UUID:
    try:
        value = UUID(text)
    except ValueError:
        raise RunNotFound from None
    if str(value) != text.lower():
        raise RunNotFound
    return value


def json_response(body: Any, *, status: int = 200, headers: dict[str, str] | None = None) -> HttpResponse:
    return HttpResponse(
        json.dumps(body, ensure_ascii=False),
        status=status,
        content_type="application/json",
        headers=headers or {},
    )
