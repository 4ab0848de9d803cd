"""Each Lua script, on a real server: every return code, and exactness at the edges."""

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID, uuid4

import pytest

from budget import redis_keys, scripts
from budget.exceptions import InsufficientFunds, ReceiptConflict, ReservationTaken
from budget.scripts import BalanceMissing, EndedHold, HoldMissing, Settlement
from dpp_project.money import MAX_BALANCE, Micros
from dpp_project.redis import client

pytestmark = pytest.mark.usefixtures("platform")


def _give(tenant_id: str, balance: int) -> None:
    client().set(redis_keys.balance(tenant_id), str(balance))


def _balance(tenant_id: str) -> str:
    return str(client().get(redis_keys.balance(tenant_id)))


def _held(tenant_id: str = "acme", balance: int = 1_000_000, amount: int = 400_000) -> UUID:
    _give(tenant_id, balance)
    run_id = uuid4()
    scripts.reserve(tenant_id, run_id, Micros(amount))
    return run_id


class TestReserve:
    def test_holds_the_amount_and_returns_what_is_left(self) -> None:
        _give("acme", 1_000_000)
        run_id = uuid4()

        assert scripts.reserve("acme", run_id, Micros(400_000)) == 600_000

        hold = client().hgetall(redis_keys.hold("acme", run_id))
        assert (hold["tenant_id"], hold["reserved_usd_micros"]) == ("acme", "400000")
        assert int(hold["created_at_ms"]) > 1_700_000_000_000
        assert client().ttl(redis_keys.hold("acme", run_id)) == -1, "a hold must not expire by itself"
        assert client().zscore(redis_keys.unsent("acme"), str(run_id)) == int(hold["created_at_ms"])

    def test_refuses_what_is_not_there_and_changes_nothing(self) -> None:
        _give("acme", 399_999)
        run_id = uuid4()
        with pytest.raises(InsufficientFunds) as refused:
            scripts.reserve("acme", run_id, Micros(400_000))
        assert (refused.value.available, refused.value.required) == (399_999, 400_000)
        assert _balance("acme") == "399999"
        assert not client().exists(redis_keys.hold("acme", run_id))

    def test_a_repeat_of_the_same_call_holds_once(self) -> None:
        run_id = _held()
        assert scripts.reserve("acme", run_id, Micros(400_000)) == 600_000
        assert _balance("acme") == "600000"

    # In a cluster one tenant's server does not see the other's; that run ids are unique is the database's part.
    @pytest.mark.one_redis_server
    @pytest.mark.parametrize(("tenant_id", "amount"), [("acme", 1), ("rival", 400_000)])
    def test_another_reservation_under_the_same_id_is_refused(self, tenant_id: str, amount: int) -> None:
        run_id = _held()
        _give("rival", 1_000_000)
        with pytest.raises(ReservationTaken):
            scripts.reserve(tenant_id, run_id, Micros(amount))
        assert _balance("rival") == "1000000"

    def test_a_missing_balance_is_neither_zero_nor_unlimited(self) -> None:
        with pytest.raises(BalanceMissing):
            scripts.reserve("acme", uuid4(), Micros(1))
        assert client().get(redis_keys.balance("acme")) is None

    def test_a_balance_above_ten_to_the_fifteen_stays_an_integer_text(self) -> None:
        run_id = _held(balance=MAX_BALANCE, amount=MAX_BALANCE - 1)
        assert _balance("acme") == "1"
        scripts.settle("acme", run_id, Micros(0))
        assert _balance("acme") == str(MAX_BALANCE) == "9007199254740991"

    @pytest.mark.parametrize("amount", [-1, 2**53, 2**63 - 1, True, "1e3", 1.0])
    def test_an_amount_that_is_not_exact_is_refused_before_redis(self, amount: Any) -> None:
        _give("acme", 1_000_000)
        with pytest.raises(ValueError, match="exactly"):
            scripts.reserve("acme", uuid4(), amount)

    def test_a_script_that_redis_forgot_is_loaded_again(self) -> None:
        _give("acme", 10)
        client().script_flush()
        assert scripts.reserve("acme", uuid4(), Micros(1)) == 9


class TestSettle:
    def test_charges_and_returns_the_rest(self) -> None:
        run_id = _held()
        assert scripts.settle("acme", run_id, Micros(50_000)) == Settlement(
            Micros(50_000), Micros(350_000), Micros(950_000)
        )
        assert not client().exists(redis_keys.hold("acme", run_id))
        assert client().scard(redis_keys.tenant_holds("acme")) == client().zcard(redis_keys.open_holds("acme")) == 0
        assert client().zcard(redis_keys.unsent("acme")) == 0
        assert 0 < client().ttl(redis_keys.receipt("acme", run_id)) <= 7 * 86_400

    def test_the_charge_is_capped_at_the_reservation(self) -> None:
        assert scripts.settle("acme", _held(), Micros(400_001)).charge == 400_000
        assert _balance("acme") == "600000"

    def test_a_repeat_answers_the_first_amounts_and_moves_nothing(self) -> None:
        run_id = _held()
        first = scripts.settle("acme", run_id, Micros(50_000))
        assert scripts.settle("acme", run_id, Micros(70_000)) == first
        assert _balance("acme") == "950000"

    def test_meeting_the_receipt_of_a_refund_is_a_conflict(self) -> None:
        run_id = _held()
        scripts.refund_full("acme", run_id)
        with pytest.raises(ReceiptConflict) as conflict:
            scripts.settle("acme", run_id, Micros(1))
        assert (conflict.value.kind, conflict.value.charge, conflict.value.refund) == ("refund", 0, 400_000)
        assert _balance("acme") == "1000000"

    def test_without_hold_and_receipt_nothing_is_guessed(self) -> None:
        _give("acme", 5)
        with pytest.raises(HoldMissing):
            scripts.settle("acme", uuid4(), Micros(1))
        assert _balance("acme") == "5"

    def test_without_a_balance_no_balance_is_invented(self) -> None:
        run_id = _held()
        client().delete(redis_keys.balance("acme"))
        with pytest.raises(BalanceMissing):
            scripts.settle("acme", run_id, Micros(1))
        assert client().get(redis_keys.balance("acme")) is None

    def test_of_a_hundred_parallel_settles_one_applies_and_all_answer_alike(self) -> None:
        run_id = _held()
        with ThreadPoolExecutor(20) as pool:
            answers = list(pool.map(lambda _: scripts.settle("acme", run_id, Micros(50_000)), range(100)))
        assert {(answer.charge, answer.refund) for answer in answers} == {(50_000, 350_000)}
        assert _balance("acme") == "950000"


class TestRefundFull:
    def test_returns_everything_once(self) -> None:
        run_id = _held()
        first = scripts.refund_full("acme", run_id)
        assert first == Settlement(Micros(0), Micros(400_000), Micros(1_000_000))
        assert scripts.refund_full("acme", run_id) == first
        assert _balance("acme") == "1000000"

    def test_meeting_the_receipt_of_a_settle_is_a_conflict(self) -> None:
        run_id = _held()
        scripts.settle("acme", run_id, Micros(50_000))
        with pytest.raises(ReceiptConflict) as conflict:
            scripts.refund_full("acme", run_id)
        assert (conflict.value.kind, conflict.value.charge) == ("settle", 50_000)

    def test_without_hold_or_balance_nothing_is_guessed(self) -> None:
        with pytest.raises(HoldMissing):
            scripts.refund_full("acme", uuid4())
        run_id = _held()
        client().delete(redis_keys.balance("acme"))
        with pytest.raises(BalanceMissing):
            scripts.refund_full("acme", run_id)

    def test_a_refund_raced_with_a_settle_has_one_winner_in_every_round(self) -> None:
        winners = []
        for _ in range(200):
            run_id = _held()
            barrier = threading.Barrier(2)

            def attempt(kind: str, run_id: UUID = run_id, barrier: threading.Barrier = barrier) -> str | None:
                barrier.wait()
                try:
                    if kind == "settle":
                        scripts.settle("acme", run_id, Micros(50_000))
                    else:
                        scripts.refund_full("acme", run_id)
                except ReceiptConflict:
                    return None
                return kind

            with ThreadPoolExecutor(2) as pool:
                won = [kind for kind in pool.map(attempt, ("settle", "refund")) if kind]
            assert len(won) == 1
            assert _balance("acme") == {"settle": "950000", "refund": "1000000"}[won[0]]
            winners.append(won[0])
        assert len(winners) == 200


class TestRebuild:
    def test_restores_balance_and_the_holds_of_live_runs(self) -> None:
        run_id = uuid4()
        rebuilt = scripts.rebuild("acme", Micros(600_000), live=[(run_id, Micros(400_000))], ended=[])
        assert (rebuilt.before, rebuilt.after, rebuilt.holds_restored) == (None, 600_000, 1)
        assert scripts.settle("acme", run_id, Micros(50_000)).balance == 950_000

    def test_keeps_a_hold_that_has_no_row_yet(self) -> None:
        run_id = _held(balance=1_000_000, amount=400_000)
        rebuilt = scripts.rebuild("acme", Micros(1_000_000), live=[], ended=[])
        assert rebuilt.after == 600_000
        assert scripts.refund_full("acme", run_id).balance == 1_000_000

    def test_does_not_hold_again_what_a_receipt_shows_as_settled(self) -> None:
        run_id = _held()
        scripts.settle("acme", run_id, Micros(50_000))
        rebuilt = scripts.rebuild("acme", Micros(600_000), live=[(run_id, Micros(400_000))], ended=[])
        assert (rebuilt.after, rebuilt.holds_restored) == (950_000, 0)
        assert not client().exists(redis_keys.hold("acme", run_id))

    def test_closes_the_hold_of_an_ended_run_with_the_amounts_of_the_journal(self) -> None:
        run_id = _held()
        ended = [EndedHold(run_id, "settle", Micros(50_000), Micros(350_000))]
        rebuilt = scripts.rebuild("acme", Micros(950_000), live=[], ended=ended)
        assert (rebuilt.after, rebuilt.holds_closed) == (950_000, 1)
        assert scripts.settle("acme", run_id, Micros(50_000)).refund == 350_000
        assert _balance("acme") == "950000"

    def test_changes_nothing_where_nothing_is_wrong(self) -> None:
        first, second = _held(), uuid4()
        scripts.reserve("acme", second, Micros(100_000))
        before = scripts.snapshot("acme", [first, second])
        live = [(first, Micros(400_000)), (second, Micros(100_000))]
        rebuilt = scripts.rebuild("acme", Micros(500_000), live=live, ended=[])
        assert (rebuilt.before, rebuilt.after, rebuilt.holds_restored, rebuilt.holds_closed) == (500_000, 500_000, 0, 0)
        assert scripts.snapshot("acme", [first, second]) == before

    def test_is_exact_for_every_mix_of_holds_receipts_and_amnesia(self) -> None:
        """Whatever Redis still knows of three runs (live, in flight, not yet inserted), S comes out the same."""
        for number, forgotten in enumerate(itertools.product([False, True], repeat=3)):
            tenant_id = f"tenant{number}"
            live, rowless = _held(tenant_id, 1_000_000, 100_000), uuid4()
            scripts.reserve(tenant_id, rowless, Micros(300_000))
            holds = (redis_keys.hold(tenant_id, live), redis_keys.hold(tenant_id, rowless))
            known = (redis_keys.balance(tenant_id), *holds)
            for forget, key in zip(forgotten, known, strict=True):
                if forget:
                    client().delete(key)
            scripts.rebuild(tenant_id, Micros(900_000), live=[(live, Micros(100_000))], ended=[])
            view = scripts.snapshot(tenant_id, [])
            assert view.balance is not None
            assert view.balance + sum(view.holds.values()) == 1_000_000
            assert view.holds[live] == 100_000


def test_snapshot_shows_balance_holds_and_the_receipts_asked_for() -> None:
    settled = _held()
    scripts.settle("acme", settled, Micros(50_000))
    open_run = uuid4()
    scripts.reserve("acme", open_run, Micros(7))
    view = scripts.snapshot("acme", [settled, open_run])
    assert (view.balance, view.holds, view.receipts) == (949_993, {open_run: 7}, {settled: 50_000})
