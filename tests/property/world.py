"""A tenant's whole life against a model of a few numbers: after every step, model = Redis = PostgreSQL.

Every step uses the product's own functions on real services; crashes are placed at the crash points. The model knows
only what the contract promises: what is available, what is held, what each ending costs.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import UUID, uuid4

from django.db import connection
from django.utils import timezone

from budget import ledger, redis_keys, scripts
from budget.drift import examine
from budget.exceptions import InsufficientFunds
from dpp_project import faults
from dpp_project.money import Micros, parse_usd
from dpp_project.profile import PROFILE
from dpp_project.redis import client
from runs.access import api_keys, sub_keys
from runs.access.key_budgets import Limits
from runs.access.sub_keys import WantedKey
from runs.exceptions import KeyBudgetDrained, LostRace, RunNotCancellable
from runs.jobs.dead_letters import dead_letters
from runs.jobs.drift_repair import repair_drift
from runs.jobs.reap import reap
from runs.jobs.reconcile import reconcile
from runs.jobs.resend import resend
from runs.jobs.sweep import sweep
from runs.lifecycle import finalize, transitions
from runs.lifecycle.cancel import cancel
from runs.lifecycle.outcomes import failed
from runs.lifecycle.submit import submit
from runs.models import Run
from runs.reports.invariants import audit_ledger
from runs.states import Actor, Reason
from tests.builders import customer, fresh_key, request
from tests.race import passing_time
from tests.race.actors import BOUNDARIES, Crash, at, die
from tests.race.queue_messages import send_to_dead_letters

SUBMIT_POINTS = ("submit.reserved", "submit.committed", "submit.mapped", "submit.sent")

# Of the tenant's only key. Top-ups lift the balance above it.
_KEY_LIMIT = 4_000_000

_BOOKS = """
SELECT b.available_usd_micros,
       (SELECT coalesce(sum(amount_usd_micros), 0) FROM ledger_entries e WHERE e.tenant_id = b.tenant_id),
       (SELECT coalesce(json_object_agg(run_id, actual_cost_usd_micros), '{}')::text
        FROM runs r WHERE r.tenant_id = b.tenant_id),
       -- Of the key and of the one above it; a second row here would be an error.
       (SELECT DISTINCT held_usd_micros FROM key_budgets k WHERE k.tenant_id = b.tenant_id),
       (SELECT DISTINCT spent_usd_micros FROM key_budgets k WHERE k.tenant_id = b.tenant_id)
FROM tenant_balances b WHERE b.tenant_id = %(tenant)s
"""


@dataclass
class ModelRun:
    reserved: int
    key: str
    running: bool = False
    claimed_charge: int | None = None
    settled_in_redis: bool = False
    charge: int | None = None

    @property
    def is_live(self) -> bool:
        return self.charge is None

    @property
    def fee(self) -> int:
        return PROFILE.minimum_fee(Micros(self.reserved))


@dataclass
class World:
    paid_in: int = 0
    runs: dict[UUID, ModelRun] = field(default_factory=dict)
    orphans: dict[UUID, int] = field(default_factory=dict)
    """Holds of submits that died before their row."""
    redis_damaged: bool = False
    """Redis was changed behind the ledger's back and no audit has looked since."""
    references: list[tuple[str, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.owner = customer(f"world-{uuid4().hex[:12]}", budget="2.0000")
        # The limit is the maker's: what its key buys counts for both, and ends where the maker's limit is.
        maker, _ = api_keys.issue(self.owner.tenant, limits=Limits(Micros(_KEY_LIMIT)), may_create_keys=True)
        wanted = WantedKey(limits=Limits(Micros(2 * _KEY_LIMIT)))
        self.api_key, _ = sub_keys.make(maker, wanted, now=timezone.now())
        self.paid_in = 2_000_000
        self._memory: dict[str, bytes] = {}
        self._orphans_ever: set[UUID] = set()

    # --- the model ---------------------------------------------------------------------------------------------

    @property
    def available(self) -> int:
        spent = sum(run.charge if run.charge is not None else run.reserved for run in self.runs.values())
        return self.paid_in - spent

    @property
    def key_spent(self) -> int:
        return sum(run.charge for run in self.runs.values() if run.charge is not None)

    @property
    def key_held(self) -> int:
        return sum(run.reserved for run in self.runs.values() if run.is_live)

    @property
    def in_redis(self) -> int:
        returned = sum(
            run.reserved - (run.claimed_charge or 0)
            for run in self.runs.values()
            if run.is_live and run.settled_in_redis
        )
        return self.available - sum(self.orphans.values()) + returned

    def queued(self) -> list[UUID]:
        return [key for key, run in self.runs.items() if run.is_live and not run.running and run.claimed_charge is None]

    def running(self) -> list[UUID]:
        return [key for key, run in self.runs.items() if run.is_live and run.running and run.claimed_charge is None]

    def claimed(self) -> list[UUID]:
        return [key for key, run in self.runs.items() if run.is_live and run.claimed_charge is not None]

    def held(self) -> dict[UUID, int]:
        """What Redis must hold open, and for whom."""
        open_runs = {key: run.reserved for key, run in self.runs.items() if run.is_live and not run.settled_in_redis}
        return {**open_runs, **self.orphans}

    def check(self) -> None:
        """Model = PostgreSQL, always; = Redis, unless it has forgotten or was damaged and not yet audited.

        One query and one script: this is asked after every one of 200,000 steps.
        """
        faults.disarm()
        available, entries, charges, held, spent = self._in_postgresql()
        assert (held, spent) == (self.key_held, self.key_spent)
        assert held + spent <= _KEY_LIMIT
        assert available == self.available
        assert entries == self.available
        assert charges == {run_id: run.charge for run_id, run in self.runs.items()}
        if self.redis_damaged:
            return
        snapshot = scripts.snapshot(self.owner.id, [])
        if snapshot.balance is not None:
            assert snapshot.balance == self.in_redis
            assert snapshot.holds == self.held()

    def _in_postgresql(self) -> tuple[int, int, dict[UUID, int | None], int, int]:
        """The balance row, the sum of the journal, what each run has cost, what the key holds and has spent."""
        with connection.cursor() as cursor:
            cursor.execute(_BOOKS, {"tenant": self.owner.id})
            (row,) = cursor.fetchall()
        available, entries, charges, held, spent = row
        by_run = {UUID(run_id): charge for run_id, charge in json.loads(charges).items()}
        return available, int(entries), by_run, held, spent

    def finish(self) -> None:
        """The end of a history: every run ends, everything heals, and the audit agrees."""
        for run_id in self.queued():
            self.cancel(run_id)
        for run_id in self.running():
            self.reap(run_id)
        for run_id in self.claimed():
            self.reconcile(run_id)
        self.check()
        self.heal()
        assert scripts.snapshot(self.owner.id, []).balance == self.available
        report = audit_ledger()
        assert report.is_clean, report

    # --- what clients do ---------------------------------------------------------------------------------------

    def submit(self, amount: int, die_at: str | None = None) -> None:
        key = fresh_key()
        if die_at:
            at(die_at, die)
        holds = set(scripts.snapshot(self.owner.id, []).holds)
        # Redis admits, PostgreSQL decides: both must have it.
        enough = amount <= min(self.in_redis, self.available)
        allowed = self.key_spent + self.key_held + amount <= _KEY_LIMIT
        try:
            run_id = self._submit(amount, key)
        except Crash:
            if die_at == "submit.reserved":
                (orphan,) = set(scripts.snapshot(self.owner.id, []).holds) - holds - set(self.runs)
                self.orphans[orphan] = amount
                self._orphans_ever.add(orphan)
            else:
                self.runs[Run.objects.get(tenant=self.owner.tenant, idempotency_key=key).pk] = ModelRun(amount, key)
        except InsufficientFunds:
            assert not enough or self.redis_damaged
        except KeyBudgetDrained:
            assert not allowed
        else:
            assert enough or self.redis_damaged
            assert allowed
            self.runs[run_id] = ModelRun(amount, key)

    def repeat_a_submit(self, run_id: UUID) -> None:
        run = self.runs[run_id]
        assert self._submit(run.reserved, run.key) == run_id

    def cancel(self, run_id: UUID, die_at: str | None = None) -> None:
        run = self.runs[run_id]
        if run.is_live and not run.running and run.claimed_charge is None:
            self._end(run_id, 0, die_at, lambda: cancel(Run.objects.get(pk=run_id)))
            return
        try:
            cancel(Run.objects.get(pk=run_id))
        except RunNotCancellable:
            assert run.claimed_charge is not None or not run.is_live
        else:
            assert run.running

    def top_up(self, amount: int) -> None:
        reference = str(uuid4())
        assert ledger.top_up(self.owner.id, Micros(amount), reference=reference)
        self.references.append((reference, amount))
        self.paid_in += amount
        self.redis_damaged = False

    def repeat_a_top_up(self) -> None:
        if self.references:
            reference, amount = self.references[-1]
            assert not ledger.top_up(self.owner.id, Micros(amount), reference=reference)
            self.redis_damaged = False

    # --- what workers do ---------------------------------------------------------------------------------------

    def start(self, run_id: UUID) -> None:
        transitions.start(Run.objects.get(pk=run_id), lease_token=uuid4())
        self.runs[run_id].running = True

    def fail(self, run_id: UUID, die_at: str | None = None) -> None:
        """The worker ends its run with the minimum fee (a success differs only in the amount and the objects)."""
        run = Run.objects.get(pk=run_id)
        token = run.lease_token
        assert token
        outcome = failed(run, Reason.PACK_FAILED, "model")

        def end() -> None:
            finalize.end(run, lambda: transitions.claim_own(run, outcome, lease_token=token), actor=Actor.WORKER)

        self._end(run_id, self.runs[run_id].fee, die_at, end)

    def duplicate_message(self, run_id: UUID) -> None:
        """Delivered again: whoever is not QUEUED and unclaimed stays as it is."""
        if run_id in self.queued():
            return
        try:
            transitions.start(Run.objects.get(pk=run_id), lease_token=uuid4())
        except (LostRace, AssertionError):
            return
        raise AssertionError("started twice")

    # --- what the jobs do --------------------------------------------------------------------------------------

    def reap(self, run_id: UUID, die_at: str | None = None) -> None:
        passing_time.lease_expires(Run.objects.get(pk=run_id))
        self._end(run_id, self.runs[run_id].fee, die_at, reap)

    def expire_in_queue(self, run_id: UUID, die_at: str | None = None) -> None:
        passing_time.waits_in_queue(Run.objects.get(pk=run_id))
        self._end(run_id, 0, die_at, sweep)

    def dead_letter(self, run_id: UUID, die_at: str | None = None) -> None:
        send_to_dead_letters(Run.objects.get(pk=run_id))
        if run_id in self.queued():
            self._end(run_id, self.runs[run_id].fee, die_at, dead_letters)
        else:
            dead_letters()

    def reconcile(self, run_id: UUID, die_at: str | None = None) -> None:
        run = self.runs[run_id]
        passing_time.claim_is_abandoned(Run.objects.get(pk=run_id))
        assert run.claimed_charge is not None
        self._end(run_id, run.claimed_charge, die_at, reconcile)

    def return_orphans(self) -> None:
        for orphan in self.orphans:
            if client().zscore(redis_keys.open_holds(self.owner.id), str(orphan)) is not None:
                passing_time.hold_ages(orphan)
        sweep()
        self.orphans.clear()

    def resend(self) -> None:
        resend(now=timezone.now())

    def audit_twice(self) -> None:
        repair_drift()
        repair_drift()
        self.redis_damaged = False
        assert examine(self.owner.id).is_clean

    def heal(self) -> None:
        """All jobs, after all ages have passed."""
        for run_id in list(scripts.snapshot(self.owner.id, []).holds):
            passing_time.hold_ages(run_id)
        sweep()
        self.orphans.clear()
        self.audit_twice()

    # --- what Redis does ---------------------------------------------------------------------------------------

    def redis_forgets(self) -> None:
        self._delete_redis_keys()
        self.orphans.clear()
        self.redis_damaged = False
        for run in self.runs.values():
            run.settled_in_redis = False

    def redis_loses_a_hold(self, run_id: UUID) -> None:
        client().delete(redis_keys.hold(self.owner.id, run_id))
        self.redis_damaged = True

    def redis_remembers_this(self) -> None:
        """What is on disk now, and would be all a killed server comes back with."""
        dump: Callable[..., bytes] = client().execute_command
        self._memory = {key: dump("DUMP", key, NEVER_DECODE=True) for key in self._redis_keys()}

    def redis_goes_back(self) -> None:
        """Killed, started, the last second gone. What the jobs then find, they put right."""
        self._delete_redis_keys()
        for key, value in self._memory.items():
            client().restore(key, 0, value)
        for run in self.runs.values():
            run.settled_in_redis = False
        for run_id in list(scripts.snapshot(self.owner.id, []).holds):
            client().zadd(redis_keys.open_holds(self.owner.id), {str(run_id): 1})
        sweep()
        self.orphans.clear()
        self.audit_twice()
        for run_id in self.claimed():
            self.runs[run_id].settled_in_redis = scripts.receipt(self.owner.id, run_id) is not None

    # --- how -----------------------------------------------------------------------------------------------------

    def _submit(self, amount: int, key: str) -> UUID:
        # Amounts on the wire have four places.
        cost = f"{amount // 1_000_000}.{amount % 1_000_000 // 100:04d}"
        assert parse_usd(cost) == amount
        asked = request(max_cost=cost)
        now, api_key = timezone.now(), self.api_key
        return submit(self.owner.tenant, asked, key=key, trace_id="world", now=now, api_key=api_key).run.pk

    def _end(self, run_id: UUID, charge: int, die_at: str | None, end: Callable[[], object]) -> None:
        run = self.runs[run_id]
        if die_at:
            at(die_at, die)
        try:
            end()
        except Crash:
            run.claimed_charge = charge
            run.settled_in_redis = run.settled_in_redis or die_at == "finalize.settled"
            if die_at == "finalize.committed":
                run.charge = charge
        else:
            run.charge = charge

    def _redis_keys(self) -> list[str]:
        """All that Redis knows of this tenant."""
        ours = {*self.runs, *self._orphans_ever, *scripts.snapshot(self.owner.id, []).holds}
        names = [redis_keys.balance(self.owner.id), redis_keys.tenant_holds(self.owner.id)]
        for run_id in ours:
            names += [redis_keys.hold(self.owner.id, run_id), redis_keys.receipt(self.owner.id, run_id)]
        with client().pipeline(transaction=False) as pipeline:
            for name in names:
                pipeline.exists(name)
            return [name for name, known in zip(names, pipeline.execute(), strict=True) if known]

    def _delete_redis_keys(self) -> None:
        known = self._redis_keys()
        if known:
            client().delete(*known)


__all__ = ["BOUNDARIES", "SUBMIT_POINTS", "ModelRun", "World"]
