"""Every problem of the platform, declared once (RFC 9457): answers of the API, and why runs fail.

Views raise them by name; `docs/errors.md` and the problems in `openapi.json` are made from this list.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from dpp_project.profile import PROFILE


class ProblemError(Exception):
    """Ends a request with a problem response."""

    def __init__(self, problem: "Problem", detail: str, extra: dict[str, Any], headers: dict[str, str]) -> None:
        super().__init__(f"{problem.reason_code}: {detail}")
        self.problem = problem
        self.detail = detail
        self.extra = extra
        self.headers = headers


@dataclass(frozen=True)
class Problem:
    reason_code: str
    status: int
    """Of the HTTP answer. Where a failed run tells its reason, it is the kind of the failure."""
    title: str
    next_action: str
    """One imperative sentence for the agent that reads it."""
    retryable: bool = False
    """The same request, sent again later, may succeed."""
    retry_with: str = ""
    """The Idempotency-Key of a repeat. By default the same one if the request may be repeated as it is, else none."""
    retry_after_sec: int | None = None
    slug: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.slug:
            object.__setattr__(self, "slug", self.reason_code.lower().replace("_", "-"))
        if not self.retry_with:
            object.__setattr__(self, "retry_with", SAME_KEY if self.retryable else NO_KEY)

    def error(self, detail: str, **extra: Any) -> ProblemError:
        headers = dict(self.headers)
        if self.retry_after_sec is not None:
            headers["Retry-After"] = str(self.retry_after_sec)
        return ProblemError(self, detail, extra, headers)


SAME_KEY, NEW_KEY, NO_KEY = "same_key", "new_key", "none"
RETRY_WITH = (SAME_KEY, NEW_KEY, NO_KEY)

_SAME_KEY = "Send the same request again with the same Idempotency-Key."
_NEW_KEY = "Submit the run again with a new Idempotency-Key."

INVALID_PARAMS = Problem(
    "INVALID_PARAMS",
    400,
    "The request is not valid",
    "Correct the request as `errors` or `detail` says and send it again.",
)
SCHEMA_VALIDATION_FAILED = Problem(
    "SCHEMA_VALIDATION_FAILED",
    400,
    "The inputs do not fit the pack's schema",
    "Correct each input named in `errors`; the schema is at /v1/packs.",
)
AUTH_INVALID = Problem(
    "AUTH_INVALID",
    401,
    "The API key is not valid",
    "Send a valid key as `Authorization: Bearer dpp_sk_…`.",
    headers={"WWW-Authenticate": "Bearer"},
)
BUDGET_DRAINED = Problem(
    "BUDGET_DRAINED",
    402,
    "The balance does not cover the reservation",
    "Lower max_cost_usd or have the balance topped up.",
    slug="budget-exceeded",
)
KEY_BUDGET_DRAINED = Problem(
    "KEY_BUDGET_DRAINED",
    402,
    "The key may not spend that much",
    "Lower max_cost_usd, wait until runs of this key have ended, or ask whoever gave you the key for another.",
)
RESERVATION_TOO_SMALL = Problem(
    "RESERVATION_TOO_SMALL",
    402,
    "The limit cannot pay for the least result",
    "Raise max_cost_usd to at least `least_usd`, or ask for less; POST /v1/quotes tells what a run may cost.",
)
RESERVATION_FAILED = Problem(
    "RESERVATION_FAILED",
    402,
    "The reservation could not be made",
    "Send the request again with a new Idempotency-Key.",
    retry_with=NEW_KEY,
)
TENANT_SUSPENDED = Problem(
    "TENANT_SUSPENDED",
    403,
    "The tenant is suspended",
    "Contact the operator; reading and cancelling still work.",
)
KEY_NOT_ALLOWED = Problem(
    "KEY_NOT_ALLOWED",
    403,
    "This key may not do that",
    "Use another key of the tenant, or ask its operator to widen this one.",
)
KEY_NOT_FOUND = Problem(
    "KEY_NOT_FOUND",
    404,
    "There is no such key",
    "Check the id; a key sees itself and the keys below it.",
)
KEY_QUOTA_REACHED = Problem(
    "KEY_QUOTA_REACHED",
    409,
    "There is no room for another key",
    "Revoke keys that nobody uses, then ask again.",
)
RUN_NOT_FOUND_STEALTH = Problem(
    "RUN_NOT_FOUND_STEALTH",
    404,
    "There is no such run",
    "Check the run_id and the key it was submitted with.",
)
ROUTE_NOT_FOUND = Problem("ROUTE_NOT_FOUND", 404, "There is no such resource", "Use a path listed in /v1/openapi.json.")
METHOD_NOT_ALLOWED = Problem(
    "METHOD_NOT_ALLOWED", 405, "This method is not allowed here", "Use a method listed in the Allow header."
)
NOT_ACCEPTABLE = Problem(
    "NOT_ACCEPTABLE", 406, "Only JSON can be answered", "Send `Accept: application/json` or no Accept header."
)
IDEMPOTENCY_CONFLICT = Problem(
    "IDEMPOTENCY_CONFLICT",
    409,
    "The Idempotency-Key was used with another payload",
    "Use a new Idempotency-Key for a new request, or repeat the original payload.",
    retry_with=NEW_KEY,
)
IDEMPOTENCY_IN_PROGRESS = Problem(
    "IDEMPOTENCY_IN_PROGRESS",
    409,
    "A request with this Idempotency-Key is being accepted",
    "Send the same request again in a second.",
    retryable=True,
    retry_after_sec=1,
)
RUN_NOT_CANCELLABLE = Problem(
    "RUN_NOT_CANCELLABLE", 409, "The run can no longer be cancelled", "Read the run: it has ended or is ending."
)
RUN_NOT_ENDED = Problem(
    "RUN_NOT_ENDED", 409, "The run has not ended yet", "Cancel the run or wait until it has ended, then delete it."
)
RUN_EXPIRED = Problem(
    "RUN_EXPIRED",
    410,
    "The run's result is past its retention",
    "Submit the run again if the result is still needed.",
    retry_with=NEW_KEY,
)
LENGTH_REQUIRED = Problem(
    "LENGTH_REQUIRED",
    411,
    "The length of the body must be told beforehand",
    "Send the body whole, with a Content-Length and without Transfer-Encoding.",
)
PAYLOAD_TOO_LARGE = Problem(
    "PAYLOAD_TOO_LARGE",
    413,
    "The request body is too large",
    "Send no more bytes than `detail` names; pass files by URL.",
)
UNSUPPORTED_MEDIA_TYPE = Problem(
    "UNSUPPORTED_MEDIA_TYPE", 415, "Only JSON is accepted", "Send `Content-Type: application/json`, not compressed."
)
INVALID_MONEY_SCALE = Problem(
    "INVALID_MONEY_SCALE",
    422,
    "The amount is not a decimal string with at most 4 places",
    'Send max_cost_usd as a string such as "0.5000".',
)
RATE_LIMITED = Problem(
    "RATE_LIMITED",
    429,
    "Too many requests",
    "Wait for `retry_after_sec` seconds.",
    retryable=True,
    retry_after_sec=PROFILE.rate_limited_retry_after_sec,
)
CONCURRENCY_LIMITED = Problem(
    "CONCURRENCY_LIMITED",
    429,
    "Too many runs at once",
    "Wait until a run has ended.",
    retryable=True,
    retry_after_sec=PROFILE.rate_limited_retry_after_sec,
)
UPLOAD_QUOTA_REACHED = Problem(
    "UPLOAD_QUOTA_REACHED",
    413,
    "The day's room for uploads is used up",
    "Wait until uploads of yesterday are gone, or pass files by URL.",
    retryable=True,
    retry_after_sec=3_600,
)
WEBHOOK_NOT_FOUND = Problem(
    "WEBHOOK_NOT_FOUND", 404, "There is no such webhook or delivery", "List your webhooks with GET /v1/webhooks."
)
WEBHOOK_LIMIT_REACHED = Problem(
    "WEBHOOK_LIMIT_REACHED", 409, "There are as many webhooks as a tenant may have", "Delete one that is not needed."
)
WEBHOOK_DISABLED = Problem(
    "WEBHOOK_DISABLED",
    409,
    "The webhook is switched off",
    "Repair its receiver, then POST /v1/webhooks/{webhook_id}/enable.",
)
INTERNAL_ERROR = Problem("INTERNAL_ERROR", 500, "Something went wrong on our side", _SAME_KEY, retryable=True)
QUEUE_ENQUEUE_FAILED = Problem(
    "QUEUE_ENQUEUE_FAILED", 503, "The work could not be queued", _SAME_KEY, retryable=True, retry_after_sec=5
)
STORAGE_WRITE_FAILED = Problem(
    "STORAGE_WRITE_FAILED", 503, "Object storage did not take the data", _SAME_KEY, retryable=True, retry_after_sec=5
)
STORAGE_READ_FAILED = Problem(
    "STORAGE_READ_FAILED",
    503,
    "Object storage did not give the run's inputs",
    _NEW_KEY,
    retryable=True,
    retry_with=NEW_KEY,
    retry_after_sec=5,
)
UPSTREAM_TIMEOUT = Problem(
    "UPSTREAM_TIMEOUT", 503, "A service we depend on was too slow", _SAME_KEY, retryable=True, retry_after_sec=2
)
DEPENDENCY_UNAVAILABLE = Problem(
    "DEPENDENCY_UNAVAILABLE",
    503,
    "A service we depend on does not answer",
    _SAME_KEY,
    retryable=True,
    retry_after_sec=2,
)
FEATURE_DISABLED = Problem(
    "FEATURE_DISABLED",
    503,
    "This feature is switched off",
    "Try again later or without this feature.",
    retryable=True,
    retry_after_sec=300,
)
RESULT_UNAVAILABLE = Problem(
    "RESULT_UNAVAILABLE",
    503,
    "The stored result is missing or damaged",
    "Contact the operator with the trace_id.",
)

WORKER_TIMEOUT = Problem(
    "WORKER_TIMEOUT", 504, "The worker stopped answering", _NEW_KEY, retryable=True, retry_with=NEW_KEY
)
WORKER_CRASHED = Problem(
    "WORKER_CRASHED", 500, "The workers that took the run died", _NEW_KEY, retryable=True, retry_with=NEW_KEY
)
TIMEBOX_EXCEEDED = Problem(
    "TIMEBOX_EXCEEDED",
    504,
    "The run did not finish within its timebox",
    "Ask for less, or give more timebox_sec, and submit the run again with a new Idempotency-Key.",
    retry_with=NEW_KEY,
)
PACK_FAILED = Problem(
    "PACK_FAILED",
    500,
    "The pack could not do its work",
    "Read `detail`, change the inputs if they are the reason, and submit again with a new Idempotency-Key.",
    retry_with=NEW_KEY,
)
NOTHING_DELIVERED = Problem(
    "NOTHING_DELIVERED",
    502,
    "Nothing of what was asked for could be delivered",
    "Read `detail` and the result's logs, change the inputs, and submit again with a new Idempotency-Key.",
    retry_with=NEW_KEY,
)
RELIABILITY_NOT_MET = Problem(
    "RELIABILITY_NOT_MET",
    422,
    "The result is less reliable than was asked for, and was withheld",
    "Give more or better inputs, or lower min_reliability_score, and submit again with a new Idempotency-Key.",
    retry_with=NEW_KEY,
)
RESERVATION_EXPIRED = Problem(
    "RESERVATION_EXPIRED",
    503,
    "The run waited too long and was not started",
    _NEW_KEY,
    retryable=True,
    retry_with=NEW_KEY,
)
RUN_CANCELLED = Problem("RUN_CANCELLED", 409, "The run was cancelled", "Do nothing: the run ended as you asked.")


def _by_code(*problems: Problem) -> Mapping[str, Problem]:
    return MappingProxyType({problem.reason_code: problem for problem in problems})


def _of_run(problem: Problem) -> Problem:
    """The same as the end of a run that keeps its key: a repeat with that key would only show this run again."""
    return replace(problem, next_action=_NEW_KEY, retry_with=NEW_KEY)


# What `error.reason_code` of a FAILED run can be.
RUN_FAILURES: Mapping[str, Problem] = _by_code(
    WORKER_TIMEOUT,
    WORKER_CRASHED,
    TIMEBOX_EXCEEDED,
    PACK_FAILED,
    NOTHING_DELIVERED,
    RELIABILITY_NOT_MET,
    STORAGE_READ_FAILED,
    _of_run(STORAGE_WRITE_FAILED),
    RESERVATION_EXPIRED,
    QUEUE_ENQUEUE_FAILED,
    RUN_CANCELLED,
    _of_run(FEATURE_DISABLED),
)

# What an HTTP answer can be, by status.
ANSWERS: Mapping[str, Problem] = _by_code(
    INVALID_PARAMS,
    SCHEMA_VALIDATION_FAILED,
    AUTH_INVALID,
    BUDGET_DRAINED,
    KEY_BUDGET_DRAINED,
    RESERVATION_TOO_SMALL,
    RESERVATION_FAILED,
    TENANT_SUSPENDED,
    KEY_NOT_ALLOWED,
    KEY_NOT_FOUND,
    KEY_QUOTA_REACHED,
    RUN_NOT_FOUND_STEALTH,
    ROUTE_NOT_FOUND,
    METHOD_NOT_ALLOWED,
    NOT_ACCEPTABLE,
    IDEMPOTENCY_CONFLICT,
    IDEMPOTENCY_IN_PROGRESS,
    RUN_NOT_CANCELLABLE,
    RUN_NOT_ENDED,
    RUN_EXPIRED,
    LENGTH_REQUIRED,
    PAYLOAD_TOO_LARGE,
    UNSUPPORTED_MEDIA_TYPE,
    INVALID_MONEY_SCALE,
    RATE_LIMITED,
    CONCURRENCY_LIMITED,
    UPLOAD_QUOTA_REACHED,
    WEBHOOK_NOT_FOUND,
    WEBHOOK_LIMIT_REACHED,
    WEBHOOK_DISABLED,
    INTERNAL_ERROR,
    QUEUE_ENQUEUE_FAILED,
    STORAGE_WRITE_FAILED,
    UPSTREAM_TIMEOUT,
    DEPENDENCY_UNAVAILABLE,
    FEATURE_DISABLED,
    RESULT_UNAVAILABLE,
)
