"""Submit, list, read and cancel runs."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from rest_framework.request import Request

from dpp_project.money import Micros
from dpp_project.postgresql import prepared
from runs import listing, rows
from runs.api import render
from runs.api.answers import ApiView, bytes_response, json_response, known_tags, not_modified
from runs.api.auth import admit_reader, authenticate
from runs.api.call import call_of
from runs.api.costs import Costs
from runs.api.openapi import operations
from runs.api.parse import Submission, idempotency_key, parse_submission
from runs.api.problems import TENANT_SUSPENDED, ProblemError
from runs.api.query import list_parameters, wait_sec
from runs.cancel import cancel
from runs.exceptions import RunExpired, RunNotFound
from runs.limits import Gate
from runs.models import Run, Tenant
from runs.poll_cost import charge_poll
from runs.states import Status
from runs.submit import submit
from runs.waiting import wait_for_change

RUN_ROUTE = "v1/runs/<str:run_id>"

_OWN_RUN = f"""
    SELECT {rows.COLUMNS}, tenant_balances.available_usd_micros
    FROM runs LEFT JOIN tenant_balances USING (tenant_id)
    WHERE runs.run_id = %s AND runs.tenant_id = %s
"""  # noqa: S608

# Looked up for an id that is none, so that this 404 takes the same time as the others.
_NO_RUN = UUID(int=0)


class RunsView(ApiView):
    @operations.LIST_RUNS
    def get(self, request: Request) -> HttpResponse:
        http = request._request
        tenant = admit_reader(http)
        filters, cursor, limit = list_parameters(http)
        now = timezone.now()
        page = listing.page(tenant, filters, after=cursor, limit=limit, now=now)
        body = {
            "runs": [render.summary(run, now=now) for run in page.runs],
            "next_cursor": str(page.next_cursor) if page.next_cursor else None,
        }
        return json_response(body)

    @operations.SUBMIT_RUN
    def post(self, request: Request) -> HttpResponse:
        http = request._request
        tenant, gate = authenticate(http)
        key, submission = _read_submission(http, tenant, gate)
        call = call_of(http)
        call.trace_id = submission.trace_id
        accepted = submit(
            tenant, submission.request, key=key, trace_id=submission.trace_id, now=timezone.now(), gate=gate
        )
        call.costs = Costs.of(accepted.run, accepted.available)
        headers = {"Location": f"/v1/runs/{accepted.run.pk}"}
        if accepted.replayed:
            headers["Idempotent-Replayed"] = "true"
        return json_response(render.receipt(accepted.run), status=202, headers=headers)


class RunView(ApiView):
    @operations.GET_RUN
    def get(self, request: Request, run_id: str) -> HttpResponse:
        http = request._request
        tenant = admit_reader(http)
        seconds = wait_sec(http)
        run = unexpired_run(http, tenant, run_id)
        if charge_poll(run):
            run = unexpired_run(http, tenant, run_id)
        body, etag = _render(http, run)
        known = known_tags(http.headers.get("If-None-Match", ""))
        # A caller that knows an older state is told the newer one at once.
        if seconds and etag and (not known or etag in known) and wait_for_change(run, seconds=seconds):
            run = unexpired_run(http, tenant, run_id)
            body, etag = _render(http, run)
        if etag is None:
            return bytes_response(body)
        if etag in known or "*" in known:
            return not_modified(etag)
        return bytes_response(body, headers={"ETag": etag})


class CancelView(ApiView):
    @operations.CANCEL_RUN
    def post(self, request: Request, run_id: str) -> HttpResponse:
        http = request._request
        tenant = admit_reader(http)
        cancel(unexpired_run(http, tenant, run_id))
        run = unexpired_run(http, tenant, run_id)
        return bytes_response(_render(http, run)[0], status=202)


def _read_submission(http: HttpRequest, tenant: Tenant, gate: Gate) -> tuple[str, Submission]:
    try:
        if tenant.status == Tenant.Status.SUSPENDED:
            raise TENANT_SUSPENDED.error("This tenant may not submit runs at present.")
        return idempotency_key(http), parse_submission(http)
    except ProblemError:
        gate.refused_submit()
        raise


def unexpired_run(http: HttpRequest, tenant: Tenant, run_id: str) -> Run:
    """The caller's run, by one query filtered by tenant: a stranger's run and no run are the same to it."""
    row = prepared.fetch_one(_OWN_RUN, [_uuid(run_id), tenant.pk])
    if row is None:
        raise RunNotFound
    run = rows.run_of(row)
    (available,) = rows.beside(row)
    call_of(http).costs = Costs.of(run, Micros(available or 0))
    if run.status == Status.EXPIRED or run.retention_until <= timezone.now():
        raise RunExpired(run.pk)
    return run


def _render(http: HttpRequest, run: Run) -> tuple[bytes, str | None]:
    costs = call_of(http).costs
    assert costs is not None
    return render.status(run, costs, now=timezone.now())


def _uuid(text: str) -> UUID:
    try:
        value = UUID(text)
    except ValueError:
        return _NO_RUN
    return value if str(value) == text.lower() else _NO_RUN
