"""The short way to the answer of a poll: a plain GET of a run, by a caller who was here a moment ago.

It stands before Django and gives the answer that `RunView` would give, by the same rules, for an eighth of the work.
What is not that plain (an expired run, a query, an unknown key, a limit reached, a server that does not answer) goes on
to Django, which answers everything; the caller is counted once either way.
"""

import logging
import re
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import psycopg
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.middleware.security import SecurityMiddleware

from dpp_project import clock, tracing
from dpp_project.batching import NoAnswer
from dpp_project.dependency import begin_request
from dpp_project.metrics import QUICK_POLLS, REQUEST_SECONDS, REQUESTS
from runs.access import api_keys, switches
from runs.access.limits import Gate
from runs.access.switches import Switch
from runs.api import guards, polled_runs, trace
from runs.api.api_view import is_known
from runs.api.authentication import GATE
from runs.api.middleware import AGENTS, UNCACHED
from runs.api.runs import RUN_ROUTE
from runs.api.shown_run import is_expired
from storage.exceptions import StorageError

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

log = logging.getLogger("dpp.poll_lane")

_PATH = re.compile(r"/v1/runs/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})", re.ASCII)
_PAGES_TOTAL_SEC = 20.0
# What the usual clients send.
_ACCEPTED = frozenset({"*/*", "application/json", "application/json, text/plain, */*"})


class PollLane:
    def __init__(self, django: "WSGIApplication") -> None:
        self._django = django
        polled_runs.OWN_RUNS.open()
        self._standing_headers = _standing_headers()
        self._seconds = REQUEST_SECONDS.labels(route=RUN_ROUTE, method="GET")
        self._answers = {code: REQUESTS.labels(route=RUN_ROUTE, method="GET", status=code) for code in (200, 304)}

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        began = time.monotonic()
        guards.bound_head(environ)
        # People's pages may ask for more, and their queries take longer.
        begin_request(total_sec=None if environ["PATH_INFO"].startswith(AGENTS) else _PAGES_TOTAL_SEC)
        headers: dict[str, str] = {**self._standing_headers}
        try:
            body = _answer(environ, headers)
        except Exception:
            log.exception("poll_lane_failed")
            body = None
        if body is None:
            return self._django(environ, start_response)
        code = 200 if body else 304
        start_response("200 OK" if body else "304 Not Modified", list(headers.items()))
        QUICK_POLLS.inc()
        self._answers[code].inc()
        self._seconds.observe(time.monotonic() - began)
        return [body]


def _answer(environ: "WSGIEnvironment", headers: dict[str, str]) -> bytes | None:
    """The body, empty if the caller knows it, and its headers. None: not for this lane."""
    path = _PATH.fullmatch(environ["PATH_INFO"]) if environ["REQUEST_METHOD"] == "GET" else None
    if path is None or not _is_plain(environ):
        return None
    now = clock.now()
    key = guards.recent_key(environ, now=now)
    # A use that is not noted yet is noted by Django's way.
    if key is None or not guards.is_allowed_address(key, environ) or not api_keys.is_touched(key, now=now):
        return None
    gate = environ[GATE] = Gate(key.tenant)
    try:
        row = polled_runs.LOOKS.ask(polled_runs.Poll(gate, path[1], key.tenant.pk))
    except (psycopg.Error, NoAnswer):
        return None
    if row is None or gate.verdict is None:
        return None
    try:
        polled = polled_runs.polled_run(row)
        if is_expired(polled.run, now=now):
            return None
        body, etag = polled.answer(now=now)
    except StorageError:
        # Django's way says it as a problem.
        return None
    headers |= polled.cost_headers
    headers |= gate.verdict.headers()
    headers["Cache-Control"] = UNCACHED
    headers[trace.HEADER] = trace.first_valid(environ.get("HTTP_X_TRACE_ID"))
    if etag:
        headers["ETag"] = etag
        known = environ.get("HTTP_IF_NONE_MATCH")
        if known and is_known(etag, known):
            return b""
    headers["Content-Type"] = "application/json"
    headers["Content-Length"] = str(len(body))
    return body


def _is_plain(environ: "WSGIEnvironment") -> bool:
    """Nothing that has to be looked at more closely, and nothing switched on that only Django's way knows."""
    return (
        not environ.get("QUERY_STRING")
        and guards.HEAD_TOO_LARGE not in environ
        and environ.get("HTTP_ACCEPT", "*/*") in _ACCEPTED
        and not guards.has_body(environ)
        and guards.came_over_tls(environ)
        and guards.host_is_ours(environ)
        and not tracing.ON
        and switches.is_known_on(Switch.KILL_POLL_MICROCOST)
    )


def _standing_headers() -> dict[str, str]:
    """What Django puts on every answer, asked once."""
    request = HttpRequest()
    request.META = {"SERVER_NAME": "localhost", "SERVER_PORT": "443"}
    if settings.SECURE_PROXY_SSL_HEADER:
        name, value = settings.SECURE_PROXY_SSL_HEADER
        request.META[name] = value
    response: Any = SecurityMiddleware(lambda _: HttpResponse())(request)
    del response["Content-Type"]
    return dict(response.items())
