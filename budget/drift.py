"""Compare Redis with the journal, tenant by tenant, without ever crying wolf.

S = balance + holds does not move when money is only held or returned. It moves when a charge is settled in Redis
before its commit, which the receipts of live runs show. Under the tenant's row lock nothing else can differ.

A hold that Redis lost together with its deduction (the last second of a killed server) leaves S as it is: it is
found by its absence.
"""

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from budget import journal, scripts
from budget.rebuild import ended_among
from budget.scripts import Snapshot
from dpp_project.money import Micros


@dataclass(frozen=True)
class Drift:
    tenant_id: str
    delta: Micros | None
    """Redis minus journal; None when Redis has forgotten the tenant."""
    holds_missing: int = 0
    """Live runs of which Redis knows neither hold nor receipt: it would spend their money a second time."""

    @property
    def is_clean(self) -> bool:
        return self.delta == 0 and not self.holds_missing

    @property
    def is_forgotten(self) -> bool:
        return self.delta is None

    def __str__(self) -> str:
        return f"{self.delta} micros, {self.holds_missing} holds missing"


def examine(tenant_id: str) -> Drift:
    """One exact look at one tenant."""
    with transaction.atomic():
        journal.lock(tenant_id)
        live = dict(journal.live_reservations(tenant_id))
        snapshot = scripts.snapshot(tenant_id, list(live))
        if snapshot.balance is None:
            return Drift(tenant_id, None)
        missing = live.keys() - snapshot.holds.keys() - snapshot.receipts.keys()
        return Drift(tenant_id, _delta(journal.journal_sum(tenant_id), live, snapshot), len(missing))


def _delta(available: Micros, live: dict[UUID, Micros], snapshot: Snapshot) -> Micros:
    in_redis = snapshot.balance or 0
    in_redis += sum(snapshot.holds.values())
    # Settled in Redis, commit still to come: the charge has left Redis and not yet the books.
    in_flight = sum(snapshot.receipts.values())
    # A hold that a rebuild re-created just before its run's commit: the charge has left the books and not yet Redis.
    strangers = [run_id for run_id in snapshot.holds if run_id not in live]
    to_close = sum(hold.charge for hold in ended_among(strangers)) if strangers else 0
    return Micros(in_redis - to_close - (available + sum(live.values()) - in_flight))
