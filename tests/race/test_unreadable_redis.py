"""A value in Redis that nobody of ours could have written: taken as forgotten, written anew, with an alarm."""

from collections.abc import Callable

import pytest
import redis
from django.test import Client

from budget import ledger, redis_keys
from budget.exceptions import LedgerUnavailable
from budget.rebuild import rebuild
from dpp_project.metrics import LEDGER_ALARMS
from dpp_project.money import Micros
from dpp_project.redis import client
from runs.jobs.drift_repair import repair_drift
from runs.models import Run
from runs.reports.invariants import audit_ledger
from tests.api.caller import Caller
from tests.books import assert_balanced, redis_balance
from tests.builders import Customer, fresh_key, submitted


@pytest.fixture
def acme_api(api: Client, acme: Customer) -> Caller:
    return Caller(api, acme)


def _as_text(key: str) -> None:
    client().delete(key)
    client().set(key, "12.5")


def _as_list(key: str) -> None:
    client().delete(key)
    client().rpush(key, "1", "2")


DAMAGES = pytest.mark.parametrize("damage", [_as_text, _as_list])


@DAMAGES
def test_a_balance_is_rebuilt_and_the_submit_accepted(
    acme_api: Caller, acme: Customer, damage: Callable[[str], None]
) -> None:
    alarms = _alarms()
    damage(redis_keys.balance(acme.id))

    assert acme_api.submit().status_code == 202

    assert redis_balance(acme) == 9_500_000
    assert _alarms() == alarms + 1
    assert audit_ledger().is_clean


@DAMAGES
def test_a_set_of_holds_is_rebuilt_and_no_money_vanishes(
    acme_api: Caller, acme: Customer, queued_run: Run, damage: Callable[[str], None]
) -> None:
    damage(redis_keys.tenant_holds(acme.id))

    assert acme_api.submit().status_code == 202

    assert client().scard(redis_keys.tenant_holds(acme.id)) == 2
    assert audit_ledger().is_clean


@DAMAGES
def test_the_hold_of_a_run_that_ends_is_rebuilt(acme: Customer, queued_run: Run, damage: Callable[[str], None]) -> None:
    damage(redis_keys.hold(queued_run.tenant_id, queued_run.pk))
    assert ledger.settle(acme.id, queued_run.pk, Micros(50_000)).refund == 450_000
    assert redis_balance(acme) == 9_950_000


def test_a_hold_whose_amount_is_no_number_is_rebuilt(acme: Customer, queued_run: Run) -> None:
    client().hset(redis_keys.hold(queued_run.tenant_id, queued_run.pk), "reserved_usd_micros", "12.5")
    assert ledger.refund_full(acme.id, queued_run.pk).refund == 500_000
    assert redis_balance(acme) == 10_000_000


@DAMAGES
def test_a_receipt_is_taken_as_none(acme: Customer, queued_run: Run, damage: Callable[[str], None]) -> None:
    damage(redis_keys.receipt(queued_run.tenant_id, queued_run.pk))
    assert ledger.settle(acme.id, queued_run.pk, Micros(50_000)).charge == 50_000
    assert ledger.settle(acme.id, queued_run.pk, Micros(50_000)).charge == 50_000
    assert redis_balance(acme) == 9_950_000


@DAMAGES
@pytest.mark.parametrize("name", ["idem", "idem_lock"])
def test_a_key_whose_mapping_or_lock_is_nonsense_starts_one_run(
    acme_api: Caller, acme: Customer, damage: Callable[[str], None], name: str
) -> None:
    key = fresh_key()
    damage(redis_keys.of_tenant(acme.id, f"{name}:{acme.id}:{key}"))
    if (name, damage) == ("idem_lock", _as_text):
        # A lock that somebody holds, as far as anybody can tell: it is waited for, and refused as busy.
        assert acme_api.submit(key=key).status_code == 409
        return
    first, second = acme_api.submit(key=key), acme_api.submit(key=key)
    assert (first.status_code, second.status_code) == (202, 202)
    assert Run.objects.count() == 1


@DAMAGES
def test_a_nonsense_bucket_is_a_full_one(acme_api: Caller, acme: Customer, damage: Callable[[str], None]) -> None:
    acme_api.get("/v1/budget")
    (bucket,) = client().keys("*poll*acme*") or client().keys("*acme*poll*")
    damage(str(bucket))
    assert acme_api.get("/v1/budget").headers["X-RateLimit-Remaining"] == "59"


def test_a_bucket_of_a_clock_that_was_set_back_is_no_further_ahead_than_a_minute(acme_api: Caller) -> None:
    acme_api.get("/v1/budget")
    (bucket,) = client().keys("*poll*acme*") or client().keys("*acme*poll*")
    seconds, _ = client().time()
    client().set(bucket, str((seconds + 86_400) * 1_000_000))
    refused = acme_api.get("/v1/budget")
    assert refused.status_code == 429
    assert int(refused.headers["X-RateLimit-Reset"]) <= seconds + 62


def test_the_audit_goes_on_past_a_tenant_with_nonsense(acme: Customer, rival: Customer) -> None:
    _as_list(redis_keys.balance(acme.id))
    _as_text(redis_keys.balance(rival.id))
    submitted(rival)
    counts = repair_drift()
    assert counts.left == 0
    assert audit_ledger().is_clean


def test_a_rebuild_throws_away_what_it_cannot_read(acme: Customer, queued_run: Run) -> None:
    for key in (
        redis_keys.balance(acme.id),
        redis_keys.tenant_holds(acme.id),
        redis_keys.hold(queued_run.tenant_id, queued_run.pk),
    ):
        _as_list(key)
    assert rebuild(acme.id).unreadable == 3
    assert_balanced(acme, 9_500_000)
    with pytest.raises((redis.ResponseError, LedgerUnavailable)):
        client().lrange(redis_keys.balance(acme.id), 0, -1)


def _alarms() -> float:
    return float(LEDGER_ALARMS.labels(event="unreadable_in_redis")._value.get())
