"""Claim, money, commit, rebuild and failover, in every order: all states that a few actors can bring one run into.

Every step is the platform's own function on real servers; between two steps anything may happen, also nothing for ever.
A state is the content of both servers and how far each actor has come; states that differ only in names are one. In
every state all actors may die: the jobs alone must then end the run and make Redis say what PostgreSQL says, at most
with one decision of a person.
"""

import copy
import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from django.db import DatabaseError

from budget import journal, redis_keys, scripts
from budget.drift import examine
from budget.exceptions import LedgerError
from budget.rebuild import rebuild
from dpp_project.money import Micros
from dpp_project.redis import client
from runs.exceptions import LostRace
from runs.jobs import reconcile as reconcile_job
from runs.jobs.drift_repair import repair_drift
from runs.jobs.reap import reap
from runs.jobs.reconcile import reconcile
from runs.jobs.sweep import sweep
from runs.lifecycle import disputes, finalize, transitions
from runs.lifecycle.finalize import MoneyDisagrees
from runs.lifecycle.outcomes import Outcome, failed, never_started
from runs.models import Run
from runs.states import ENDED, Actor, MoneyState, Reason, Status
from runs.worker import run_one
from tests.builders import customer, submitted
from tests.property.saved_servers import Owner, SavedKeys, SavedRows, put_keys_back, take_keys
from tests.race import passing_time

_OWNER = "acme"
_PAID_IN = 10_000_000
_CHARGE = Micros(123_456)

Step = Callable[[Run | None], Run]


class DeadEnd(AssertionError):
    """A state from which the run never ends, or the books never agree; the path to it is the message."""


# --- the actors -------------------------------------------------------------------------------------------------------


def _look(_: Run | None) -> Run:
    return Run.objects.get()


def _start(_: Run | None) -> Run:
    started = run_one._start(Run.objects.get())
    if started is None:
        raise LostRace("not ours")
    return started


def _claim_own(run: Run | None) -> Run:
    assert run
    assert run.lease_token
    fee = failed(run, Reason.PACK_FAILED, "explored")
    # As a success costs: another amount than any other ending of this run.
    outcome = Outcome(Status.FAILED, MoneyState.SETTLED, _CHARGE, fee.reason, fee.detail)
    transitions.claim_own(run, outcome, lease_token=run.lease_token)
    return run


def _claim_cancelled(run: Run | None) -> Run:
    assert run
    transitions.claim_queued(run, never_started(Reason.RUN_CANCELLED, "explored"), actor=Actor.API)
    return run


def _look_at_zombie(_: Run | None) -> Run:
    run = Run.objects.get()
    if run.status == Status.PROCESSING:
        passing_time.lease_expires(run)
    return Run.objects.get()


def _claim_zombie(run: Run | None) -> Run:
    assert run
    transitions.claim_zombie(run, failed(run, Reason.WORKER_TIMEOUT, "explored"))
    return run


def _take_over(run: Run | None) -> Run:
    assert run
    transitions.take_over(run)
    return run


def _money(run: Run | None) -> Run:
    assert run
    finalize.move_money(run)
    return run


def _money_or_dispute(run: Run | None) -> Run:
    assert run
    try:
        finalize.move_money(run)
    except MoneyDisagrees:
        reconcile_job._dispute(run, "RECEIPT_DIFFERS")
        raise
    return run


def _commit(run: Run | None) -> Run:
    assert run
    transitions.commit(run, actor=Actor.WORKER)
    return run


_ENDING: tuple[tuple[str, Step], ...] = (("money", _money), ("commit", _commit), ("money again", _money))

ACTORS: dict[str, tuple[tuple[str, Step], ...]] = {
    "worker": (("start", _start), ("claim", _claim_own), *_ENDING),
    "canceller": (("look", _look), ("claim", _claim_cancelled), *_ENDING),
    "reaper": (("look", _look_at_zombie), ("claim", _claim_zombie), *_ENDING),
    "reconcile": (("look", _look), ("take over", _take_over), ("money", _money_or_dispute), *_ENDING[1:]),
}
_GIVEN_UP = 99


@dataclass(frozen=True)
class Progress:
    """How far an actor has come, and the run as it knows it."""

    steps: int = 0
    run: Run | None = None


# --- states -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class State:
    rows: SavedRows
    keys: SavedKeys
    actors: dict[str, Progress]
    older_rows: tuple[SavedRows, ...]
    """What PostgreSQL held before each of its commits: an asynchronous replica may be at any of them."""
    keys_before: SavedKeys | None
    """What Redis held before its last write."""
    faults_left: int
    path: tuple[str, ...]


@dataclass
class Explored:
    states: int = 0
    steps: int = 0
    healed: int = 0
    disputes: int = 0
    deepest: tuple[str, ...] = field(default_factory=tuple)


class Explorer:
    def __init__(self, actors: Sequence[str], *, faults: int, most_states: int | None = None) -> None:
        self._names = tuple(actors)
        self._most_states = most_states
        self._faults = faults
        self._owner = Owner()
        self._healed: set[object] = set()
        self.done = Explored()

    def explore(self) -> Explored:
        """Every reachable state. Raises `DeadEnd` at the first from which there is no way out, by a shortest path."""
        try:
            waiting = deque([self._beginning()])
            seen = {self._signature(waiting[0])}
            while waiting:
                state = waiting.popleft()
                self.done.states += 1
                self.done.deepest = state.path
                self._must_heal(state)
                for following in self._following(state):
                    self.done.steps += 1
                    signature = self._signature(following)
                    if signature not in seen and len(seen) < (self._most_states or len(seen) + 1):
                        seen.add(signature)
                        waiting.append(following)
        finally:
            self._owner.close()
        return self.done

    def _beginning(self) -> State:
        owner = customer(_OWNER, budget="10.0000")
        empty = self._owner.take()
        submitted(owner)
        actors = {name: Progress() for name in self._names}
        return State(self._owner.take(), take_keys(), actors, (empty,), None, self._faults, ())

    # --- what may happen next ---

    def _following(self, state: State) -> Iterator[State]:
        for name, progress in state.actors.items():
            if progress.steps < len(ACTORS[name]):
                yield self._step(state, name, progress)
        yield self._happens(state, "rebuild", lambda: rebuild(_OWNER))
        if not state.faults_left:
            return
        yield self._happens(state, "Redis forgets everything", lambda: client().flushall(), fault=True)
        if state.keys_before is not None:
            yield self._happens(
                state, "Redis loses its last write", partial(put_keys_back, state.keys_before), fault=True
            )
        for kept, rows in enumerate(state.older_rows):
            lost = len(state.older_rows) - kept
            failover = self._happens(
                state, f"PostgreSQL loses its last {lost} commits", partial(self._owner.put_back, rows), fault=True
            )
            yield replace(failover, older_rows=state.older_rows[:kept])

    def _step(self, state: State, name: str, progress: Progress) -> State:
        label, step = ACTORS[name][progress.steps]
        self._put_back(state)
        try:
            run = step(copy.copy(progress.run))
        except (LostRace, MoneyDisagrees, LedgerError, Run.DoesNotExist):
            after = Progress(_GIVEN_UP)
        except (AssertionError, DatabaseError) as error:
            raise DeadEnd(f"{name} cannot {label}: {error!r}", *state.path) from error
        else:
            after = Progress(progress.steps + 1, run)
        actors = {**state.actors, name: after}
        return self._now(state, f"{name}: {label}", actors, state.faults_left)

    def _happens(self, state: State, name: str, act: Callable[[], Any], *, fault: bool = False) -> State:
        self._put_back(state)
        act()
        return self._now(state, name, state.actors, state.faults_left - fault)

    def _put_back(self, state: State) -> None:
        self._owner.put_back(state.rows)
        put_keys_back(state.keys)

    def _now(self, before: State, what: str, actors: dict[str, Progress], faults_left: int) -> State:
        rows, keys = self._owner.take(), take_keys()
        older_rows = (*before.older_rows, before.rows) if rows != before.rows else before.older_rows
        keys_before = before.keys if keys.meaning != before.keys.meaning else before.keys_before
        return State(rows, keys, actors, older_rows, keys_before, faults_left, (*before.path, what))

    # --- from every state there is a way out ---

    def _must_heal(self, state: State) -> None:
        servers = (_rows_signature(state.rows), state.keys.meaning)
        if servers in self._healed:
            return
        self._healed.add(servers)
        self.done.healed += 1
        self._put_back(state)
        for _ in range(3):
            _time_passes()
            for job in (reap, sweep, reconcile, repair_drift, repair_drift):
                job()
        run = Run.objects.first()
        if run is not None and run.money_state == MoneyState.DISPUTED:
            self.done.disputes += 1
            receipt = scripts.receipt(run.tenant_id, run.pk)
            disputes.resolve(run, charge=receipt.charge if receipt else None, reason="explored")
            repair_drift()
            repair_drift()
        problem = _what_is_wrong()
        if problem:
            raise DeadEnd(problem, *state.path)

    def _signature(self, state: State) -> object:
        rows = _rows_signature(state.rows)
        row = _run_row(state.rows)
        actors = tuple((name, _progress_signature(progress, row)) for name, progress in sorted(state.actors.items()))
        older: tuple[object, ...] = ()
        if state.faults_left:
            older = (*map(_rows_signature, state.older_rows), state.keys_before and state.keys_before.meaning)
        return rows, state.keys.meaning, actors, older, state.faults_left


def _time_passes() -> None:
    """As much as it takes for every job to see what is there."""
    for run in Run.objects.all():
        passing_time.lease_expires(run)
        passing_time.claim_is_abandoned(run)
        passing_time.waits_in_queue(run)
    for index in redis_keys.all_open_holds():
        for member in client().zrange(index, 0, -1):
            client().zadd(index, {str(member): 1})


def _what_is_wrong() -> str:
    """Of servers that the jobs have left; nothing, if all is well."""
    for run in Run.objects.all():
        if run.status not in ENDED:
            return f"the run never ends: {run}"
    available = journal.available(_OWNER)
    charged = sum(run.actual_cost_usd_micros or 0 for run in Run.objects.all())
    if not available == journal.journal_sum(_OWNER) == _PAID_IN - charged:
        return f"the books disagree: row {available}, journal {journal.journal_sum(_OWNER)}, runs {_PAID_IN - charged}"
    snapshot = scripts.snapshot(_OWNER, [])
    if not examine(_OWNER).is_clean or snapshot.holds or snapshot.balance != available:
        return f"Redis disagrees: {snapshot}, books {available}"
    return ""


# --- states that differ only in names are one -------------------------------------------------------------------------

_ROW_COLUMNS = (
    *("status", "money_state", "finalize_stage", "version", "actual_cost_usd_micros"),
    *("intended_status", "intended_money_state", "intended_charge_usd_micros"),
)


def _run_row(rows: SavedRows) -> dict[str, Any] | None:
    found: list[dict[str, Any]] = json.loads(rows.by_table["runs"] or "[]")
    return found[0] if found else None


def _rows_signature(rows: SavedRows) -> object:
    run = _run_row(rows)
    entries = json.loads(rows.by_table["ledger_entries"] or "[]")
    balances = json.loads(rows.by_table["tenant_balances"] or "[]")
    return (
        run and tuple(run[name] for name in _ROW_COLUMNS),
        tuple(sorted((entry["kind"], entry["amount_usd_micros"]) for entry in entries)),
        tuple(balance["available_usd_micros"] for balance in balances),
        bool(rows.by_table["voided_reservations"]),
    )


def _progress_signature(progress: Progress, row: dict[str, Any] | None) -> object:
    run = progress.run
    if run is None:
        return progress.steps
    mine = row and (str(run.finalize_token) == str(row["finalize_token"]), str(run.lease_token) == row["lease_token"])
    return progress.steps, run.version, run.status, run.finalize_stage, run.intended_charge_usd_micros, mine
