"""From exceptions to problem responses: the only place that knows which domain error is which HTTP answer."""

import json
import logging
from typing import Any

import redis
from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.db import DatabaseError, InterfaceError
from django.http import Http404, HttpRequest, HttpResponse
from rest_framework import exceptions as drf

from budget.exceptions import InsufficientFunds, LedgerError, ReservationTaken
from dpp_project.logging import fields
from dpp_project.money import ZERO, format_usd
from runs.api import problems
from runs.api.problems import ProblemError
from runs.exceptions import (
    EnqueueFailed,
    IdempotencyConflict,
    IdempotencyInProgress,
    OutcomeUnknown,
    RunExpired,
    RunNotCancellable,
    RunNotFound,
)
from storage.exceptions import ObjectDamaged, ObjectMissing, StorageError

log = logging.getLogger("dpp.api")

PROBLEM_JSON = "application/problem+json"


def to_problem_response(error: Exception, context: dict[str, Any]) -> HttpResponse:
    """DRF's exception handler."""
    return problem_response(context["request"]._request, as_problem(error))


def problem_response(request: HttpRequest, error: ProblemError) -> HttpResponse:
    problem = error.problem
    extensions: dict[str, Any] = {
        "reason_code": problem.reason_code,
        "trace_id": getattr(request, "trace_id", ""),
        "retryable": problem.retryable,
        "retry_after_sec": problem.retry_after_sec,
        "charged_usd": format_usd(ZERO),
        "next_action": problem.next_action,
        **error.extra,
    }
    body = {
        "type": settings.PROBLEM_TYPE_BASE + problem.slug,
        "title": problem.title,
        "status": problem.status,
        "detail": error.detail,
        "instance": request.path,
        **extensions,
        "extensions": extensions,
    }
    # The middleware looks for it: such an answer is complete but for its cost headers.
    request.problem = error  # type: ignore[attr-defined]
    return HttpResponse(
        json.dumps(body, ensure_ascii=False),
        status=problem.status,
        content_type=PROBLEM_JSON,
        headers=error.headers,
    )


def as_problem(error: Exception) -> ProblemError:
    match error:
        case ProblemError():
            return error
        case InsufficientFunds():
            return problems.BUDGET_DRAINED.error(
                f"The run needs {format_usd(error.required)} USD, {format_usd(error.available)} USD are available.",
                balance_remaining=format_usd(error.available),
                reservation_required=format_usd(error.required),
            )
        case ReservationTaken():
            return problems.RESERVATION_FAILED.error("The money for this run could not be held.")
        case IdempotencyConflict():
            return problems.IDEMPOTENCY_CONFLICT.error(
                "This Idempotency-Key belongs to a request with another payload."
            )
        case IdempotencyInProgress():
            return problems.IDEMPOTENCY_IN_PROGRESS.error("A request with this Idempotency-Key has not finished yet.")
        case EnqueueFailed():
            return problems.QUEUE_ENQUEUE_FAILED.error(
                "The run was not queued and nothing was charged. The key is free again.",
                run_id=str(error.run_id),
            )
        case RunNotFound():
            return problems.RUN_NOT_FOUND_STEALTH.error("No run with this id belongs to the caller.")
        case RunExpired():
            return problems.RUN_EXPIRED.error(
                "The result was kept for its retention time and has been deleted.", run_id=str(error.run_id)
            )
        case RunNotCancellable():
            return problems.RUN_NOT_CANCELLABLE.error(
                "The run has ended or its end is being settled.", run_id=str(error.run_id)
            )
        case ObjectMissing() | ObjectDamaged():
            log.error("result_unavailable", extra=fields(error=type(error).__name__))
            return problems.RESULT_UNAVAILABLE.error("The stored result cannot be read as it was written.")
        case StorageError():
            return problems.STORAGE_WRITE_FAILED.error("Object storage does not answer.")
        case LedgerError() | OutcomeUnknown() | redis.RedisError() | DatabaseError() | InterfaceError():
            log.error("dependency_unavailable", extra=fields(error=type(error).__name__), exc_info=error)
            return problems.DEPENDENCY_UNAVAILABLE.error("The request could not be completed just now.")
        case Http404():
            return problems.ROUTE_NOT_FOUND.error("Nothing is served under this path.")
        case drf.MethodNotAllowed():
            return problems.METHOD_NOT_ALLOWED.error("The method is not allowed for this path.")
        case drf.NotAcceptable():
            return problems.NOT_ACCEPTABLE.error("None of the accepted media types can be answered.")
        case drf.UnsupportedMediaType():
            return problems.UNSUPPORTED_MEDIA_TYPE.error("The body's media type is not application/json.")
        case RequestDataTooBig():
            return problems.PAYLOAD_TOO_LARGE.error("The body is larger than allowed.")
        case drf.ParseError() | PermissionDenied():
            return problems.INVALID_PARAMS.error("The request cannot be read.")
        case _:
            log.error("unhandled_error", extra=fields(error=type(error).__name__), exc_info=error)
            return problems.INTERNAL_ERROR.error("The request could not be completed.")
