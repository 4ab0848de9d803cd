"""The states of a run and of its money, who may change them, and which changes there are."""

from django.db.models import TextChoices


class Status(TextChoices):
    QUEUED = "QUEUED"
    PROCESSING = "PROCESSING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    EXPIRED = "EXPIRED"


class MoneyState(TextChoices):
    NONE = "NONE"
    RESERVED = "RESERVED"
    SETTLED = "SETTLED"
    REFUNDED = "REFUNDED"
    DISPUTED = "DISPUTED"


class FinalizeStage(TextChoices):
    CLAIMED = "CLAIMED"
    COMMITTED = "COMMITTED"


class Actor(TextChoices):
    API = "api"
    WORKER = "worker"
    REAPER = "reaper"
    SWEEPER = "sweeper"
    RECONCILE = "reconcile"
    DLQ = "dlq"
    RETENTION = "retention"
    ADMIN = "admin"


class Reason(TextChoices):
    """Why a run failed; stands in `last_error_reason_code`."""

    WORKER_TIMEOUT = "WORKER_TIMEOUT"
    WORKER_CRASHED = "WORKER_CRASHED"
    TIMEBOX_EXCEEDED = "TIMEBOX_EXCEEDED"
    PACK_FAILED = "PACK_FAILED"
    NOTHING_DELIVERED = "NOTHING_DELIVERED"
    RELIABILITY_NOT_MET = "RELIABILITY_NOT_MET"
    STORAGE_READ_FAILED = "STORAGE_READ_FAILED"
    STORAGE_WRITE_FAILED = "STORAGE_WRITE_FAILED"
    RESERVATION_EXPIRED = "RESERVATION_EXPIRED"
    QUEUE_ENQUEUE_FAILED = "QUEUE_ENQUEUE_FAILED"
    RUN_CANCELLED = "RUN_CANCELLED"
    FEATURE_DISABLED = "FEATURE_DISABLED"


LIVE = (Status.QUEUED, Status.PROCESSING)
ENDED = (Status.COMPLETED, Status.FAILED, Status.EXPIRED)

_Q, _P, _C, _F, _E = Status.QUEUED, Status.PROCESSING, Status.COMPLETED, Status.FAILED, Status.EXPIRED
_R, _S, _B, _D = MoneyState.RESERVED, MoneyState.SETTLED, MoneyState.REFUNDED, MoneyState.DISPUTED

# (status, money) -> (status, money). Claims keep both and move only the finalize stage. The same list stands in the
# database as a trigger (`runs/sql/guard_run.sql`), so that no other path can write anything else.
ALLOWED: frozenset[tuple[tuple[Status, MoneyState], tuple[Status, MoneyState]]] = frozenset(
    {
        ((_Q, _R), (_P, _R)),
        ((_Q, _R), (_F, _B)),
        ((_Q, _R), (_F, _S)),
        ((_Q, _R), (_Q, _D)),
        ((_Q, _D), (_F, _B)),
        ((_Q, _D), (_F, _S)),
        ((_P, _R), (_C, _S)),
        ((_P, _R), (_F, _S)),
        ((_P, _R), (_P, _D)),
        ((_P, _D), (_C, _S)),
        ((_P, _D), (_F, _S)),
        ((_P, _D), (_C, _B)),
        ((_P, _D), (_F, _B)),
        ((_C, _S), (_E, _S)),
        ((_F, _S), (_E, _S)),
        ((_C, _B), (_E, _B)),
        ((_F, _B), (_E, _B)),
    }
)
