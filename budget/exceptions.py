"""What can go wrong with money. None of these knows HTTP; `runs.api.errors` says what a caller is told."""

from dpp_project.money import Micros


class LedgerError(Exception):
    """The ledger could not do what was asked."""


class InsufficientFunds(LedgerError):
    """The tenant's available balance does not cover the reservation."""

    def __init__(self, *, available: Micros, required: Micros) -> None:
        super().__init__(f"{required} micros needed, {available} available")
        self.available = available
        self.required = required


class ReservationTaken(LedgerError):
    """Another reservation stands under this run's id."""


class ReservationVoided(LedgerError):
    """The hold was returned before the run came: the run must not be inserted."""


class LedgerUnavailable(LedgerError):
    """Redis or the rebuild did not answer: the balance is unknown, which is neither zero nor enough."""


class NoReservation(LedgerError):
    """Neither a hold nor a receipt, even after a rebuild, for a run that has not ended. An alarm, never a guess."""


class SpendingFrozen(LedgerError):
    """The tenant's books disagree: nothing is spent until a person has looked."""


class ReferenceUsed(LedgerError):
    """A credit of another tenant or another amount stands under this reference."""


class BalanceTooLarge(LedgerError):
    """The credit would lift the balance above 2^53 - 1 micros."""


class ReceiptConflict(LedgerError):
    """The run's money has already moved in another way."""

    def __init__(self, *, kind: str, charge: Micros, refund: Micros) -> None:
        super().__init__(f"already {kind}: charge {charge}, refund {refund}")
        self.kind = kind
        self.charge = charge
        self.refund = refund
