"""From exceptions to problem responses: the only place that knows which domain error is which HTTP answer."""

import logging
from typing import Any

import redis
from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import DatabaseError, DataError, IntegrityError, InterfaceError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from rest_framework import exceptions as drf

from budget.exceptions import InsufficientFunds, LedgerError, ReservationTaken, SpendingFrozen
from dpp_project.logging import fields
from dpp_project.money import ZERO, format_usd
from dpp_project.profile import PROFILE
from runs.access.limits import RateLimited, TooManyRuns
from runs.access.switches import FeatureDisabled
from runs.api import problems
from runs.api.call import Call, call_of
from runs.api.json_bodies import json_bytes
from runs.api.problems import ProblemError
from runs.api.serializers.problem import problem_document
from runs.api.shown_run import Costs
from runs.exceptions import (
    EnqueueFailed,
    IdempotencyConflict,
    IdempotencyInProgress,
    KeyBudgetDrained,
    OutcomeUnknown,
    QuoteExpired,
    ReservationTooSmall,
    RunExpired,
    RunNotCancellable,
    RunNotEnded,
    RunNotFound,
    TooManyWebhooks,
    UploadQuotaReached,
    WebhookDisabled,
    WebhookDisabledByOperator,
    WebhookNotFound,
)
from runs.lifecycle.queue import SendFailed
from storage.exceptions import ObjectDamaged, ObjectMissing, StorageError

log = logging.getLogger("dpp.api")

PROBLEM_JSON = "application/problem+json"

# Floods end in these: counted as metrics, not written down one by one.
_QUIET = frozenset({401, 404, 429})


def to_problem_response(error: Exception, context: dict[str, Any]) -> HttpResponse:
    """DRF's exception handler."""
    request = context["request"]._request
    if isinstance(error, InsufficientFunds):
        # Header and body tell the same balance: the one that the reservation met.
        call_of(request).costs = Costs(remaining=error.available)
    return problem_response(request, as_problem(error))


def problem_response(request: HttpRequest, error: ProblemError) -> HttpResponse:
    problem = error.problem
    call = call_of(request)
    call.problem = problem
    if problem.status not in _QUIET:
        _write_down(call, request, error)
    document = problem_document(
        problem,
        detail=error.detail,
        instance=request.path,
        trace_id=call.trace_id,
        charged_usd=format_usd(call.costs.used if call.costs else ZERO),
        **error.extra,
    )
    return HttpResponse(
        json_bytes(document),
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
        case KeyBudgetDrained():
            return problems.KEY_BUDGET_DRAINED.error(
                f"The run needs {format_usd(error.required)} USD; {_what_the_key_may_spend(error)}. Nothing was held.",
                reservation_required=format_usd(error.required),
                **({} if error.left is None else {"key_remaining": format_usd(error.left)}),
                **({} if error.per_run is None else {"key_max_per_run": format_usd(error.per_run)}),
            )
        case ReservationTooSmall():
            return problems.RESERVATION_TOO_SMALL.error(
                f"The least this run can cost is {format_usd(error.least)} USD; "
                f"the limit is {format_usd(error.given)} USD. Nothing was held.",
                least_usd=format_usd(error.least),
            )
        case QuoteExpired():
            return problems.INVALID_PARAMS.error(
                "quote_id names a quote that has expired: ask for a new one, or leave it out.",
                errors=[{"pointer": "/reservation/quote_id", "detail": "The quote has expired."}],
            )
        case ReservationTaken():
            return problems.RESERVATION_FAILED.error("The money for this run could not be held.")
        case SpendingFrozen():
            return problems.TENANT_SUSPENDED.error(
                "Spending is frozen while the operator looks into this tenant's books. Nothing was charged."
            )
        case RateLimited():
            return problems.RATE_LIMITED.error(
                "More requests of this kind were made than are allowed in a minute.",
                retry_after_sec=error.passes_in_sec,
            )
        case TooManyRuns():
            return problems.CONCURRENCY_LIMITED.error("As many runs as are allowed at once have not ended yet.")
        case UploadQuotaReached():
            return problems.UPLOAD_QUOTA_REACHED.error(
                f"At most {PROFILE.uploads_per_tenant} files and {PROFILE.upload_bytes_per_tenant} bytes in a day."
            )
        case WebhookNotFound():
            return problems.WEBHOOK_NOT_FOUND.error("No webhook or delivery with this id belongs to the caller.")
        case TooManyWebhooks():
            return problems.WEBHOOK_LIMIT_REACHED.error(f"A tenant may have {PROFILE.webhooks_per_tenant}.")
        case WebhookDisabledByOperator():
            return problems.WEBHOOK_DISABLED.error("The operator switched it off. Ask them why.")
        case WebhookDisabled():
            return problems.WEBHOOK_DISABLED.error("Nothing is sent to it until it is enabled again.")
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
        case SendFailed():
            return problems.QUEUE_ENQUEUE_FAILED.error(
                "The queue does not answer. No run was made, nothing was charged."
            )
        case RunNotFound():
            return problems.RUN_NOT_FOUND_STEALTH.error("No run with this id belongs to the caller.")
        case RunExpired():
            return problems.RUN_EXPIRED.error(
                "The result was kept for its retention time and has been deleted.", run_id=str(error.run_id)
            )
        case FeatureDisabled():
            return problems.FEATURE_DISABLED.error(f"The operator has switched this off ({error.switch}).")
        case RunNotCancellable():
            return problems.RUN_NOT_CANCELLABLE.error(
                "The run has ended or its end is being settled.", run_id=str(error.run_id)
            )
        case RunNotEnded():
            return problems.RUN_NOT_ENDED.error("Only a run that has ended can be deleted.", run_id=str(error.run_id))
        case ObjectMissing() | ObjectDamaged():
            return problems.RESULT_UNAVAILABLE.error("The stored result cannot be read as it was written.")
        case StorageError():
            return problems.STORAGE_WRITE_FAILED.error("Object storage does not answer.")
        case DataError() | IntegrityError():
            # Ours: a value that should have been refused came as far as the database.
            log.error("unhandled_error", extra=fields(error=type(error).__name__), exc_info=error)
            return problems.INTERNAL_ERROR.error("The request could not be completed.")
        case redis.TimeoutError():
            return problems.UPSTREAM_TIMEOUT.error("The request could not be completed in time.")
        case LedgerError() | OutcomeUnknown() | redis.RedisError() | DatabaseError() | InterfaceError():
            log.error("dependency_unavailable", extra=fields(error=type(error).__name__), exc_info=error)
            return problems.DEPENDENCY_UNAVAILABLE.error("The request could not be completed just now.")
        case Http404():
            return problems.ROUTE_NOT_FOUND.error("Nothing is served under this path.")
        case drf.NotAcceptable():
            return problems.NOT_ACCEPTABLE.error("None of the accepted media types can be answered.")
        case drf.UnsupportedMediaType():
            return problems.UNSUPPORTED_MEDIA_TYPE.error("The body's media type is not application/json.")
        case RequestDataTooBig():
            return problems.PAYLOAD_TOO_LARGE.error("The body is larger than allowed.")
        case drf.ParseError() | PermissionDenied() | SuspiciousOperation() | BadRequest() | UnreadablePostError():
            return problems.INVALID_PARAMS.error("The request cannot be read.")
        case _:
            log.error("unhandled_error", extra=fields(error=type(error).__name__), exc_info=error)
            return problems.INTERNAL_ERROR.error("The request could not be completed.")


def _what_the_key_may_spend(error: KeyBudgetDrained) -> str:
    if error.per_run is not None and error.required > error.per_run:
        return f"this key may spend {format_usd(error.per_run)} USD on one run"
    return f"this key has {format_usd(error.left or ZERO)} USD left"


def _write_down(call: Call, request: HttpRequest, error: ProblemError) -> None:
    match = request.resolver_match
    log.info(
        "problem",
        extra=fields(
            reason_code=error.problem.reason_code,
            status=error.problem.status,
            method=request.method,
            route=match.route if match else None,
            trace_id=call.trace_id,
            tenant_id=call.tenant and call.tenant.pk,
        ),
    )
