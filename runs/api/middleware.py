"""Around every request: trace id, problems for what no view answered, cost headers, metrics."""

import logging
import time
from collections.abc import Callable

from django.db import DatabaseError, InterfaceError
from django.http import Http404, HttpRequest, HttpResponse

from budget import journal
from dpp_project.metrics import REQUEST_SECONDS, REQUESTS
from dpp_project.money import ZERO, Micros
from runs.api import problems, trace
from runs.api.costs import Costs
from runs.api.errors import as_problem, problem_response

log = logging.getLogger("dpp.api")

_API_PREFIX = "/v1/"
_RUNS_PREFIX = "/v1/runs"


class ProblemMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.monotonic()
        request.trace_id = trace.first_valid(request.headers.get(trace.HEADER))  # type: ignore[attr-defined]
        response = self.get_response(request)
        if request.path.startswith(_API_PREFIX) or request.path == _API_PREFIX.rstrip("/"):
            response = self._as_problem(request, response)
        if request.path.startswith(_RUNS_PREFIX):
            _put_costs(request, response)
        response[trace.HEADER] = request.trace_id  # type: ignore[attr-defined]
        _measure(request, response, time.monotonic() - began)
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """What a view outside DRF raised."""
        if request.path.startswith(_API_PREFIX):
            return problem_response(request, as_problem(error))
        return None

    def _as_problem(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Django's own error pages (no such route, a refused request) become problems."""
        if response.status_code < 400 or hasattr(request, "problem"):
            return response
        if response.status_code == 404:
            return problem_response(request, as_problem(Http404()))
        if response.status_code >= 500:
            return problem_response(request, problems.INTERNAL_ERROR.error("The request could not be completed."))
        return problem_response(request, problems.INVALID_PARAMS.error("The request cannot be read."))


def _put_costs(request: HttpRequest, response: HttpResponse) -> None:
    costs = getattr(request, "costs", None) or Costs(remaining=_remaining(request, response.status_code))
    costs.put_on(response)


def _remaining(request: HttpRequest, status: int) -> Micros:
    """An error that concerns a known tenant still tells the balance; 401 and 404 tell nothing."""
    tenant = getattr(request, "tenant", None)
    if tenant is None or status in (401, 404):
        return ZERO
    try:
        return journal.available(tenant.pk)
    except (DatabaseError, InterfaceError):
        return ZERO


def _measure(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    match = request.resolver_match
    route = match.route if match else "unknown"
    method = request.method or ""
    REQUESTS.labels(route=route, method=method, status=response.status_code).inc()
    REQUEST_SECONDS.labels(route=route, method=method).observe(seconds)
