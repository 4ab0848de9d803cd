"""Submits that share the call to the database: each has the outcome that it would have alone."""

import threading
import time
from collections.abc import Sequence
from typing import Any

import pytest
from django.db import InterfaceError, connection, transaction
from django.utils import timezone

from budget import journal
from budget.exceptions import InsufficientFunds, SpendingFrozen
from budget.models import LedgerEntry, TenantBalance, VoidedReservation
from runs.exceptions import KeyBudgetDrained, OutcomeUnknown
from runs.lifecycle import acceptance, statements, transitions
from runs.lifecycle.submit import _new_payload, _new_run
from runs.models import ApiKey, KeyBudget, Run, RunPayload, RunTransition
from runs.reports.invariants import audit_ledger
from tests.books import assert_balanced
from tests.builders import Customer, customer, fresh_key, limited_key, request, submitted
from tests.race.row_lock import rows_locked
from tests.race.threads import at_once

HALF = 500_000


def new(
    owner: Customer, *, key: str | None = None, api_key: ApiKey | None = None, **changes: Any
) -> tuple[Run, RunPayload]:
    asked = request(**changes)
    run = _new_run(owner.tenant, asked, key=key or fresh_key(), trace_id="trace", now=timezone.now(), api_key=api_key)
    return run, _new_payload(run, asked)


def outcomes(requests: Sequence[tuple[Run, RunPayload]]) -> list[str]:
    return [created.outcome for created in transitions.create_together(requests)]


def test_each_row_is_the_one_that_a_lone_submit_writes(acme: Customer, rival: Customer) -> None:
    """All columns of all tables, but for ids, times and the chain's hashes."""
    key = limited_key(acme, total="5.0000")
    given: list[dict[str, Any]] = [
        {"tags": {"팀": 'a"\\b', "n": "1"}, "client_name": "cli", "client_version": "1.2"},
        {"inline": True, "min_reliability_score": 0.1, "max_cost": "0.1230"},
        {"inputs": {"question": '따옴표 " \\ \u2028 🙂\n\t', "options": ["a", "b"]}},
    ]
    alone = [new(acme, api_key=key, **one) for one in given]
    for run, payload in alone:
        transitions.create(run, payload)
    together = [new(acme, api_key=key, **one) for one in given]
    created = transitions.create_together([*together, new(rival)])
    assert [one.outcome for one in created] == [statements.ACCEPTED] * 4
    spent = HALF + 123_000 + HALF
    assert [one.remaining for one in created] == [
        *(10_000_000 - spent - taken for taken in (HALF, HALF + 123_000, spent)),
        10_000_000 - HALF,
    ]
    for (first, _), (second, _), one in zip(alone, together, created, strict=False):
        transitions.note_created(second, one.at)
        for model, own in (
            (Run, {"run_id", "idempotency_key"}),
            (RunPayload, {"run_id"}),
            (RunTransition, {"id", "run_id"}),
        ):
            names = [field.attname for field in model._meta.concrete_fields if field.attname not in own]
            rows = [model.objects.filter(run_id=run.pk).values(*names).get() for run in (first, second)]
            for row in rows:
                for name in [name for name in row if name == "at" or name.endswith("_at") or name == "retention_until"]:
                    row[name] = row[name] and type(row[name])
            assert rows[0] == rows[1]
        stored = Run.objects.get(pk=second.pk)
        assert (stored.created_at, stored.retention_until) == (second.created_at, second.retention_until)
        entry = LedgerEntry.objects.get(run=second)
        assert (entry.kind, entry.amount_usd_micros) == ("RESERVE", -second.reservation_max_cost_usd_micros)
    assert KeyBudget.objects.get().held_usd_micros == 2 * spent
    assert journal.available(acme.id) == journal.journal_sum(acme.id) == 10_000_000 - 2 * spent


def test_each_has_its_own_outcome(acme: Customer, rival: Customer) -> None:
    frozen, poor = customer("frozen", budget="10.0000"), customer("poor", budget="0.8000")
    TenantBalance.objects.filter(tenant_id=frozen.id).update(frozen_at=timezone.now())
    key = limited_key(acme, total="1.2000")
    taken = submitted(acme)
    voided = new(acme)
    VoidedReservation.objects.create(run_id=voided[0].pk)
    asked = [
        new(poor),
        new(frozen),
        *(new(acme, api_key=key) for _ in range(3)),
        voided,
        new(poor),
        new(acme, key=taken.idempotency_key),
        new(poor, max_cost="0.3000"),
        new(acme),
        new(rival),
    ]
    ok = statements.ACCEPTED
    assert outcomes(asked) == [
        *(ok, statements.FROZEN),
        *(ok, ok, statements.KEY_DRAINED),
        *(statements.VOIDED, statements.INSUFFICIENT, statements.KEY_IS_TAKEN, ok, ok, ok),
    ]
    assert Run.objects.count() == RunTransition.objects.count() == RunPayload.objects.count() == 1 + 6
    assert journal.available(poor.id) == 0
    assert journal.available(frozen.id) == 10_000_000
    assert journal.available(acme.id) == 10_000_000 - 4 * HALF
    assert KeyBudget.objects.get().held_usd_micros == 2 * HALF
    for owner in (acme, rival, frozen, poor):
        assert journal.journal_sum(owner.id) == journal.available(owner.id)


def test_a_drained_child_takes_nothing_from_the_keys_above_it(acme: Customer) -> None:
    """What a refused run would have counted upwards must not refuse the next one."""
    parent = limited_key(acme, total="1.0000")
    child = limited_key(acme, total="0.1000")
    assert parent.budget_id
    assert child.budget_id
    KeyBudget.objects.filter(pk=child.budget_id).update(lineage=[child.budget_id, parent.budget_id])
    assert outcomes([new(acme, api_key=child), new(acme, api_key=parent), new(acme, api_key=parent)]) == [
        *(statements.KEY_DRAINED, statements.ACCEPTED, statements.ACCEPTED)
    ]
    assert KeyBudget.objects.get(pk=parent.budget_id).held_usd_micros == 2 * HALF


def test_nobody_waits_for_a_tenant_whose_row_is_held(acme: Customer, rival: Customer) -> None:
    with rows_locked(TenantBalance.objects.filter(tenant_id=acme.id)):
        began = time.monotonic()
        assert outcomes([new(acme), new(rival), new(acme), new(rival)]) == [
            *(statements.ROW_IS_LOCKED, statements.ACCEPTED) * 2
        ]
        assert time.monotonic() - began < 2
    assert journal.available(acme.id) == 10_000_000
    assert journal.available(rival.id) == 10_000_000 - 2 * HALF


def test_who_comes_while_a_call_is_under_way_shares_the_next_one(
    acme: Customer, rival: Customer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line is held up; others, among them one without money, come and go together."""
    poor = customer("poor", budget="0.4000")
    sizes: list[int] = []
    gate, arrived = threading.Event(), threading.Semaphore(0)
    real = acceptance._calls._call

    def held_up(requests: Sequence[Any]) -> Sequence[Any]:
        sizes.append(len(requests))
        arrived.release()
        assert gate.wait(30)
        return real(requests)

    monkeypatch.setattr(acceptance._calls, "_call", held_up)
    owners = [acme, rival] * 9
    found: list[object] = [None] * 19

    def go(number: int) -> None:
        try:
            if number == 18:
                run, payload = new(poor)
                found[number] = acceptance.accept(run, payload)
            else:
                found[number] = submitted(owners[number])
        except Exception as error:
            found[number] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=go, args=(number,)) for number in range(19)]
    for thread in threads[:1]:
        thread.start()
        assert arrived.acquire(timeout=10)
    for thread in threads[1:]:
        thread.start()
    ends = time.monotonic() + 30
    while len(acceptance._calls._waiting) < 18 and time.monotonic() < ends:
        time.sleep(0.01)
    gate.set()
    for thread in threads:
        thread.join()
    assert sizes == [1, 16, 2]
    assert [isinstance(one, Run) for one in found[:18]] == [True] * 18
    assert isinstance(found[18], Exception)
    assert acceptance.sqlstate(found[18]) == statements.INSUFFICIENT
    assert_balanced(acme, 10_000_000 - 9 * HALF)
    assert_balanced(rival, 10_000_000 - 9 * HALF)


def test_a_crowd_spends_to_the_micro(acme: Customer, rival: Customer) -> None:
    """Forty want half a dollar each of ten; two keys of limits; the same key twice."""
    limited = limited_key(rival, total="2.0000")
    twice = fresh_key()

    def go(number: int) -> Run:
        if number % 3 == 2:
            return submitted(rival, api_key=limited)
        return submitted(acme, key=twice if number in (0, 1, 3) else None)

    seen = at_once(60, go)
    of_acme = {one.pk for one in seen if isinstance(one, Run) and one.tenant_id == acme.id}
    refused = [one for one in seen if not isinstance(one, Run)]
    assert {type(one) for one in refused} <= {InsufficientFunds, KeyBudgetDrained}
    assert len(of_acme) == Run.objects.filter(tenant=acme.tenant).count() == 20
    assert Run.objects.filter(tenant=acme.tenant, idempotency_key=twice).count() == 1
    assert Run.objects.filter(tenant=rival.tenant).count() == 4
    assert_balanced(acme, 0)
    assert_balanced(rival, 10_000_000 - 4 * HALF)
    assert audit_ledger().is_clean


def test_one_request_that_the_database_cannot_take_is_its_own_affair(acme: Customer, rival: Customer) -> None:
    """A fee above the reservation breaks a constraint, which fails the whole call: each then goes alone."""
    wrong = new(acme)
    wrong[0].minimum_fee_usd_micros = 600_000
    asked = [acceptance._Request(*one) for one in (new(rival), wrong, new(rival))]
    assert acceptance._accept_batch(asked) == [None, None, None]
    assert not Run.objects.exists()
    assert journal.available(rival.id) == 10_000_000


@pytest.mark.parametrize("has_happened", [True, False])
def test_after_a_lost_answer_each_looks_for_its_own_run(
    acme: Customer, rival: Customer, monkeypatch: pytest.MonkeyPatch, has_happened: bool
) -> None:
    real = transitions.create_together

    def lost(requests: Sequence[tuple[Run, RunPayload]]) -> Any:
        if has_happened:
            real(requests)
        raise InterfaceError("the connection is lost")

    def two_at_once(asked: Sequence[Any]) -> list[Any]:
        """As if it had come while the line was busy."""
        return acceptance._accept_batch([*asked, acceptance._Request(*new(acme))])[: len(asked)]

    monkeypatch.setattr(transitions, "create_together", lost)
    monkeypatch.setattr(acceptance._calls, "_call", two_at_once)
    for owner in (acme, rival):
        if has_happened:
            assert submitted(owner).pk in set(Run.objects.filter(tenant=owner.tenant).values_list("pk", flat=True))
        else:
            with pytest.raises(OutcomeUnknown):
                submitted(owner)
            assert not Run.objects.filter(tenant=owner.tenant).exists()


def test_a_submit_inside_a_transaction_is_made_alone(acme: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody's run becomes part of somebody else's transaction."""

    def never(_: Any) -> Any:
        raise AssertionError("shared")

    monkeypatch.setattr(acceptance._calls, "_call", never)
    run, payload = new(acme)
    with transaction.atomic():
        acceptance.accept(run, payload)
        transaction.set_rollback(True)
    assert not Run.objects.exists()


def test_a_frozen_tenant_is_told_so(acme: Customer) -> None:
    TenantBalance.objects.filter(tenant_id=acme.id).update(frozen_at=timezone.now())
    with pytest.raises(SpendingFrozen):
        submitted(acme)
