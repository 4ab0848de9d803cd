"""Every operation of the API, as its view is decorated with."""

from collections.abc import Callable
from typing import Any, TypeVar

from drf_spectacular.utils import extend_schema

from runs.api import problems
from runs.api.errors import PROBLEM_JSON
from runs.api.openapi import examples, headers, parameters
from runs.api.openapi.answer_schemas import ref
from runs.api.problems import Problem

F = TypeVar("F", bound=Callable[..., Any])

JSON = "application/json"

_ALWAYS = (problems.METHOD_NOT_ALLOWED, problems.NOT_ACCEPTABLE, problems.INTERNAL_ERROR)
_AUTHENTICATED = (problems.AUTH_INVALID, problems.RATE_LIMITED, problems.DEPENDENCY_UNAVAILABLE)
_ONE_RUN = (problems.RUN_NOT_FOUND_STEALTH, problems.RUN_EXPIRED)

# Extra headers of a problem, by its status.
_PROBLEM_HEADERS = {
    401: ("WWW-Authenticate",),
    405: ("Allow",),
    409: ("Retry-After",),
    429: ("Retry-After",),
    503: ("Retry-After",),
}


class Operation:
    """Decorates a view's method with its description."""

    def __init__(
        self,
        name: str,
        *,
        summary: str,
        description: str,
        answers: dict[int, dict[str, Any]],
        problems: tuple[Problem, ...] = (),
        inputs: tuple[str, ...] = (),
        body: dict[str, Any] | None = None,
        is_open: bool = False,
        shows_costs: bool = False,
    ) -> None:
        limits = () if is_open else headers.LIMITS
        costs = headers.COSTS if shows_costs else ()
        known = (*_ALWAYS, *problems) if is_open else (*_ALWAYS, *_AUTHENTICATED, *problems)
        told = headers.TRACE + limits + costs
        self.document: dict[str, Any] = {
            "operationId": name,
            "summary": summary,
            "description": description,
            "security": [] if is_open else [{"ApiKey": []}],
            "parameters": parameters.refs((*inputs, "trace_id")),
            "responses": {
                **{str(status): _with_headers(answer, told) for status, answer in answers.items()},
                **_problem_answers(known, limits=limits, costs=costs),
            },
        }
        if body is not None:
            self.document["requestBody"] = body

    def __call__(self, method: F) -> F:
        return extend_schema(operation=self.document)(method)


def answer(
    description: str,
    schema: str,
    shown: list[str],
    *,
    more: tuple[str, ...] = (),
    links: dict[str, dict[str, Any]] | None = None,
) -> dict[str, Any]:
    response: dict[str, Any] = {
        "description": description,
        "headers": headers.refs(more),
        "content": {JSON: {"schema": ref(schema), "examples": examples.refs(shown)}},
    }
    return {**response, "links": links} if links else response


def _links_to_run(*operations: str) -> dict[str, dict[str, Any]]:
    """What can be done next with the run that an answer tells of."""
    return {name: {"operationId": name, "parameters": {"run_id": "$response.body#/run_id"}} for name in operations}


def _with_headers(response: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {**response, "headers": {**headers.refs(names), **response.get("headers", {})}}


def _problem_answers(
    known: tuple[Problem, ...], *, limits: tuple[str, ...], costs: tuple[str, ...]
) -> dict[str, dict[str, Any]]:
    responses = {}
    for status in sorted({problem.status for problem in known}):
        codes = [problem.reason_code for problem in known if problem.status == status]
        # Whoever is not known has no limits to be told of; nor has a request that was refused before.
        told = limits if status not in (401, 405, 406, 429, 500, 503) else ()
        names = headers.TRACE + told + costs + _PROBLEM_HEADERS.get(status, ())
        responses[str(status)] = {
            "description": " · ".join(codes),
            "headers": headers.refs(names),
            "content": {PROBLEM_JSON: {"schema": ref("Problem"), "examples": examples.refs(codes)}},
        }
    return responses


SUBMIT_RUN = Operation(
    "submitRun",
    summary="Submit a run",
    description=(
        "Checks the inputs, holds `max_cost_usd`, queues the run. Repeating the request with the same "
        "Idempotency-Key is safe at any time: the answer is the same receipt."
    ),
    inputs=("idempotency_key",),
    body={
        "required": True,
        "content": {
            JSON: {"schema": ref("RunRequest"), "examples": examples.refs(["CanonicalRequest", "FlatRequest"])}
        },
    },
    answers={
        202: answer(
            "Accepted, or accepted before.",
            "Receipt",
            ["Receipt"],
            more=("Location", "Idempotent-Replayed"),
            links=_links_to_run("getRun", "cancelRun", "streamRunEvents"),
        )
    },
    problems=(
        problems.INVALID_PARAMS,
        problems.SCHEMA_VALIDATION_FAILED,
        problems.BUDGET_DRAINED,
        problems.RESERVATION_FAILED,
        problems.TENANT_SUSPENDED,
        problems.IDEMPOTENCY_CONFLICT,
        problems.IDEMPOTENCY_IN_PROGRESS,
        problems.PAYLOAD_TOO_LARGE,
        problems.UNSUPPORTED_MEDIA_TYPE,
        problems.INVALID_MONEY_SCALE,
        problems.CONCURRENCY_LIMITED,
        problems.QUEUE_ENQUEUE_FAILED,
        problems.STORAGE_WRITE_FAILED,
        problems.UPSTREAM_TIMEOUT,
        problems.FEATURE_DISABLED,
    ),
    shows_costs=True,
)
LIST_RUNS = Operation(
    "listRuns",
    summary="List runs",
    description="The tenant's own runs, newest first.",
    inputs=("status", "pack_type", "created_after", "created_before", "cursor", "limit"),
    answers={200: answer("One page.", "RunList", ["RunList"])},
    problems=(problems.INVALID_PARAMS,),
    shows_costs=True,
)
GET_RUN = Operation(
    "getRun",
    summary="Read a run",
    description=(
        "State, cost and, once there is one, the result. With `wait` the answer is held until something changes. "
        "No such run, another tenant's and a malformed id are one and the same answer."
    ),
    inputs=("run_id", "wait", "if_none_match"),
    answers={
        200: answer(
            "The run.",
            "Run",
            ["QueuedRun", "CompletedRun", "FailedRun"],
            more=("ETag",),
            links=_links_to_run("getRun", "cancelRun"),
        ),
        304: {"description": "The run is live and as it was.", "headers": headers.refs(("ETag",))},
    },
    problems=(*_ONE_RUN, problems.INVALID_PARAMS, problems.RESULT_UNAVAILABLE, problems.STORAGE_WRITE_FAILED),
    shows_costs=True,
)
CANCEL_RUN = Operation(
    "cancelRun",
    summary="Cancel a run",
    description=(
        "A queued run ends at once and costs nothing. A running one stops at its next step and costs the minimum fee; "
        "read it until it has ended. May be repeated."
    ),
    inputs=("run_id",),
    answers={202: answer("The run as it is now.", "Run", ["CancelledRun"], links=_links_to_run("getRun", "cancelRun"))},
    problems=(*_ONE_RUN, problems.RUN_NOT_CANCELLABLE),
    shows_costs=True,
)
STREAM_EVENTS = Operation(
    "streamRunEvents",
    summary="Listen to a run",
    description=(
        "Server-Sent Events: `id` is a sequence number, `event` the stage, `data` JSON. Ends after the terminal event. "
        "A broken stream resumes with Last-Event-ID: nothing twice, nothing missing. "
        "Without a number the present state comes first; `last_seq=0` replays from the beginning."
    ),
    inputs=("run_id", "last_event_id", "last_seq"),
    answers={
        200: {"description": "The stream.", "content": {"text/event-stream": {"schema": ref("RunEvent")}}},
        204: {"description": "The run has ended and the caller has seen all of it."},
    },
    problems=(*_ONE_RUN, problems.DEPENDENCY_UNAVAILABLE),
    shows_costs=True,
)
GET_BUDGET = Operation(
    "getBudget",
    summary="Read the budget",
    description="What can be spent, what is held, and what this month has cost.",
    answers={200: answer("The budget.", "Budget", ["Budget"])},
)
LIST_PACKS = Operation(
    "listPacks",
    summary="List packs",
    description="What can be bought: each pack's input schema and the prices of what it may spend.",
    answers={200: answer("All packs.", "PackList", [])},
)
GET_OPENAPI = Operation(
    "getOpenApi",
    summary="This document",
    description="OpenAPI 3.1.",
    answers={
        200: {
            "description": "OpenAPI.",
            "content": {JSON: {"schema": {"type": "object"}}},
        }
    },
    is_open=True,
)
HEALTH = Operation(
    "health",
    summary="Does the process live?",
    description="Asks nothing of anything else.",
    answers={200: answer("It does.", "Health", [])},
    is_open=True,
)
READY = Operation(
    "ready",
    summary="Does everything it needs answer?",
    description="Database, Redis, S3 and SQS, each with its latency.",
    answers={
        200: answer("Everything does.", "Readiness", ["Ready"]),
        503: answer("`down` names what does not.", "Readiness", ["NotReady"]),
    },
    is_open=True,
)

METRICS: dict[str, Any] = {
    "operationId": "metrics",
    "summary": "Metrics for Prometheus",
    "description": "Of all processes of this machine.",
    "security": [],
    "responses": {"200": {"description": "Text format.", "content": {"text/plain": {"schema": {"type": "string"}}}}},
}
