"""The short way to the answer of a poll: a plain GET of a live run, by a caller who was here a moment ago.

It stands before Django and gives the answer that `RunView` would give, by the same rules, for a fifth of the work.
What is not that plain (an ended run, a query, an unknown key, a limit reached, a server that does not answer) goes on
to Django, which answers everything; the caller is counted once either way.
"""

import functools
import logging
import re
import time
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

import psycopg
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port, validate_host
from django.middleware.security import SecurityMiddleware
from django.utils import timezone
from django.utils.http import parse_etags

from dpp_project import tracing
from dpp_project.metrics import QUICK_POLLS, REQUEST_SECONDS, REQUESTS
from dpp_project.money import Micros
from dpp_project.postgresql.lookup import Lookup, Row
from dpp_project.sharing import NoAnswer, SharedCalls
from runs import keys, switches
from runs.api import render, trace
from runs.api.auth import GATE, bearer
from runs.api.costs import Costs
from runs.api.middleware import UNCACHED
from runs.buckets import Answer
from runs.limits import Gate, ask_to_poll
from runs.states import LIVE
from runs.switches import Switch

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

log = logging.getLogger("dpp.poll_lane")

ROUTE = "v1/runs/<str:run_id>"

_PATH = re.compile(r"/v1/runs/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})", re.ASCII)
_ACCEPTED = frozenset({"*/*", "application/json"})


class _Run(NamedTuple):
    """What is shown of a live run."""

    pk: UUID
    pack_type: str
    money_state: str
    progress: float
    minimum_fee_usd_micros: int
    created_at: datetime
    updated_at: datetime
    trace_id: str
    profile_version: str
    retention_until: datetime

    @classmethod
    def of(cls, *texts: str) -> "_Run":
        run_id, pack_type, money_state, progress, fee, created_at, updated_at, trace_id, profile_version, until = texts
        return cls(
            UUID(run_id),
            pack_type,
            money_state,
            float(progress),
            int(fee),
            datetime.fromisoformat(created_at),
            datetime.fromisoformat(updated_at),
            trace_id,
            profile_version,
            datetime.fromisoformat(until),
        )


class _Shown(NamedTuple):
    """A row, ready to be sent."""

    body: bytes
    etag: str
    costs: dict[str, str]
    until: datetime
    """The retention's end."""


# Chosen by measurement: one call at a time, shared by all who wait, answers more polls than two or four side by side.
_CALLS_AT_A_TIME = 1
_MOST_IN_A_CALL = 64
# Behind a call that hangs. Django has connections of its own.
_PATIENCE_SEC = 1.0

_OWN_RUNS = Lookup(
    "dpp_polls",
    """
    SELECT number, own.*
    FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS asked (run_id, tenant_id, number),
    LATERAL (
    SELECT status, reservation_max_cost_usd_micros, coalesce(available_usd_micros, 0), tokens_consumed,
           run_id, pack_type, money_state, progress, minimum_fee_usd_micros, created_at, updated_at, trace_id,
           profile_version, retention_until
    FROM runs LEFT JOIN tenant_balances USING (tenant_id)
    WHERE runs.run_id = asked.run_id AND runs.tenant_id = asked.tenant_id
    LIMIT 1
    ) AS own
    """,
    connections=_CALLS_AT_A_TIME,
)


class _Poll(NamedTuple):
    gate: Gate
    run_id: str
    tenant_id: str


def _look(polls: Sequence[_Poll]) -> list[Row | None]:
    """The rows of those that are within their limits."""
    ask_to_poll([poll.gate for poll in polls])
    admitted = [
        number for number, poll in enumerate(polls) if poll.gate.verdict and poll.gate.verdict.answer == Answer.OK
    ]
    rows: list[Row | None] = [None] * len(polls)
    if admitted:
        found = _OWN_RUNS([polls[number][1:] for number in admitted])
        for number, row in zip(admitted, found, strict=True):
            rows[number] = row
    return rows


_LOOKS = SharedCalls(_look, lines=_CALLS_AT_A_TIME, most=_MOST_IN_A_CALL, patience_sec=_PATIENCE_SEC)


class PollLane:
    def __init__(self, django: "WSGIApplication") -> None:
        self._django = django
        _OWN_RUNS.open()
        self._standing_headers = _standing_headers()
        self._seconds = REQUEST_SECONDS.labels(route=ROUTE, method="GET")
        self._answers = {code: REQUESTS.labels(route=ROUTE, method="GET", status=code) for code in (200, 304)}

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        began = time.monotonic()
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
    now = timezone.now()
    key = keys.find_cached(bearer(environ.get("HTTP_AUTHORIZATION", "")), now=now)
    if key is None or not keys.is_touched(key, now=now):
        return None
    gate = environ[GATE] = Gate(key.tenant)
    try:
        row = _LOOKS.ask(_Poll(gate, path[1], key.tenant.pk))
    except (psycopg.Error, NoAnswer):
        return None
    shown = _shown(row) if row else None
    if shown is None or shown.until <= now or gate.verdict is None:
        return None
    headers |= shown.costs
    headers |= gate.verdict.headers()
    headers["ETag"] = shown.etag
    headers["Cache-Control"] = UNCACHED
    headers[trace.HEADER] = trace.first_valid(environ.get("HTTP_X_TRACE_ID"))
    known = environ.get("HTTP_IF_NONE_MATCH")
    if known and {shown.etag, "*"} & set(parse_etags(known)):
        return b""
    headers["Content-Type"] = "application/json"
    headers["Content-Length"] = str(len(shown.body))
    return shown.body


@functools.lru_cache(maxsize=4096)
def _shown(row: Row) -> _Shown | None:
    """None for a run that has ended. Kept for the very same row: a run is asked for more often than it changes."""
    status, reserved, available, tokens, *of_run = ((value or b"").decode() for value in row)
    if status not in LIVE:
        return None
    run = _Run.of(*of_run)
    # Nothing is used until a run has ended.
    costs = Costs(reserved=Micros(int(reserved)), remaining=Micros(int(available)), tokens=int(tokens))
    body, etag = render.live_status(run, costs, status=status)
    return _Shown(body, etag, costs.headers(), run.retention_until)


def _is_plain(environ: "WSGIEnvironment") -> bool:
    """Nothing that has to be looked at more closely, and nothing switched on that only Django's way knows."""
    return (
        not environ.get("QUERY_STRING")
        and environ.get("HTTP_ACCEPT", "*/*") in _ACCEPTED
        and _is_secure(environ)
        and _is_our_host(environ.get("HTTP_HOST", ""))
        and not tracing.ON
        and switches.is_known_on(Switch.KILL_POLL_MICROCOST)
    )


def _is_secure(environ: "WSGIEnvironment") -> bool:
    """In production only what the proxy says came over TLS; Django sends the rest there."""
    if not settings.SECURE_PROXY_SSL_HEADER:
        return True
    name, value = settings.SECURE_PROXY_SSL_HEADER
    return bool(environ.get(name) == value)


@functools.lru_cache(maxsize=64)
def _is_our_host(host: str) -> bool:
    domain, _ = split_domain_port(host)
    return bool(domain) and validate_host(domain, settings.ALLOWED_HOSTS)


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
