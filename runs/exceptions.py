"""What can go wrong with a run. None of these knows HTTP; `runs.api.errors` says what a caller is told."""

from uuid import UUID

from dpp_project.money import Micros


class LostRace(Exception):
    """Another actor changed the run first. Whoever loses does nothing."""


class ReservationTooSmall(Exception):
    """The limit cannot pay the least that the run would cost. Nothing was held."""

    def __init__(self, *, least: Micros, given: Micros) -> None:
        super().__init__(f"{given} < {least}")
        self.least = least
        self.given = given


class KeyBudgetDrained(Exception):
    """The run would cost more than its key, or a key above it, may still spend. Nothing was held."""

    def __init__(self, *, left: Micros | None, per_run: Micros | None, required: Micros) -> None:
        super().__init__(f"{required} micros needed; left {left}, at most {per_run} a run")
        self.left = left
        """None: no limit in all."""
        self.per_run = per_run
        """None: no limit for one run."""
        self.required = required


class BadQuote(Exception):
    """The message continues a sentence that begins with `quote_id`."""


class QuoteExpired(Exception):
    """Its fifteen minutes are over."""


class UploadQuotaReached(Exception):
    """The tenant has as many files, or as many bytes of them, as it may have for a day."""


class TooManyWebhooks(Exception):
    """The tenant has as many as it may have."""


class WebhookNotFound(Exception):
    """No such webhook or message, or not yours: nobody can tell which."""


class WebhookDisabled(Exception):
    """Nothing is sent to it until it is switched on again."""


class WebhookDisabledByOperator(WebhookDisabled):
    """Only those who switched it off switch it on."""


class IdempotencyConflict(Exception):
    """The key was used with another payload."""


class IdempotencyInProgress(Exception):
    """A request with the same key is still being accepted."""


class EnqueueFailed(Exception):
    """The message could not be sent; the money is back and the key is free again."""

    def __init__(self, run_id: UUID) -> None:
        super().__init__(str(run_id))
        self.run_id = run_id


class OutcomeUnknown(Exception):
    """The database did not say whether it committed. Nothing is refunded: the sweeper decides."""


class RunNotFound(Exception):
    """No such run, or not yours: nobody can tell which."""


class RunExpired(Exception):
    """The run is past its retention."""

    def __init__(self, run_id: UUID) -> None:
        super().__init__(str(run_id))
        self.run_id = run_id


class RunNotEnded(Exception):
    """What has not ended cannot be deleted."""

    def __init__(self, run_id: UUID) -> None:
        super().__init__(str(run_id))
        self.run_id = run_id


class RunNotCancellable(Exception):
    """The run has ended or is ending."""

    def __init__(self, run_id: UUID) -> None:
        super().__init__(str(run_id))
        self.run_id = run_id
