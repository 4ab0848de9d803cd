"""Every error under /v1 is a problem, and the registry is the only place that declares them."""

import json
from pathlib import Path
from typing import NoReturn

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path
from django.views import View

from dpp_project.urls import urlpatterns as real_urls
from runs.api import problems
from runs.api.errors import as_problem
from runs.api.problems import ANSWERS, RUN_FAILURES, Problem
from runs.states import Reason
from tests.api.caller import Caller, costs, problem
from tests.api.error_page import error_page
from tests.builders import Customer

ERRORS_PAGE = Path(__file__).resolve().parents[2] / "docs" / "errors.md"

# The contract, by status.
_CONTRACT = {
    400: {"INVALID_PARAMS", "SCHEMA_VALIDATION_FAILED"},
    401: {"AUTH_INVALID"},
    402: {"BUDGET_DRAINED", "KEY_BUDGET_DRAINED", "RESERVATION_TOO_SMALL", "RESERVATION_FAILED"},
    403: {"TENANT_SUSPENDED", "KEY_NOT_ALLOWED"},
    404: {"RUN_NOT_FOUND_STEALTH", "ROUTE_NOT_FOUND", "KEY_NOT_FOUND", "WEBHOOK_NOT_FOUND"},
    405: {"METHOD_NOT_ALLOWED"},
    406: {"NOT_ACCEPTABLE"},
    409: {
        "IDEMPOTENCY_CONFLICT",
        "IDEMPOTENCY_IN_PROGRESS",
        "RUN_NOT_CANCELLABLE",
        "RUN_NOT_ENDED",
        "KEY_QUOTA_REACHED",
        "WEBHOOK_DISABLED",
        "WEBHOOK_LIMIT_REACHED",
    },
    410: {"RUN_EXPIRED"},
    411: {"LENGTH_REQUIRED"},
    413: {"PAYLOAD_TOO_LARGE", "UPLOAD_QUOTA_REACHED"},
    415: {"UNSUPPORTED_MEDIA_TYPE"},
    422: {"INVALID_MONEY_SCALE"},
    429: {"RATE_LIMITED", "CONCURRENCY_LIMITED"},
    500: {"INTERNAL_ERROR"},
    503: {
        "QUEUE_ENQUEUE_FAILED",
        "STORAGE_WRITE_FAILED",
        "UPSTREAM_TIMEOUT",
        "DEPENDENCY_UNAVAILABLE",
        "FEATURE_DISABLED",
        "RESULT_UNAVAILABLE",
    },
}


def test_the_registry_is_the_contract() -> None:
    by_status: dict[int, set[str]] = {}
    for entry in ANSWERS.values():
        by_status.setdefault(entry.status, set()).add(entry.reason_code)
    assert by_status == _CONTRACT
    assert set(RUN_FAILURES) == set(Reason.values)


def test_every_declared_problem_is_listed_with_an_imperative_and_a_slug_of_its_own() -> None:
    declared = {value.reason_code: value for value in vars(problems).values() if isinstance(value, Problem)}
    assert declared == {**RUN_FAILURES, **ANSWERS}
    assert len({entry.slug for entry in declared.values()}) == len(declared)
    for entry in declared.values():
        assert entry.next_action.endswith("."), entry.reason_code
        assert entry.retryable or entry.retry_after_sec is None, entry.reason_code


def test_the_end_of_a_run_that_keeps_its_key_never_asks_for_the_same_key_again() -> None:
    """That would only show the failed run again. A run that was never queued has given its key back."""
    assert {code for code, entry in RUN_FAILURES.items() if entry.retry_with == "same_key"} == {"QUEUE_ENQUEUE_FAILED"}
    for entry in ANSWERS.values():
        assert entry.retry_with == "same_key" or not entry.retryable, entry.reason_code


def test_the_page_of_errors_is_fresh() -> None:
    assert ERRORS_PAGE.read_bytes() == error_page(), "docs/errors.md is stale: run `make openapi`"


def test_unknown_routes_are_problems_for_everybody(api: Client, acme: Customer, subtests: pytest.Subtests) -> None:
    for address in ("/v1", "/v1/", "/v1/nothing", "/v1//runs", "/v1/runs/", "/v1/%2e%2e/admin", "/v1/runs/a/b/c"):
        for headers in ({}, acme.headers()):
            with subtests.test(address, authenticated=bool(headers)):
                answer = api.get(address, headers=headers)
                body = problem(answer, 404, "ROUTE_NOT_FOUND")
                assert body["instance"] == answer.wsgi_request.path


def test_wrong_methods_name_the_right_ones(api: Client, subtests: pytest.Subtests) -> None:
    for address, allowed in (
        ("/v1/runs", "GET, HEAD, POST"),
        ("/v1/runs/x", "GET, HEAD, DELETE"),
        ("/v1/runs/x/cancel", "POST"),
        ("/v1/budget", "GET, HEAD"),
    ):
        for method in sorted({"PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "QUIRK"} - set(allowed.split(", "))):
            with subtests.test(address, method=method):
                answer = api.generic(method, address)
                problem(answer, 405, "METHOD_NOT_ALLOWED")
                assert answer.headers["Allow"] == allowed


def test_only_json_is_answered(acme_api: Caller, subtests: pytest.Subtests) -> None:
    for accepted in ("application/json", "*/*", "application/*", "text/html, */*;q=0.1"):
        with subtests.test(accepted=accepted):
            assert acme_api.get("/v1/budget", Accept=accepted).status_code == 200
    for refused in ("text/html", "application/xml", "image/*"):
        with subtests.test(refused=refused):
            problem(acme_api.get("/v1/budget", Accept=refused), 406, "NOT_ACCEPTABLE")


def test_what_django_itself_refuses_is_a_problem(api: Client) -> None:
    answer = api.get("/v1/runs", headers={"Host": "evil.example"})
    problem(answer, 400, "INVALID_PARAMS")
    assert costs(answer) == ("0.0000", "0.0000", "0.0000", "0")


def test_a_missing_or_wrong_key_is_one_answer(api: Client, acme: Customer, subtests: pytest.Subtests) -> None:
    key = acme.api_key
    wrong = {
        "none": {},
        "empty": {"Authorization": ""},
        "another scheme": {"Authorization": f"Basic {key}"},
        "no scheme": {"Authorization": key},
        "wrong checksum": {"Authorization": f"Bearer {key[:-1]}{'a' if key[-1] != 'a' else 'b'}"},
        "too long": {"Authorization": f"Bearer {key}x"},
        "not ascii": {"Authorization": "Bearer dpp_sk_ä"},
    }
    bodies = set()
    for name, headers in wrong.items():
        with subtests.test(name):
            answer = api.get("/v1/runs", headers=headers)
            body = problem(answer, 401, "AUTH_INVALID")
            assert answer.headers["WWW-Authenticate"] == "Bearer"
            assert costs(answer) == ("0.0000", "0.0000", "0.0000", "0")
            assert "X-RateLimit-Limit" not in answer.headers
            bodies.add(answer.content.decode().replace(body["trace_id"], ""))
    assert len(bodies) == 1


class _Crash(View):
    def dispatch(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        raise ZeroDivisionError("the secret inside: dpp_sk_x")


def _crash_in_a_function(request: HttpRequest) -> NoReturn:
    raise RuntimeError("the secret inside: dpp_sk_x")


urlpatterns = [
    path("v1/crash", _Crash.as_view()),
    path("v1/crash-too", _crash_in_a_function),
    *real_urls,
]


@override_settings(ROOT_URLCONF=__name__)
def test_a_crash_says_nothing_of_its_inside(api: Client) -> None:
    for address in ("/v1/crash", "/v1/crash-too"):
        answer = api.get(address)
        problem(answer, 500, "INTERNAL_ERROR")
        assert b"secret" not in answer.content


def test_an_error_nobody_thought_of_is_an_internal_error() -> None:
    assert as_problem(LookupError("x")).problem is problems.INTERNAL_ERROR


def test_the_instance_is_the_path_without_its_query(acme_api: Caller) -> None:
    body = problem(acme_api.get("/v1/runs/nope?token=secret"), 404, "RUN_NOT_FOUND_STEALTH")
    assert body["instance"] == "/v1/runs/nope"
    assert "secret" not in json.dumps(body)
