"""The standing audit walks all tenants, whatever is wrong with one of them."""

import logging

import pytest

from budget import keys
from budget.models import TenantBalance
from dpp_project.redis import client
from runs.jobs.audit import Audited, audit
from tests.books import redis_balance
from tests.builders import Customer, customer
from tests.race.row_lock import rows_locked


@pytest.fixture
def five(acme: Customer, rival: Customer) -> list[Customer]:
    """In the order the audit walks them."""
    return [acme, *(customer(f"moreso{number}", budget="10.0000") for number in range(3)), rival]


def test_a_tenant_whose_row_is_held_does_not_hide_those_behind_it(
    acme: Customer, rival: Customer, caplog: pytest.LogCaptureFixture
) -> None:
    client().delete(keys.balance(rival.id))
    with rows_locked(TenantBalance.objects.filter(tenant_id=acme.id)), caplog.at_level(logging.WARNING, "dpp.jobs"):
        assert audit() == Audited(found=1, examined=1, rebuilt=1, left=1)
    assert redis_balance(rival) == 10_000_000
    (line,) = [record for record in caplog.records if record.message == "tenant_not_audited"]
    assert vars(line)["dpp_fields"] == {"tenant_id": acme.id}
    assert audit() == Audited(examined=2)


def test_a_tenant_with_damaged_keys_does_not_hide_those_behind_it(acme: Customer, rival: Customer) -> None:
    client().set(keys.tenant_holds(acme.id), "no set")
    client().delete(keys.balance(rival.id))
    assert audit() == Audited(found=1, examined=1, rebuilt=1, left=1)


def test_a_pass_in_which_one_after_the_other_cannot_be_examined_is_given_up(five: list[Customer]) -> None:
    with rows_locked(TenantBalance.objects.all()):
        assert audit() == Audited(left=3)
    assert audit() == Audited(examined=2), "goes on behind them"
    assert audit() == Audited(examined=5)


def test_a_pass_whose_time_is_over_is_continued_by_the_next(
    five: list[Customer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runs.jobs.audit._BUDGET_SEC", 0)
    assert audit() == Audited(examined=1)
    client().delete(keys.balance(five[1].id))
    assert audit() == Audited(found=1, examined=1, rebuilt=1)


def test_more_tenants_than_a_page_are_walked_in_one_pass(five: list[Customer], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runs.jobs.audit._BATCH", 2)
    assert audit() == Audited(examined=5)
