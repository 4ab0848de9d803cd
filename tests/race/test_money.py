"""Many at once: a budget is never overdrawn, a run is settled once, a key makes one run."""

from collections import Counter
from contextlib import suppress
from uuid import UUID, uuid4

import pytest

from budget import journal, ledger, redis_keys, scripts
from budget.exceptions import BalanceTooLarge, InsufficientFunds, LedgerUnavailable, ReceiptConflict, ReferenceUsed
from budget.models import LedgerEntry
from budget.scripts import Settlement
from dpp_project.metrics import LEDGER_ALARMS
from dpp_project.money import MAX_BALANCE, Micros
from dpp_project.redis import client
from runs.access.tenants import seed
from runs.lifecycle import queue
from runs.lifecycle.cancel import cancel
from runs.models import Run
from runs.reports.invariants import audit_ledger
from tests.books import assert_balanced, redis_balance
from tests.builders import Customer, customer, fresh_key, submitted
from tests.race.threads import at_once
from tests.services import SessionServices


def _kinds(outcomes: list[object]) -> Counter[str]:
    return Counter(type(outcome).__name__ for outcome in outcomes)


def test_a_budget_for_37_admits_37_of_100(platform: SessionServices) -> None:
    small = customer("small", budget="3.7000")
    outcomes = Counter(
        type(outcome).__name__ for outcome in at_once(100, lambda _: submitted(small, max_cost="0.1000"))
    )
    assert outcomes == {"Run": 37, "InsufficientFunds": 63}
    assert redis_balance(small) == 0
    assert_balanced(small, 0)
    assert audit_ledger().is_clean


def test_a_budget_for_37_admits_37_whatever_redis_believes(platform: SessionServices) -> None:
    """Redis was told of a thousand times as much: the database decides, and Redis is put right."""
    small = customer("small", budget="3.7000")
    client().set(redis_keys.balance(small.id), "3700000000")
    outcomes = _kinds(at_once(60, lambda _: submitted(small, max_cost="0.1000")))
    assert outcomes == {"Run": 37, "InsufficientFunds": 23}
    assert_balanced(small, 0)
    assert redis_balance(small) == 0


def test_a_hundred_identical_submits_are_one_run_one_hold_one_message(acme: Customer) -> None:
    key = fresh_key()
    runs = at_once(100, lambda _: submitted(acme, key=key))
    assert {getattr(run, "pk", run) for run in runs} == {Run.objects.get().pk}
    assert queue.depth() == 1
    assert redis_balance(acme) == 9_500_000
    assert_balanced(acme, 9_500_000)


def test_a_hundred_identical_submits_are_one_run_although_redis_forgets_all_the_time(acme: Customer) -> None:
    key = fresh_key()

    def submit_and_forget(number: int) -> Run:
        if number % 10 == 5:
            client().flushall()
        for _ in range(3):
            # 503: Redis forgot once more while it was rebuilt. The caller tries again, and not for ever.
            with suppress(LedgerUnavailable):
                return submitted(acme, key=key)
        return submitted(acme, key=key)

    runs = at_once(100, submit_and_forget)
    assert {getattr(run, "pk", run) for run in runs} == {Run.objects.get().pk}
    assert queue.depth() == 1
    ledger.reserve(acme.id, uuid4(), Micros(1))
    assert_balanced(acme, 9_500_000)


def test_of_a_hundred_settles_one_applies_and_all_answer_the_same(acme: Customer, queued_run: Run) -> None:
    answers = at_once(100, lambda _: ledger.settle(acme.id, queued_run.pk, Micros(123_456)))
    assert {(answer.charge, answer.refund) for answer in answers if isinstance(answer, Settlement)} == {
        (123_456, 376_544)
    }
    assert all(isinstance(answer, Settlement) for answer in answers)
    assert redis_balance(acme) == 10_000_000 - 123_456


def settle_against_refund(owner: Customer, rounds: int) -> Counter[str]:
    """Each round one of two wins, and the loser is told who. Also called, with more rounds, by the torture."""
    winners: Counter[str] = Counter()
    charged = 0
    begin = redis_balance(owner) or 0
    for _ in range(rounds):
        run_id = uuid4()
        scripts.reserve(owner.id, run_id, Micros(1_000))

        def move(position: int, run_id: UUID = run_id) -> object:
            if position:
                return scripts.settle(owner.id, run_id, Micros(300))
            return scripts.refund_full(owner.id, run_id)

        refunded, settled = at_once(2, move, threads=2)
        if isinstance(settled, Settlement):
            assert isinstance(refunded, ReceiptConflict)
            assert (refunded.kind, refunded.charge, refunded.refund) == ("settle", 300, 700)
            winners["settle"] += 1
            charged += 300
        else:
            assert isinstance(settled, ReceiptConflict)
            assert isinstance(refunded, Settlement)
            assert (settled.kind, settled.charge, refunded.refund) == ("refund", 0, 1_000)
            winners["refund"] += 1
    assert redis_balance(owner) == begin - charged
    return winners


def test_settle_raced_with_refund_has_one_winner_each_time(acme: Customer) -> None:
    assert settle_against_refund(acme, 60).total() == 60


def test_a_second_settle_with_another_amount_changes_nothing_and_rings(acme: Customer, queued_run: Run) -> None:
    alarm = LEDGER_ALARMS.labels(event="settled_with_another_charge")
    before = alarm._value.get()
    ledger.settle(acme.id, queued_run.pk, Micros(100_000))
    assert ledger.settle(acme.id, queued_run.pk, Micros(200_000)).charge == 100_000
    assert alarm._value.get() == before + 1
    assert redis_balance(acme) == 9_900_000


@pytest.mark.parametrize("amount", [-1, 2**53, 2**63 - 1, "1e3", True, 1.0, None])
def test_an_amount_that_the_ledger_cannot_hold_exactly_is_refused(acme: Customer, amount: object) -> None:
    run_id = uuid4()
    with pytest.raises(ValueError, match="not an amount"):
        ledger.reserve(acme.id, run_id, amount)  # type: ignore[arg-type]
    ledger.reserve(acme.id, run_id, Micros(1))
    with pytest.raises(ValueError, match="not an amount"):
        ledger.settle(acme.id, run_id, amount)  # type: ignore[arg-type]
    assert redis_balance(acme) == 9_999_999


@pytest.mark.parametrize("amount", [0, 1, 10**15, 2**53 - 1])
def test_every_amount_up_to_the_largest_is_exact_text_in_redis(platform: SessionServices, amount: int) -> None:
    rich = customer("rich", budget="0.0001")
    ledger.top_up(rich.id, Micros(MAX_BALANCE - 100), reference="all of it")
    assert client().get(redis_keys.balance(rich.id)) == str(MAX_BALANCE)
    run_id = uuid4()
    assert ledger.reserve(rich.id, run_id, Micros(amount)) == MAX_BALANCE - amount
    if amount:
        with pytest.raises(InsufficientFunds):
            ledger.reserve(rich.id, uuid4(), Micros(MAX_BALANCE - amount + 1))
    assert ledger.settle(rich.id, run_id, Micros(amount)).refund == 0
    assert client().get(redis_keys.balance(rich.id)) == str(MAX_BALANCE - amount)


def test_a_top_up_leaves_room_for_what_live_runs_hold_and_may_return(acme: Customer) -> None:
    run = submitted(acme, max_cost="4.0000")
    room = MAX_BALANCE - 10_000_000
    with pytest.raises(BalanceTooLarge):
        ledger.top_up(acme.id, Micros(room + 1), reference="a micro too much")
    ledger.top_up(acme.id, Micros(room), reference="all of it")
    cancel(run)
    assert redis_balance(acme) == MAX_BALANCE
    assert_balanced(acme, MAX_BALANCE)


def test_a_top_up_raced_with_fifty_reservations_applies_once(acme: Customer) -> None:
    def move(position: int) -> object:
        if position % 10 == 0:
            return ledger.top_up(acme.id, Micros(1_000_000), reference="the same top-up")
        return submitted(acme, max_cost="0.1000")

    outcomes = at_once(55, move)
    assert outcomes.count(True) == 1
    assert outcomes.count(False) == 5
    assert_balanced(acme, 10_000_000 + 1_000_000 - 49 * 100_000)
    assert redis_balance(acme) == 6_100_000


@pytest.mark.parametrize("other", ["amount", "tenant"])
def test_a_used_reference_with_another_amount_or_tenant_is_an_error(
    acme: Customer, rival: Customer, other: str
) -> None:
    assert ledger.top_up(acme.id, Micros(1_000_000), reference="invoice-7")
    with pytest.raises(ReferenceUsed):
        if other == "amount":
            ledger.top_up(acme.id, Micros(2_000_000), reference="invoice-7")
        else:
            ledger.top_up(rival.id, Micros(1_000_000), reference="invoice-7")
    assert not ledger.top_up(acme.id, Micros(1_000_000), reference="invoice-7")
    assert_balanced(acme, 11_000_000)
    assert_balanced(rival, 10_000_000)


def test_seeds_at_the_same_time_fill_the_budget_once(platform: SessionServices) -> None:
    at_once(8, lambda _: seed("newcomer", budget=Micros(5_000_000), with_key=False))
    assert journal.available("newcomer") == 5_000_000
    assert LedgerEntry.objects.filter(tenant_id="newcomer").count() == 1
