"""Budgets of keys: never more than the limit whoever races, and everything unspent is back when a run has ended."""

import time
from collections.abc import Callable
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
import redis
from django.db import DatabaseError, InterfaceError
from django.utils import timezone

from budget.exceptions import LedgerError
from dpp_project.money import Micros
from runs.access import api_keys, key_budgets, sub_keys
from runs.access.key_budgets import Limits
from runs.access.sub_keys import MayNotMakeKeys, WantedKey
from runs.exceptions import EnqueueFailed, IdempotencyInProgress, KeyBudgetDrained, OutcomeUnknown
from runs.lifecycle import disputes, transitions
from runs.lifecycle.outcomes import failed
from runs.lifecycle.queue import SendFailed
from runs.models import ApiKey, KeyBudget, Run
from runs.states import Reason
from tests.books import assert_balanced
from tests.builders import Customer, fresh_key, limited_key, processing, submitted
from tests.race import actors, passing_time
from tests.race.actors import fresh
from tests.race.threads import at_once

_HALF = 500_000
_FEE = 10_000
# What a caller is asked to come again after: a server may stand still for seconds.
_SILENT = (LedgerError, EnqueueFailed, SendFailed, IdempotencyInProgress, OutcomeUnknown)
_SERVERS = (redis.RedisError, DatabaseError, InterfaceError)


def submitted_at_last(owner: Customer, key: ApiKey, *, max_cost: str = "0.5000") -> Run:
    """As 503 asks of a caller: the same request again."""
    name, ends = fresh_key(), time.monotonic() + 60
    while True:
        try:
            return submitted(owner, api_key=key, max_cost=max_cost, key=name)
        except (*_SILENT, *_SERVERS):
            if time.monotonic() > ends:
                raise
            time.sleep(0.5)


def books_of(key: ApiKey) -> tuple[int, int]:
    """Held, spent."""
    assert key.budget_id is not None
    budget = KeyBudget.objects.get(pk=key.budget_id)
    return budget.held_usd_micros, budget.spent_usd_micros


def test_a_key_spends_its_limit_and_no_more(acme: Customer) -> None:
    key = limited_key(acme, total="1.2000")
    submitted(acme, api_key=key)
    submitted(acme, api_key=key)
    assert books_of(key) == (1_000_000, 0)
    with pytest.raises(KeyBudgetDrained) as refused:
        submitted(acme, api_key=key)
    assert (refused.value.left, refused.value.required) == (200_000, _HALF)
    assert Run.objects.count() == 2
    assert_balanced(acme, 9_000_000)
    submitted(acme, api_key=key, max_cost="0.2000")
    assert books_of(key) == (1_200_000, 0)


def test_a_run_over_the_limit_of_one_run_is_refused(acme: Customer) -> None:
    key = limited_key(acme, per_run="0.4000")
    with pytest.raises(KeyBudgetDrained) as refused:
        submitted(acme, api_key=key)
    assert (refused.value.left, refused.value.per_run) == (None, 400_000)
    submitted(acme, api_key=key, max_cost="0.4000")
    assert books_of(key) == (400_000, 0)
    assert_balanced(acme, 9_600_000)


def test_a_key_without_a_limit_counts_nowhere(acme: Customer) -> None:
    key = limited_key(acme)
    run = submitted(acme, api_key=key)
    assert (run.api_key_id, run.key_budget_id) == (key.pk, None)
    assert fresh(run).api_key_id == key.pk
    assert KeyBudget.objects.count() == 0


def test_no_race_gets_past_the_limit(acme: Customer) -> None:
    key = limited_key(acme, total="3.7000")
    outcomes = at_once(30, lambda _: submitted_at_last(acme, key))
    accepted = [outcome for outcome in outcomes if isinstance(outcome, Run)]
    refused = [outcome for outcome in outcomes if isinstance(outcome, KeyBudgetDrained)]
    assert (len(accepted), len(refused)) == (7, 23), outcomes
    assert books_of(key) == (3_500_000, 0)
    assert_balanced(acme, 6_500_000)


def test_submits_and_endings_at_once_lose_no_micro(acme: Customer) -> None:
    """Budgets above each other, from both ends: nobody waits for ever, and the sums are exact."""
    above = limited_key(acme, total="9.0000")
    with_own = key_budgets.make(acme.id, Limits(Micros(4_000_000)), above=above.budget)
    below, _ = api_keys.add(acme.tenant, parent=above, budget=with_own)
    keys = [above, below]

    def one(number: int) -> None:
        run = submitted_at_last(acme, keys[number % 2], max_cost="0.1000")
        if number % 3:
            actors.owner_cancels(run)
        else:
            actors.work(run)

    outcomes = at_once(24, one)
    assert not [outcome for outcome in outcomes if isinstance(outcome, KeyBudgetDrained)]
    held, spent = {key.budget_id: 0 for key in keys}, {key.budget_id: 0 for key in keys}
    for run in Run.objects.all():
        assert isinstance(run.key_budget_id, UUID)
        if run.actual_cost_usd_micros is None:
            # Its ending met a server that stood still.
            held[run.key_budget_id] += run.reservation_max_cost_usd_micros
        else:
            spent[run.key_budget_id] += run.actual_cost_usd_micros
    assert spent[below.budget_id] > 0
    assert books_of(below) == (held[below.budget_id], spent[below.budget_id])
    assert books_of(above) == (sum(held.values()), sum(spent.values()))


def _completed(run: Run) -> int:
    actors.work(run)
    return fresh(run).actual_cost_usd_micros or 0


def _cancelled(run: Run) -> int:
    actors.owner_cancels(run)
    return 0


def _expired_in_queue(run: Run) -> int:
    actors.sweeper(run)
    return 0


def _dead_lettered(run: Run) -> int:
    actors.message_dies(run)
    return _FEE


def _start(run: Run) -> Run:
    transitions.start(run, lease_token=uuid4())
    return run


def _reaped(run: Run) -> int:
    passing_time.lease_expires(_start(run))
    actors.reaper(run)
    return _FEE


def _left_to_reconcile(run: Run) -> int:
    _start(run)
    assert run.lease_token
    transitions.claim_own(run, failed(run, Reason.PACK_FAILED, "died"), lease_token=run.lease_token)
    passing_time.claim_is_abandoned(run)
    actors.reconciler(run)
    return _FEE


def _disputed_and_resolved(run: Run) -> int:
    _start(run)
    assert run.lease_token
    transitions.claim_own(run, failed(run, Reason.PACK_FAILED, "died"), lease_token=run.lease_token)
    transitions.dispute(run, reason="MONEY_DISAGREES")
    disputes.resolve(fresh(run), charge=Micros(7_000), reason="counted by hand")
    return 7_000


_ENDINGS: dict[str, Callable[[Run], int]] = {
    "completed": _completed,
    "cancelled": _cancelled,
    "expired in the queue": _expired_in_queue,
    "dead letter": _dead_lettered,
    "reaped": _reaped,
    "left to reconcile": _left_to_reconcile,
    "disputed": _disputed_and_resolved,
}


@pytest.mark.parametrize("name", list(_ENDINGS))
def test_what_was_not_spent_is_back_whoever_ends_the_run(acme: Customer, name: str) -> None:
    key = limited_key(acme, total="1.0000")
    run = submitted(acme, api_key=key)
    assert books_of(key) == (_HALF, 0)
    charge = _ENDINGS[name](run)
    assert fresh(run).actual_cost_usd_micros == charge
    assert books_of(key) == (0, charge)


def test_a_submit_whose_message_is_not_sent_holds_nothing(acme: Customer) -> None:
    key = limited_key(acme, total="1.0000")
    with actors.unreachable_queue(), pytest.raises(EnqueueFailed):
        submitted(acme, api_key=key)
    assert books_of(key) == (0, 0)


def test_a_repeat_is_answered_when_the_key_is_drained(acme: Customer) -> None:
    key = limited_key(acme, total="0.5000")
    name = fresh_key()
    run = submitted(acme, api_key=key, key=name)
    assert submitted(acme, api_key=key, key=name).pk == run.pk
    assert books_of(key) == (_HALF, 0)


def test_a_rotated_key_spends_from_the_same_budget(acme: Customer) -> None:
    old = limited_key(acme, total="1.0000")
    submitted(acme, api_key=old)
    new, _ = api_keys.rotate(old, overlap=timedelta(hours=1), now=timezone.now())
    submitted(acme, api_key=new)
    for key in (old, new):
        with pytest.raises(KeyBudgetDrained):
            submitted(acme, api_key=key)


def test_a_recount_follows_the_runs(acme: Customer) -> None:
    key = limited_key(acme, total="2.0000")
    processing(acme)
    submitted(acme, api_key=key)
    actors.work(submitted(acme, api_key=key))
    held, spent = books_of(key)
    assert key_budgets.recount(acme.id) == 0
    KeyBudget.objects.update(held_usd_micros=1, spent_usd_micros=2)
    assert key_budgets.recount(acme.id) == 1
    assert books_of(key) == (held, spent)


def test_no_key_is_left_below_a_maker_that_is_revoked_meanwhile(acme: Customer) -> None:
    """Whoever makes a key holds its maker's row: a revocation comes before, and is seen, or after, and finds it."""
    for _ in range(6):
        maker, _text = api_keys.issue(acme.tenant, may_create_keys=True)

        def go(number: int, maker: ApiKey = maker) -> object:
            if number == 5:
                return api_keys.revoke(maker)
            return sub_keys.make(maker, WantedKey(), now=timezone.now())

        outcomes = at_once(12, go, threads=6)

        assert True in outcomes, outcomes
        failures = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
        assert all(isinstance(failure, MayNotMakeKeys) for failure in failures), failures
        assert not ApiKey.objects.filter(parent=maker, status=ApiKey.Status.ACTIVE).exists()


def test_keys_below_one_limit_never_pass_it_together(acme: Customer) -> None:
    maker, _ = api_keys.issue(acme.tenant, may_create_keys=True, limits=Limits(Micros(1_700_000)))
    made = [sub_keys.make(maker, WantedKey(limits=Limits(Micros(1_000_000))), now=timezone.now())[0] for _ in range(4)]

    outcomes = at_once(24, lambda number: submitted(acme, api_key=made[number % 4]), threads=8)

    accepted = [outcome for outcome in outcomes if isinstance(outcome, Run)]
    assert len(accepted) == 3, outcomes
    assert books_of(maker) == (3 * _HALF, 0)
    for run in accepted:
        actors.work(run)
    spent = sum(fresh(run).actual_cost_usd_micros or 0 for run in accepted)
    assert spent > 0
    assert books_of(maker) == (0, spent)
    assert sum(books_of(key)[1] for key in made) == spent
