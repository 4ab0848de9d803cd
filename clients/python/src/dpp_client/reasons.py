"""One class per reason code of the API. Made by `make openapi` from openapi.json; do not edit."""

from dpp_client.errors import ApiProblem


class AuthInvalid(ApiProblem):
    code = "AUTH_INVALID"


class BudgetDrained(ApiProblem):
    code = "BUDGET_DRAINED"


class ConcurrencyLimited(ApiProblem):
    code = "CONCURRENCY_LIMITED"


class DependencyUnavailable(ApiProblem):
    code = "DEPENDENCY_UNAVAILABLE"


class FeatureDisabled(ApiProblem):
    code = "FEATURE_DISABLED"


class IdempotencyConflict(ApiProblem):
    code = "IDEMPOTENCY_CONFLICT"


class IdempotencyInProgress(ApiProblem):
    code = "IDEMPOTENCY_IN_PROGRESS"


class InternalError(ApiProblem):
    code = "INTERNAL_ERROR"


class InvalidMoneyScale(ApiProblem):
    code = "INVALID_MONEY_SCALE"


class InvalidParams(ApiProblem):
    code = "INVALID_PARAMS"


class KeyBudgetDrained(ApiProblem):
    code = "KEY_BUDGET_DRAINED"


class KeyNotAllowed(ApiProblem):
    code = "KEY_NOT_ALLOWED"


class KeyNotFound(ApiProblem):
    code = "KEY_NOT_FOUND"


class KeyQuotaReached(ApiProblem):
    code = "KEY_QUOTA_REACHED"


class LengthRequired(ApiProblem):
    code = "LENGTH_REQUIRED"


class MethodNotAllowed(ApiProblem):
    code = "METHOD_NOT_ALLOWED"


class NothingDelivered(ApiProblem):
    code = "NOTHING_DELIVERED"


class NotAcceptable(ApiProblem):
    code = "NOT_ACCEPTABLE"


class PackFailed(ApiProblem):
    code = "PACK_FAILED"


class PayloadTooLarge(ApiProblem):
    code = "PAYLOAD_TOO_LARGE"


class QueueEnqueueFailed(ApiProblem):
    code = "QUEUE_ENQUEUE_FAILED"


class RateLimited(ApiProblem):
    code = "RATE_LIMITED"


class ReliabilityNotMet(ApiProblem):
    code = "RELIABILITY_NOT_MET"


class ReservationExpired(ApiProblem):
    code = "RESERVATION_EXPIRED"


class ReservationFailed(ApiProblem):
    code = "RESERVATION_FAILED"


class ReservationTooSmall(ApiProblem):
    code = "RESERVATION_TOO_SMALL"


class ResultUnavailable(ApiProblem):
    code = "RESULT_UNAVAILABLE"


class RouteNotFound(ApiProblem):
    code = "ROUTE_NOT_FOUND"


class RunCancelled(ApiProblem):
    code = "RUN_CANCELLED"


class RunExpired(ApiProblem):
    code = "RUN_EXPIRED"


class RunNotCancellable(ApiProblem):
    code = "RUN_NOT_CANCELLABLE"


class RunNotEnded(ApiProblem):
    code = "RUN_NOT_ENDED"


class RunNotFoundStealth(ApiProblem):
    code = "RUN_NOT_FOUND_STEALTH"


class SchemaValidationFailed(ApiProblem):
    code = "SCHEMA_VALIDATION_FAILED"


class StorageReadFailed(ApiProblem):
    code = "STORAGE_READ_FAILED"


class StorageWriteFailed(ApiProblem):
    code = "STORAGE_WRITE_FAILED"


class TenantSuspended(ApiProblem):
    code = "TENANT_SUSPENDED"


class TimeboxExceeded(ApiProblem):
    code = "TIMEBOX_EXCEEDED"


class UnsupportedMediaType(ApiProblem):
    code = "UNSUPPORTED_MEDIA_TYPE"


class UploadQuotaReached(ApiProblem):
    code = "UPLOAD_QUOTA_REACHED"


class UpstreamTimeout(ApiProblem):
    code = "UPSTREAM_TIMEOUT"


class WebhookDisabled(ApiProblem):
    code = "WEBHOOK_DISABLED"


class WebhookLimitReached(ApiProblem):
    code = "WEBHOOK_LIMIT_REACHED"


class WebhookNotFound(ApiProblem):
    code = "WEBHOOK_NOT_FOUND"


class WorkerCrashed(ApiProblem):
    code = "WORKER_CRASHED"


class WorkerTimeout(ApiProblem):
    code = "WORKER_TIMEOUT"
