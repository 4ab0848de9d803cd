"""Around every request. First ours: trace id, problems for what no view answered, cost and limit headers, metrics. Then
Django's own, where it must not act on every request: what only pages in a browser need (sessions, forms, messages)
leaves the requests of agents alone, and the Host header is not checked where it is asked by address, since balancers
and scrapers know no public name.
"""

import time
from collections.abc import Callable
from typing import Any

from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.db import DatabaseError, InterfaceError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.common import CommonMiddleware
from django.middleware.csrf import CsrfViewMiddleware

from budget import journal
from dpp_project import tracing
from dpp_project.metrics import REQUEST_SECONDS, REQUESTS
from dpp_project.money import ZERO, Micros
from runs.api import body_length, guards, problems, trace
from runs.api.call import Call, call_of
from runs.api.errors import as_problem, problem_response
from runs.api.problems import ProblemError
from runs.api.shown_run import Costs

UNCACHED = "private, no-cache"

AGENTS = "/v1/"

# Their answers tell nothing of the host.
_ASKED_BY_ADDRESS = frozenset({"/healthz", "/readyz", "/metrics"})

_API = "/v1"
_RUNS = "/v1/runs"
# Anybody can invent a method; a metric with a label for each would never stop growing.
_KNOWN_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class ProblemMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._traced(request) if tracing.ON and _is_under(request.path, _API) else self._answer(request)

    def _traced(self, request: HttpRequest) -> HttpResponse:
        """A trace of its own each: a stranger's `traceparent` would decide what of ours is kept."""
        with tracing.span("request", kind="SERVER") as span:
            response = self._answer(request)
            route, method = _labels(request)
            span.name(f"{method} {route}")
            call = call_of(request)
            span.note(
                route=route,
                method=method,
                status_code=response.status_code,
                trace_id=call.trace_id,
                tenant_id=call.tenant.pk if call.tenant else None,
                reason_code=call.problem.reason_code if call.problem else None,
            )
            if response.status_code >= 500:
                span.failed(str(response.status_code))
            return response

    def _answer(self, request: HttpRequest) -> HttpResponse:
        began = time.monotonic()
        call = call_of(request)
        call.trace_id = trace.first_valid(request.headers.get(trace.HEADER))
        if guards.HEAD_TOO_LARGE in request.META:
            long = problems.INVALID_PARAMS.error(f"No header may have more than {guards.MAX_HEADER_CHARS} characters.")
            response = problem_response(request, long)
        elif guards.has_no_length(request.META):
            response = problem_response(request, body_length.required())
        else:
            response = self.get_response(request)
        if _is_under(request.path, _API):
            if response.status_code >= 400 and call.problem is None:
                response = _as_problem(request, response)
            if _is_under(request.path, _RUNS):
                _put_costs(call, response)
            if call.gate is not None:
                _put(response, call.gate.current().headers())
            # Without a word about it an error may be kept and shown again by any cache on the way.
            response.setdefault("Cache-Control", UNCACHED)
            if response.status_code == 304:
                del response["Content-Length"]
        response[trace.HEADER] = call.trace_id
        _measure(request, response, time.monotonic() - began)
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """What a view outside DRF raised."""
        return problem_response(request, as_problem(error)) if _is_under(request.path, _API) else None


def _is_under(path: str, root: str) -> bool:
    return path == root or path.startswith(root + "/")


def _as_problem(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Django's own error pages (no such route, a refused Host, a crash outside the views) become problems."""
    if response.status_code == 404:
        error = as_problem(Http404())
    elif response.status_code >= 500:
        error = problems.INTERNAL_ERROR.error("The request could not be completed.")
    else:
        error = problems.INVALID_PARAMS.error("The request cannot be read.")
    problem = problem_response(request, error)
    for name, value in response.items():
        problem.setdefault(name, value)
    problem["Content-Length"] = str(len(problem.content))
    return problem


def _put_costs(call: Call, response: HttpResponse) -> None:
    # 401 and 404 tell nothing, whatever was found out before. After a 503 the database is not asked again: it may be
    # the one that did not answer, and the caller has waited for it once.
    hidden = call.tenant is None or response.status_code in (401, 404)
    unknown = call.costs is None and response.status_code == 503
    costs = Costs() if hidden or unknown else call.costs or Costs(remaining=_remaining(call))
    _put(response, costs.headers())


def _put(response: HttpResponse, headers: dict[str, str]) -> None:
    for name, value in headers.items():
        response[name] = value


def _remaining(call: Call) -> Micros:
    """An error that concerns a known tenant still tells the balance, if the database can."""
    if call.tenant is None:
        return ZERO
    try:
        return journal.available(call.tenant.pk)
    except (DatabaseError, InterfaceError):
        return ZERO


def _measure(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    route, method = _labels(request)
    REQUESTS.labels(route=route, method=method, status=response.status_code).inc()
    REQUEST_SECONDS.labels(route=route, method=method).observe(seconds)


def _labels(request: HttpRequest) -> tuple[str, str]:
    match = request.resolver_match
    method = request.method if request.method in _KNOWN_METHODS else "other"
    return match.route if match else "unknown", method or "other"


class Hosts(CommonMiddleware):
    def process_request(self, request: HttpRequest) -> HttpResponsePermanentRedirect | None:
        """What is not for us, Django's own refuses."""
        passes = request.path_info in _ASKED_BY_ADDRESS or guards.host_is_ours(request.META)
        return None if passes else super().process_request(request)


class _NotForAgents:
    get_response: Any

    def __call__(self, request: HttpRequest) -> Any:
        if request.path_info.startswith(AGENTS):
            return self.get_response(request)
        return super().__call__(request)  # type: ignore[misc]


class Sessions(_NotForAgents, SessionMiddleware):
    pass


class Csrf(_NotForAgents, CsrfViewMiddleware):
    def process_view(self, request: HttpRequest, *args: Any) -> Any:
        if request.path_info.startswith(AGENTS):
            return None
        try:
            return super().process_view(request, *args)
        except ProblemError as error:
            # It reads the form, the first to do so, and there was no place to read it in (`bodies`).
            return HttpResponse(
                error.detail, status=error.problem.status, headers=error.headers, content_type="text/plain"
            )


class Users(_NotForAgents, AuthenticationMiddleware):
    pass


class Messages(_NotForAgents, MessageMiddleware):
    pass


class Frames(_NotForAgents, XFrameOptionsMiddleware):
    pass


# Everything comes from us, in files: a script that somebody smuggles into a page is not run.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)


class ContentSecurity:
    """A page that needs another policy brings it along."""

    def __init__(self, get_response: Any) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> Any:
        response = self.get_response(request)
        if not request.path_info.startswith(AGENTS):
            response.headers.setdefault("Content-Security-Policy", _POLICY)
        return response
