"""The standing audit walks all tenants, whatever is wrong with one of them."""

import logging

import pytest

from budget import redis_keys
from budget.models import TenantBalance
from dpp_project.redis import client
from runs.jobs.drift_repair import DriftRepaired, repair_drift
from tests.books import redis_balance
from tests.builders import Customer, customer, submitted
from tests.race.row_lock import rows_locked


@pytest.fixture
def five(acme: Customer, rival: Customer) -> list[Customer]:
    """In the order the audit walks them."""
    return [acme, *(customer(f"moreso{number}", budget="10.0000") for number in range(3)), rival]


def test_a_tenant_whose_row_is_held_does_not_hide_those_behind_it(
    acme: Customer, rival: Customer, caplog: pytest.LogCaptureFixture
) -> None:
    client().delete(redis_keys.balance(rival.id))
    with rows_locked(TenantBalance.objects.filter(tenant_id=acme.id)), caplog.at_level(logging.WARNING, "dpp.jobs"):
        assert repair_drift() == DriftRepaired(found=1, examined=1, rebuilt=1, left=1)
    assert redis_balance(rival) == 10_000_000
    (line,) = [record for record in caplog.records if record.message == "tenant_not_audited"]
    assert vars(line)["dpp_fields"] == {"tenant_id": acme.id}
    assert repair_drift() == DriftRepaired(examined=2)


def test_a_tenant_with_damaged_keys_does_not_hide_those_behind_it(acme: Customer, rival: Customer) -> None:
    client().sadd(redis_keys.tenant_holds(acme.id), "no run id")
    client().hset("reserve:no run id", "reserved_usd_micros", "5")
    client().delete(redis_keys.balance(rival.id))
    assert repair_drift().rebuilt == 1
    assert redis_balance(rival) == 10_000_000


def test_a_pass_in_which_one_after_the_other_cannot_be_examined_is_given_up(five: list[Customer]) -> None:
    with rows_locked(TenantBalance.objects.all()):
        assert repair_drift() == DriftRepaired(left=3)
    assert repair_drift() == DriftRepaired(examined=5)


def test_a_walk_in_which_one_after_the_other_cannot_be_examined_goes_on_behind_them(five: list[Customer]) -> None:
    _nothing_is_new()
    with rows_locked(TenantBalance.objects.all()):
        assert repair_drift() == DriftRepaired(left=3)
    assert repair_drift() == DriftRepaired(examined=2), "goes on behind them"
    assert repair_drift() == DriftRepaired(examined=5)


def test_tenants_with_new_entries_are_looked_at_before_all_others(
    five: list[Customer], monkeypatch: pytest.MonkeyPatch
) -> None:
    _nothing_is_new()
    monkeypatch.setattr("runs.jobs.drift_repair._WALK_SEC", 0)
    submitted(five[4])
    client().delete(redis_keys.balance(five[4].id))
    assert repair_drift() == DriftRepaired(found=1, examined=2, rebuilt=1), "it, and the next one of the walk"


def _nothing_is_new() -> None:
    """Two passes have seen all entries there are."""
    repair_drift()
    repair_drift()


def test_a_pass_whose_time_is_over_is_continued_by_the_next(
    five: list[Customer], monkeypatch: pytest.MonkeyPatch
) -> None:
    _nothing_is_new()
    monkeypatch.setattr("runs.jobs.drift_repair._WALK_SEC", 0)
    assert repair_drift() == DriftRepaired(examined=1)
    client().delete(redis_keys.balance(five[1].id))
    assert repair_drift() == DriftRepaired(found=1, examined=1, rebuilt=1)


def test_more_tenants_than_a_page_are_walked_in_one_pass(five: list[Customer], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runs.jobs.drift_repair._BATCH", 2)
    assert repair_drift() == DriftRepaired(examined=5)
