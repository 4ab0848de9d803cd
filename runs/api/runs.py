"""Submit, list, read and cancel runs."""

import json
import logging
from typing import Any, cast
from uuid import UUID

from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest, HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle

from dpp_project import clock
from dpp_project.logging import fields
from dpp_project.money import Micros
from dpp_project.postgresql import prepared
from runs import run_rows
from runs.access.poll_cost import charge_poll
from runs.api import trace
from runs.api.api_view import ApiView, gate_of, is_known, tenant_of
from runs.api.call import call_of
from runs.api.openapi import operations
from runs.api.preferences import preferred_wait_sec
from runs.api.problems import KEY_NOT_ALLOWED, RUN_EXPIRED, TENANT_SUSPENDED, ProblemError
from runs.api.serializers.query import Wait, list_parameters, wait_parameters
from runs.api.serializers.run import RUN_INPUTS
from runs.api.shown_run import STORED_ITEMS, Costs, StoredItem, is_expired, receipt, shown_list, shown_run
from runs.api.submission import Submission, idempotency_key, read_submission
from runs.events.long_poll import wait_for_change
from runs.exceptions import LostRace, RunExpired, RunNotFound
from runs.lifecycle.cancel import cancel
from runs.lifecycle.retention import forget_run
from runs.lifecycle.stored_request import read_request
from runs.lifecycle.submit import submit
from runs.models import Run, RunPayload, Tenant
from runs.reports import listing
from runs.reports.listing import Filters
from runs.states import LIVE
from storage.exceptions import StorageError

log = logging.getLogger("dpp.api")

RUN_ROUTE = "v1/runs/<str:run_id>"

_OWN_RUN = f"""
    SELECT {run_rows.COLUMNS}, tenant_balances.available_usd_micros, {STORED_ITEMS}
    FROM runs LEFT JOIN tenant_balances USING (tenant_id)
    WHERE runs.run_id = %s AND runs.tenant_id = %s
"""  # noqa: S608

# Looked up for an id that is none, so that this 404 takes the same time as the others.
_NO_RUN = UUID(int=0)


class RunsView(ApiView):
    def get_throttles(self) -> list[BaseThrottle]:
        """A submit is counted where it is decided: a repeat of one is counted apart."""
        return [] if self.request.method == "POST" else super().get_throttles()

    @operations.LIST_RUNS
    def get(self, request: Request) -> Response:
        given = list_parameters(request._request.GET)
        now = clock.now()
        cursor, limit = given.pop("cursor", None), given.pop("limit")
        page = listing.page(tenant_of(request), Filters(**given), after=cursor, limit=limit, now=now)
        return Response(shown_list(page.runs, str(page.next_cursor) if page.next_cursor else None, now=now))

    @operations.SUBMIT_RUN
    def post(self, request: Request) -> Response:
        tenant, gate = tenant_of(request), gate_of(request)
        try:
            key, submission = _read(request, tenant)
        except ProblemError:
            gate.refused_submit()
            raise
        call = call_of(request._request)
        call.trace_id = submission.trace_id
        accepted = submit(
            tenant,
            submission.request,
            key=key,
            trace_id=submission.trace_id,
            now=clock.now(),
            gate=gate,
            api_key=call.api_key,
        )
        call.costs = Costs.of(accepted.run, accepted.available)
        headers = {"Location": f"/v1/runs/{accepted.run.pk}"}
        if accepted.replayed:
            headers["Idempotent-Replayed"] = "true"
        body = receipt(accepted.run)
        preferences = request._request.headers.get("Prefer")
        seconds = preferred_wait_sec(preferences) if preferences else None
        if seconds is not None and (run := _run_so_far(request, accepted.run, seconds=seconds)):
            body["run"] = run
            headers["Preference-Applied"] = f"wait={seconds}"
        return Response(body, status=202, headers=headers)


class RunView(ApiView):
    http_method_names = [*ApiView.http_method_names, "delete"]

    @operations.GET_RUN
    def get(self, request: Request, run_id: str) -> HttpResponse:
        tenant, http = tenant_of(request), request._request
        wait = wait_parameters(http.GET)
        run = unexpired_run(http, tenant, run_id)
        if self.charges() and charge_poll(run):
            run = unexpired_run(http, tenant, run_id)
        body, etag = _shown(http, run)
        known = http.headers.get("If-None-Match", "")
        # A caller that knows an older state is told the newer one at once, unless it asked for the end.
        waits = wait.seconds and etag and (wait.until_end or not known or is_known(etag, known))
        if waits and self.has_changed_meanwhile(run, wait):
            run = unexpired_run(http, tenant, run_id)
            body, etag = _shown(http, run)
        if etag is None:
            return Response(body)
        if is_known(etag, known):
            return _not_modified(etag)
        return Response(body, headers={"ETag": etag})

    def charges(self) -> bool:
        return True

    def has_changed_meanwhile(self, run: Run, wait: Wait) -> bool:
        """Holds the answer, and a thread with it. (The event gateway holds it without one.)"""
        return wait_for_change(run, seconds=wait.seconds, until_end=wait.until_end)

    @operations.DELETE_RUN
    def delete(self, request: Request, run_id: str) -> HttpResponse:
        run = unexpired_run(request._request, tenant_of(request), run_id)
        try:
            forget_run(run)
        except LostRace:
            # Somebody else ended its retention first: that is what was asked for.
            raise RunExpired(run.pk) from None
        response = HttpResponse(status=204)
        del response["Content-Type"]
        return response


class InputsView(ApiView):
    @operations.GET_INPUTS
    def get(self, request: Request, run_id: str) -> Response:
        run = unexpired_run(request._request, tenant_of(request), run_id)
        payload = RunPayload.objects.filter(run=run).first()
        if payload is None:
            raise RUN_EXPIRED.error("Inputs of a run that was cancelled or never started are not kept.")
        return Response(RUN_INPUTS.to_representation({"run_id": run.pk, "request": read_request(payload)}))


class CancelView(ApiView):
    @operations.CANCEL_RUN
    def post(self, request: Request, run_id: str) -> Response:
        tenant, http = tenant_of(request), request._request
        cancel(unexpired_run(http, tenant, run_id))
        run = unexpired_run(http, tenant, run_id)
        return Response(_shown(http, run)[0], status=202)


def _read(request: Request, tenant: Tenant) -> tuple[str, Submission]:
    if tenant.status == Tenant.Status.SUSPENDED:
        raise TENANT_SUSPENDED.error("This tenant may not submit runs at present.")
    http = request._request
    key = idempotency_key(http)
    body = cast(dict[str, Any], request.data)  # by our parser
    submission = read_submission(
        body, trace_header=http.headers.get(trace.HEADER), tenant_id=tenant.pk, now=clock.now()
    )
    api_key = call_of(http).api_key
    assert api_key is not None
    if api_key.packs and submission.request.pack_type not in api_key.packs:
        raise KEY_NOT_ALLOWED.error("This key does not submit this pack.")
    return key, submission


def _run_so_far(request: Request, run: Run, *, seconds: int) -> dict[str, Any] | None:
    """What GET would say once the run has ended or the time is up. It was accepted whatever goes wrong from here on:
    then the receipt stands alone, and the caller asks again."""
    http = request._request
    try:
        if seconds and run.status in LIVE:
            wait_for_change(run, seconds=seconds, until_end=True)
        body, _ = _shown(http, unexpired_run(http, tenant_of(request), str(run.pk)))
    except (RunNotFound, RunExpired, StorageError, DatabaseError, InterfaceError) as error:
        log.warning("run_not_shown_with_receipt", extra=fields(run_id=run.pk, error=type(error).__name__))
        return None
    return dict(json.loads(body))


def unexpired_run(http: HttpRequest, tenant: Tenant, run_id: str) -> Run:
    """The caller's run, by one query filtered by tenant: a stranger's run and no run are the same to it."""
    row = prepared.fetch_one(_OWN_RUN, [_uuid(run_id), tenant.pk])
    if row is None:
        raise RunNotFound
    run = run_rows.run_of(row)
    available, stored = run_rows.extra_columns(row)
    call = call_of(http)
    call.costs = Costs.of(run, Micros(available or 0))
    call.stored = StoredItem.from_column(stored)
    if is_expired(run, now=clock.now()):
        raise RunExpired(run.pk)
    return run


def _shown(http: HttpRequest, run: Run) -> tuple[bytes, str | None]:
    call = call_of(http)
    assert call.costs is not None
    return shown_run(run, call.costs, call.stored, now=clock.now())


def _not_modified(etag: str) -> HttpResponse:
    """Of a body that is not sent neither kind nor length is told."""
    response = HttpResponse(status=304, headers={"ETag": etag})
    del response["Content-Type"]
    return response


def _uuid(text: str) -> UUID:
    try:
        value = UUID(text)
    except ValueError:
        return _NO_RUN
    return value if str(value) == text.lower() else _NO_RUN
