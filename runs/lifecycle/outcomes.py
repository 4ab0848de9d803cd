"""How a run can end, and what each ending costs. The claim records one of these; nobody recomputes it afterwards."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from dpp_project.money import ZERO, Micros
from packs.base import JsonObject
from runs.models import Run
from runs.states import MoneyState, Reason, Status


@dataclass(frozen=True)
class StoredRef:
    """An uploaded object, as the claim remembers it."""

    bucket: str
    key: str
    name: str
    sha256: str
    size: int
    mime: str
    etag: str

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "StoredRef":
        return cls(**values)


@dataclass(frozen=True)
class Outcome:
    status: Status
    money_state: MoneyState
    charge: Micros
    reason: Reason | None = None
    detail: str | None = None
    objects: tuple[StoredRef, ...] = ()
    """The envelope first, artifacts after it."""
    releases_key: bool = False
    summary: JsonObject | None = None
    """What a poll tells of the result besides its link."""

    def as_intent(self) -> dict[str, Any]:
        """The columns a claim writes."""
        return {
            "intended_status": self.status,
            "intended_money_state": self.money_state,
            "intended_charge_usd_micros": self.charge,
            "intended_reason_code": self.reason,
            "intended_error_detail": self.detail,
            "intended_release_key": self.releases_key,
            "intended_objects": [asdict(ref) for ref in self.objects],
            "result_summary": self.summary,
        }


def completed(
    run: Run, *, actual: Micros, objects: tuple[StoredRef, ...], summary: JsonObject | None = None
) -> Outcome:
    """Success costs what was metered, never more than was reserved."""
    charge = Micros(min(actual, run.reservation_max_cost_usd_micros))
    return Outcome(Status.COMPLETED, MoneyState.SETTLED, charge, objects=objects, summary=summary)


def failed(
    run: Run,
    reason: Reason,
    detail: str,
    *,
    objects: tuple[StoredRef, ...] = (),
    summary: JsonObject | None = None,
) -> Outcome:
    """A run that started and failed, or died in the queue three times, costs the minimum fee."""
    fee = Micros(run.minimum_fee_usd_micros)
    return Outcome(Status.FAILED, MoneyState.SETTLED, fee, reason, detail, objects, summary=summary)


def never_started(reason: Reason, detail: str, *, releases_key: bool = False) -> Outcome:
    """A run that never started costs nothing."""
    return Outcome(Status.FAILED, MoneyState.REFUNDED, ZERO, reason, detail, releases_key=releases_key)
