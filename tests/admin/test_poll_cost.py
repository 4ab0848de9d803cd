"""Polling above the recommended rate costs ten micros, but only while KILL_POLL_MICROCOST is off."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from budget import journal, ledger
from budget.models import EntryKind, LedgerEntry
from dpp_project.redis import client as redis_client
from runs.access import poll_cost, switches
from runs.access.poll_cost import charge_poll
from runs.access.switches import Switch
from runs.jobs.drift_repair import repair_drift
from runs.models import Run
from tests.books import assert_balanced, redis_balance
from tests.builders import Customer, customer, micros, submitted

pytestmark = pytest.mark.usefixtures("platform")


@pytest.fixture
def charging(platform: object) -> None:
    switches.flip(Switch.KILL_POLL_MICROCOST, on=False, who="test", why="polls cost")


def test_polls_are_free_by_default(acme: Customer, queued_run: Run) -> None:
    assert [charge_poll(queued_run) for _ in range(3)] == [0, 0, 0]
    assert_balanced(acme, micros("9.5000"))


def test_a_poll_at_the_recommended_rate_is_free_and_a_faster_one_costs(
    charging: None, acme: Customer, queued_run: Run
) -> None:
    charged = [charge_poll(queued_run) for _ in range(3)]

    assert charged == [0, 10, 10]
    assert_balanced(acme, micros("9.5000") - 20)
    entries = LedgerEntry.objects.filter(kind=EntryKind.ADJUST)
    assert [(entry.run_id, entry.amount_usd_micros) for entry in entries] == [(queued_run.pk, -10)] * 2


def test_runs_do_not_pay_for_each_others_polls(charging: None, acme: Customer) -> None:
    assert [charge_poll(submitted(acme)) for _ in range(3)] == [0, 0, 0]


def test_after_the_interval_a_poll_is_free_again(charging: None, acme: Customer, queued_run: Run) -> None:
    charge_poll(queued_run)
    redis_client().delete(f"poll_paid:{queued_run.pk}")  # as after the interval

    assert charge_poll(queued_run) == 0


def test_nobody_goes_below_zero(charging: None) -> None:
    poor = customer("poor", budget="0.5000")
    ledger.top_up("poor", poll_cost.PRICE, reference="ten micros", note="")
    run = submitted(poor)

    assert [charge_poll(run) for _ in range(4)] == [0, 10, 0, 0]
    assert_balanced(poor, 0)


def test_a_forgetful_redis_follows_the_books(charging: None, acme: Customer, queued_run: Run) -> None:
    charge_poll(queued_run)
    redis_client().delete("budget:acme:balance_usd_micros")

    assert charge_poll(queued_run) == 10
    assert redis_balance(acme) is None
    repair_drift()
    assert_balanced(acme, micros("9.5000") - 10)


def test_a_repeated_call_to_redis_is_applied_once(acme: Customer) -> None:
    call = {"keys": ["budget:acme:balance_usd_micros", "poll_mark:one"], "args": ["10", "60"]}

    assert [poll_cost._CHARGE(**call), poll_cost._CHARGE(**call)] == ["OK", "OK"]
    assert redis_balance(acme) == micros("10.0000") - 10


def test_many_polls_at_once_are_charged_exactly(charging: None, acme: Customer, queued_run: Run) -> None:
    def poll(_: int) -> int:
        try:
            return charge_poll(queued_run)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as threads:
        charged = sum(threads.map(poll, range(40)))

    assert charged == 390  # the first one was free
    assert journal.available("acme") == micros("9.5000") - 390
    assert_balanced(acme, micros("9.5000") - 390)
