"""The audit finds a planted violation of every invariant, and finds nothing in a system that works, however busy."""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import call_command

from budget import ledger, redis_keys
from dpp_project.money import Micros
from dpp_project.profile import PROFILE, by_name
from dpp_project.redis import client
from runs.lifecycle import run_checks
from runs.lifecycle.cancel import cancel
from runs.models import Run
from runs.reports.invariants import Finding, audit_ledger
from tests.builders import Customer, limited_key, processing, submitted
from tests.owner import owner_cursor
from tests.race import actors
from tests.race.falsify import falsify
from tests.race.threads import busy


def _finding(invariant: str) -> Finding:
    return next(finding for finding in audit_ledger().findings if finding.invariant == invariant)


def _ended(owner: Customer) -> Run:
    run = submitted(owner)
    actors.work(run)
    return run


def _books_lose_a_micro(owner: Customer) -> None:
    falsify("UPDATE tenant_balances SET available_usd_micros = available_usd_micros - 1")


def _charge_is_forgotten_in_the_run(owner: Customer) -> None:
    falsify("UPDATE runs SET actual_cost_usd_micros = actual_cost_usd_micros - 1 WHERE run_id = %s", _ended(owner).pk)


def _settlement_vanishes(owner: Customer) -> None:
    falsify("DELETE FROM ledger_entries WHERE run_id = %s AND kind = 'SETTLE'", _ended(owner).pk)


def _live_run_is_settled(owner: Customer) -> None:
    falsify(
        "INSERT INTO ledger_entries (tenant_id, run_id, kind, amount_usd_micros, note, created_at)"
        " VALUES (%s, %s, 'REFUND', 0, '', now())",
        owner.id,
        submitted(owner).pk,
    )


def _failure_costs_too_much(owner: Customer) -> None:
    run = processing(owner)
    falsify("UPDATE runs SET lease_expires_at = now() - interval '1 s' WHERE run_id = %s", run.pk)
    actors.reaper(run)
    falsify("UPDATE runs SET actual_cost_usd_micros = 10001 WHERE run_id = %s", run.pk)
    falsify("UPDATE ledger_entries SET amount_usd_micros = 489999 WHERE run_id = %s AND kind = 'SETTLE'", run.pk)
    falsify("UPDATE tenant_balances SET available_usd_micros = available_usd_micros - 1")


def _never_started_yet_charged(owner: Customer) -> None:
    run = submitted(owner)
    actors.owner_cancels(run)
    falsify("UPDATE run_transitions SET to_status = 'PROCESSING' WHERE run_id = %s AND version_after = 1", run.pk)


def _balance_dips_below_zero(owner: Customer) -> None:
    for number, amount in enumerate((-11_000_000, 11_000_000)):
        falsify(
            "INSERT INTO ledger_entries (tenant_id, kind, amount_usd_micros, note, created_at, sequence)"
            " VALUES (%s, 'ADJUST', %s, '', now(), %s)",
            owner.id,
            amount,
            100 + number,
        )


def _history_has_a_gap(owner: Customer) -> None:
    falsify("DELETE FROM run_transitions WHERE run_id = %s AND version_after = 1", _ended(owner).pk)


def _inputs_are_gone(owner: Customer) -> None:
    falsify("DELETE FROM run_payloads WHERE run_id = %s", submitted(owner).pk)


def _key_released_without_reason(owner: Customer) -> None:
    falsify("UPDATE runs SET idempotency_released = true WHERE run_id = %s", _ended(owner).pk)


def _queued_for_too_long(owner: Customer) -> None:
    falsify("UPDATE runs SET created_at = now() - interval '3700 s' WHERE run_id = %s", submitted(owner).pk)


def _running_for_too_long(owner: Customer) -> None:
    run = processing(owner)
    falsify("UPDATE run_transitions SET at = at - interval '640 s' WHERE run_id = %s", run.pk)


def _redis_invents_a_micro(owner: Customer) -> None:
    client().incrby(redis_keys.balance(owner.id), 1)


def _hold_deleted_by_hand(owner: Customer) -> None:
    client().delete(redis_keys.hold(owner.id, submitted(owner).pk))


def _hold_lost_with_its_deduction(owner: Customer) -> None:
    """What a killed Redis forgets of its last second: the balance looks whole, and the run's money is in it."""
    run = submitted(owner)
    client().delete(redis_keys.hold(run.tenant_id, run.pk))
    client().srem(redis_keys.tenant_holds(owner.id), str(run.pk))
    client().incrby(redis_keys.balance(owner.id), run.reservation_max_cost_usd_micros)


def _entry_is_edited(owner: Customer) -> None:
    falsify("UPDATE ledger_entries SET note = 'x'")


def _key_has_more_held_than_its_runs(owner: Customer) -> None:
    submitted(owner, api_key=limited_key(owner, total="1.0000"))
    falsify("UPDATE key_budgets SET held_usd_micros = held_usd_micros + 1")


def _key_spent_more_than_it_may(owner: Customer) -> None:
    submitted(owner, api_key=limited_key(owner, total="1.0000"))
    falsify("UPDATE key_budgets SET max_total_usd_micros = 499999")


def _key_without_runs_has_spent(owner: Customer) -> None:
    limited_key(owner, total="1.0000")
    falsify("UPDATE key_budgets SET spent_usd_micros = 1")


def _run_counts_nowhere(owner: Customer) -> None:
    key = limited_key(owner, total="1.0000")
    falsify("UPDATE runs SET api_key_id = %s WHERE run_id = %s", key.pk, submitted(owner).pk)


_PLANTED: list[tuple[str, Callable[[Customer], None]]] = [
    ("I1", _books_lose_a_micro),
    ("I1", _entry_is_edited),
    ("I1", _charge_is_forgotten_in_the_run),
    ("I2", _settlement_vanishes),
    ("I2", _live_run_is_settled),
    ("I3", _failure_costs_too_much),
    ("I3", _never_started_yet_charged),
    ("I4", _balance_dips_below_zero),
    ("I5", _history_has_a_gap),
    ("I5", _inputs_are_gone),
    ("I5", _key_released_without_reason),
    ("I6", _queued_for_too_long),
    ("I6", _running_for_too_long),
    ("I7", _redis_invents_a_micro),
    ("I7", _hold_deleted_by_hand),
    ("I7", _hold_lost_with_its_deduction),
    ("I8", _key_has_more_held_than_its_runs),
    ("I8", _key_spent_more_than_it_may),
    ("I8", _key_without_runs_has_spent),
    ("I8", _run_counts_nowhere),
]


@pytest.mark.parametrize(("invariant", "plant"), _PLANTED, ids=[f"{i}{p.__name__}" for i, p in _PLANTED])
def test_a_planted_violation_is_found(acme: Customer, invariant: str, plant: Callable[[Customer], None]) -> None:
    assert _finding(invariant).violations == 0
    plant(acme)
    found = _finding(invariant)
    assert found.violations == 1
    assert len(found.examples) == 1


def test_a_run_is_held_to_the_fee_of_its_own_profile(acme: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
    dearer = replace(PROFILE, version="DEARER", version_aliases=(), minimum_fee_floor=Micros(20_000))
    monkeypatch.setattr(run_checks, "PROFILES", by_name([PROFILE, dearer]))
    run = _ended(acme)
    assert _finding("I3").violations == 0

    falsify("UPDATE runs SET profile_version = 'DEARER' WHERE run_id = %s", run.pk)
    assert _finding("I3").violations == 1
    falsify("UPDATE runs SET minimum_fee_usd_micros = 20000 WHERE run_id = %s", run.pk)
    assert _finding("I3").violations == 0


def test_a_run_of_a_profile_that_is_gone_is_held_to_what_it_recorded(acme: Customer) -> None:
    run = _ended(acme)
    falsify("UPDATE runs SET profile_version = 'GONE' WHERE run_id = %s", run.pk)
    assert _finding("I3").violations == 0
    falsify("UPDATE runs SET actual_cost_usd_micros = actual_cost_usd_micros - 1 WHERE run_id = %s", run.pk)
    assert _finding("I3").violations == 1


def test_two_runs_under_one_key_are_found(acme: Customer) -> None:
    """The unique index makes it impossible; without the index the audit sees it."""
    first, second = submitted(acme), submitted(acme)
    with owner_cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname = 'runs_one_per_idempotency_key'")
        ((definition,),) = cursor.fetchall()
        cursor.execute("DROP INDEX runs_one_per_idempotency_key")
        try:
            falsify("UPDATE runs SET idempotency_key = %s WHERE run_id = %s", first.idempotency_key, second.pk)
            assert _finding("I5").examples == (f"acme: 2 unreleased runs under key {first.idempotency_key}",)
        finally:
            falsify("UPDATE runs SET idempotency_key = %s WHERE run_id = %s", second.idempotency_key, second.pk)
            cursor.execute(definition)


def test_the_command_tells_and_its_exit_code_says_it(acme: Customer) -> None:
    submitted(acme)
    out = StringIO()
    call_command("audit_ledger", stdout=out)
    assert [line[:6] for line in out.getvalue().splitlines()] == [f"I{n}  ok" for n in range(1, 9)]

    _redis_invents_a_micro(acme)
    out = StringIO()
    with pytest.raises(SystemExit) as ending:
        call_command("audit_ledger", json=True, stdout=out)
    assert ending.value.code == 1
    told = json.loads(out.getvalue())
    assert told["ok"] is False
    assert [finding["violations"] for finding in told["findings"]] == [0, 0, 0, 0, 0, 0, 1, 0]
    assert told["findings"][6]["examples"] == ["acme: 1 micros, 0 holds missing"]

    out = StringIO()
    call_command("audit_ledger", repair=True, stdout=out)
    assert "Rebuilt in Redis: acme" in out.getvalue()
    assert audit_ledger().is_clean


def test_what_redis_forgot_is_told_and_is_no_violation(acme: Customer) -> None:
    run = submitted(acme)
    client().flushall()
    report = audit_ledger()
    assert report.is_clean
    assert report.forgotten == ("acme",)
    assert audit_ledger(repair=True).repaired == ("acme",)
    assert client().exists(redis_keys.hold(run.tenant_id, run.pk))


def test_the_audit_never_cries_wolf_under_load(acme: Customer, rival: Customer) -> None:
    """Four busy threads submit, run, cancel, top up, and Redis forgets now and then. The audit looks all the time."""
    done = 0

    def use(owner: Customer, end: Callable[[Run], object]) -> None:
        nonlocal done
        end(submitted(owner, max_cost="0.0500"))
        ledger.top_up(owner.id, Micros(50_000), reference=f"load:{uuid4()}")
        done += 1
        if done % 40 == 20:
            client().flushall()

    reports = []
    with busy(
        lambda: use(acme, actors.work),
        lambda: use(rival, actors.work),
        lambda: use(acme, cancel),
        lambda: use(rival, cancel),
    ):
        began = time.monotonic()
        while time.monotonic() < began + 4 or (done <= 25 and time.monotonic() < began + 60):
            reports.append(audit_ledger())
    assert done > 25
    assert [example for report in reports for finding in report.findings for example in finding.examples] == []
