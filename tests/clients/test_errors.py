"""Each reason code is a class, and says whether and with which key to repeat; the client obeys it."""

from typing import Any

import httpx
import pytest

from dpp_client import ApiProblem, ConnectionFailed, DppError, Retries, UnexpectedAnswer, reasons
from dpp_client.exchange import Send, as_json, exchange, refusal
from runs.api.problems import ANSWERS, RUN_FAILURES, Problem
from tests.api.caller import OPENAPI
from tests.clients.generated_modules import class_name, client_modules
from tests.processes import CLONE

_EVERY_PROBLEM = [*ANSWERS.values(), *RUN_FAILURES.values()]


def document(problem: Problem) -> dict[str, Any]:
    return {
        "reason_code": problem.reason_code,
        "status": problem.status,
        "title": problem.title,
        "detail": problem.title,
        "next_action": problem.next_action,
        "retryable": problem.retryable,
        "retry_with": problem.retry_with,
        "retry_after_sec": problem.retry_after_sec,
    }


def answer(problem: Problem) -> httpx.Response:
    media = {"Content-Type": "application/problem+json"}
    return httpx.Response(problem.status, json=document(problem), headers=media)


@pytest.mark.parametrize("path", client_modules(OPENAPI.read_bytes()))
def test_what_follows_from_the_contract_is_current(path: str) -> None:
    assert (CLONE / path).read_bytes() == client_modules(OPENAPI.read_bytes())[path], f"{path}: run `make openapi`"


@pytest.mark.parametrize("problem", _EVERY_PROBLEM, ids=lambda problem: f"{problem.status} {problem.reason_code}")
def test_each_reason_code_is_a_class(problem: Problem) -> None:
    error = refusal(answer(problem))
    assert type(error) is getattr(reasons, class_name(problem.reason_code))
    assert isinstance(error, ApiProblem)
    assert (error.reason_code, error.status, str(error)) == (problem.reason_code, problem.status, problem.title)
    assert (error.retryable, error.retry_with) == (problem.retryable, problem.retry_with)
    assert (error.retry_after_sec, error.next_action) == (problem.retry_after_sec, problem.next_action)


@pytest.mark.parametrize("problem", _EVERY_PROBLEM, ids=lambda problem: f"{problem.status} {problem.reason_code}")
def test_only_what_the_same_key_may_repeat_is_repeated(problem: Problem) -> None:
    attempts, error = performed([answer(problem)] * 3)
    repeats = problem.retryable and problem.retry_with == "same_key" and (problem.retry_after_sec or 0) <= 60
    assert attempts == (3 if repeats else 1)
    assert type(error) is getattr(reasons, class_name(problem.reason_code))


def test_a_code_that_is_newer_than_the_client_is_a_problem_all_the_same() -> None:
    body = {"reason_code": "NEVER_HEARD_OF", "status": 400, "title": "New", "retryable": False, "retry_with": "none"}
    error = refusal(httpx.Response(400, json=body, headers={"Content-Type": "application/problem+json"}))
    assert type(error) is ApiProblem
    assert (error.reason_code, error.retry_with) == ("NEVER_HEARD_OF", "none")


@pytest.mark.parametrize(
    ("given", "attempts"),
    [
        (httpx.Response(502, text="<html>Bad gateway"), 3),
        (httpx.Response(404, text="<html>Not found"), 1),
        (httpx.Response(302, headers={"Location": "http://elsewhere"}), 1),
        (httpx.Response(202, text='{"run_id": "cut o'), 3),
        (httpx.Response(400, text="{", headers={"Content-Type": "application/problem+json"}), 1),
    ],
    ids=["a proxy's page", "another service", "a redirect", "a cut receipt", "a cut problem"],
)
def test_an_answer_that_the_api_does_not_give_is_told_apart(given: httpx.Response, attempts: int) -> None:
    seen, error = performed([given] * 3)
    assert isinstance(error, UnexpectedAnswer)
    assert seen == attempts


def test_no_answer_is_repeated_and_then_told() -> None:
    attempts, error = performed([httpx.ConnectError("refused"), httpx.ReadTimeout(""), httpx.ReadError("reset")])
    assert isinstance(error, ConnectionFailed)
    assert attempts == 3
    assert str(error) == "POST http://service/v1/runs: reset"


def performed(outcomes: list[httpx.Response | httpx.RequestError]) -> tuple[int, DppError]:
    """How many attempts were made with three allowed, and how it ended."""
    flow = exchange(Send("POST", "http://service/v1/runs?secret=1"), Retries(attempts=3), read=as_json)
    attempts = 0
    step = next(flow)
    try:
        while True:
            if isinstance(step, Send):
                outcome = outcomes[attempts]
                attempts += 1
                step = flow.throw(outcome) if isinstance(outcome, httpx.RequestError) else flow.send(outcome)
            else:
                step = flow.send(None)
    except DppError as error:
        return attempts, error
