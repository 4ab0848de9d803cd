"""What every answer under /v1 has in common, over all paths, methods, callers and media types."""

import itertools
import json
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from runs.models import Run
from tests.api.caller import Caller, costs, problem
from tests.api.ended_runs import completed_run, failed_run
from tests.builders import Customer, fresh_key, json_body, on_plan, processing, submitted
from tests.http import Api
from tests.processes import ApiProcess

_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND")
_ZERO = ("0.0000", "0.0000", "0.0000", "0")
# Told to everybody alike, before anybody asks who is calling.
_BEFORE_THE_KEY = {"ROUTE_NOT_FOUND", "METHOD_NOT_ALLOWED", "NOT_ACCEPTABLE"}


@pytest.fixture(autouse=True)
def _patient(acme: Customer) -> None:
    plenty = 1_000_000
    on_plan(acme, poll_rate_per_min=plenty, submit_rate_per_min=plenty)


@pytest.fixture
def paths(acme: Customer, rival: Customer) -> list[str]:
    runs = [submitted(acme), processing(acme), completed_run(acme), submitted(rival)]
    ids = [*(str(run.pk) for run in runs), str(uuid4()), "nonsense"]
    return [
        *("/v1", "/v1/", "/v1/runs", "/v1/runs/", "/v1/nothing", "/v1/budget", "/v1/budget/", "/v1/packs"),
        *("/v1/openapi.json", "/v1/runs//cancel", "/v1/runs?limit=0", "/v1/runs?cursor=x"),
        *(f"/v1/runs/{run_id}{action}" for run_id in ids for action in ("", "/", "/cancel", "/cancel/", "/other")),
    ]


def test_every_answer_keeps_the_contract(api: Client, acme: Customer, paths: list[str]) -> None:
    callers = {"nobody": {}, "somebody": {"Authorization": "Bearer dpp_sk_x"}, "acme": acme.headers()}
    seen: set[tuple[int, str]] = set()
    for path, method, (caller, key), accept in itertools.product(
        paths, _METHODS, callers.items(), ("application/json", "text/html")
    ):
        headers = {**key, "Accept": accept, "X-Trace-Id": "trace-1", "Idempotency-Key": fresh_key()}
        answer = api.generic(method, path, b"{", content_type="application/json", headers=headers)
        try:
            seen.add((answer.status_code, check(answer, method, path, is_known=caller == "acme")))
        except (AssertionError, KeyError) as error:
            raise AssertionError(f"{method} {path} by {caller}, {accept}: {answer.status_code}") from error
    assert {status for status, _ in seen} >= {200, 202, 400, 401, 404, 405, 406, 409}


def check(answer: Any, method: str, path: str, *, is_known: bool) -> str:
    assert answer.status_code < 500
    assert answer.headers["X-Trace-Id"] == "trace-1"
    assert answer.headers["Cache-Control"]
    reason = ""
    if answer.status_code >= 400:
        assert answer.headers["Content-Type"] == "application/problem+json"
        if method != "HEAD":
            reason = json.loads(answer.content)["reason_code"]
            problem(answer, answer.status_code, reason)
    if method == "HEAD":
        assert answer.content == b""
        return reason
    if path.startswith("/v1/runs"):
        told = costs(answer)
        if answer.status_code in (401, 404) or not is_known:
            assert told == _ZERO
        elif reason not in _BEFORE_THE_KEY:
            assert told[2] != "0.0000"
    assert ("WWW-Authenticate" in answer.headers) == (answer.status_code == 401)
    assert ("Allow" in answer.headers) == (answer.status_code == 405)
    is_told_limits = is_known and reason not in _BEFORE_THE_KEY and path != "/v1/openapi.json"
    for name in ("Limit", "Remaining", "Reset"):
        assert (f"X-RateLimit-{name}" in answer.headers) == is_told_limits, name
    return reason


def test_body_and_headers_agree_in_every_state(acme_api: Caller, acme: Customer) -> None:
    runs = [submitted(acme), processing(acme), completed_run(acme), failed_run(acme, "PACK_FAILED")]  # type: ignore[arg-type]
    for run in runs:
        answer = acme_api.get(f"/v1/runs/{run.pk}")
        cost = json.loads(answer.content)["cost"]
        assert costs(answer)[:3] == (cost["reserved_usd"], cost["used_usd"], cost["budget_remaining_usd"])


def test_a_body_is_json_and_says_so(acme_api: Caller, subtests: pytest.Subtests) -> None:
    for mime in ("application/json", "application/json; charset=utf-8", "Application/JSON"):
        with subtests.test(taken=mime):
            answer = acme_api.post("/v1/runs", json_body(), mime=mime, **{"Idempotency-Key": fresh_key()})
            assert answer.status_code == 202
    for mime in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "json", "*/*"):
        with subtests.test(refused=mime):
            answer = acme_api.post("/v1/runs", json_body(), mime=mime, **{"Idempotency-Key": fresh_key()})
            problem(answer, 415, "UNSUPPORTED_MEDIA_TYPE")
    for coding in ("gzip", "br", "identity, gzip", "x"):
        with subtests.test(coding=coding):
            problem(acme_api.submit(**{"Content-Encoding": coding}), 415, "UNSUPPORTED_MEDIA_TYPE")
    assert Run.objects.count() == 3


def test_a_cancel_needs_no_body_and_reads_none(acme_api: Caller, acme: Customer) -> None:
    for body, mime in (("", "application/json"), ("{", "application/json"), ("x=1", "text/plain")):
        run = submitted(acme)
        assert acme_api.post(f"/v1/runs/{run.pk}/cancel", body, mime=mime).status_code == 202


def test_the_server_keeps_the_headers_of_the_contract(live_api: ApiProcess, acme: Customer) -> None:
    """What granian sends, not only what Django says."""
    caller = Api(live_api.url, acme)
    answer = caller.submit(json.loads(json_body()), key=fresh_key())
    assert answer.headers["Location"] == answer.json["poll"]["href"]
    for name in ("X-DPP-Cost-Reserved", "X-DPP-Budget-Remaining", "X-RateLimit-Reset", "X-Trace-Id"):
        assert len(answer.headers.get_all(name) or []) == 1, name
    missing = caller.get(f"/v1/runs/{uuid4()}")
    assert (missing.status, missing.headers["Content-Type"]) == (404, "application/problem+json")
    assert missing.headers["Content-Length"] == str(len(missing.text.encode()))
