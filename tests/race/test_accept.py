"""The one call that accepts a run writes what the model says, and all of it or nothing."""

import time
from typing import cast

import pytest
from django.db import DatabaseError, connection
from django.utils import timezone

from budget import journal
from budget.models import LedgerEntry, VoidedReservation
from dpp_project.postgresql.base import DatabaseWrapper
from runs.access.limits import Gate, TooManyRuns
from runs.lifecycle import statements, transitions
from runs.lifecycle.submit import _new_payload, _new_run, submit
from runs.models import Run, RunPayload, RunTransition
from tests.builders import Customer, fresh_key, on_plan, request
from tests.race.threads import at_once


def new_run(owner: Customer) -> tuple[Run, RunPayload]:
    run = _new_run(owner.tenant, request(), key=fresh_key(), trace_id="trace", now=timezone.now())
    return run, _new_payload(run, request())


def test_the_row_is_the_model(acme: Customer) -> None:
    """The function lists columns that the model declares too: this is what keeps the two the same."""
    run, payload = new_run(acme)
    left = transitions.create(run, payload)
    stored, stored_payload = Run.objects.get(), RunPayload.objects.get()
    for field in Run._meta.concrete_fields:
        assert getattr(stored, field.attname) == getattr(run, field.attname), field.attname
    assert (stored_payload.body, stored_payload.object_key) == (payload.body, None)
    assert stored_payload.sha256 == payload.sha256
    transition = RunTransition.objects.get()
    assert (transition.actor, transition.to_status, transition.to_money) == ("api", "QUEUED", "RESERVED")
    assert (transition.version_before, transition.version_after) == (None, 0)
    assert left == journal.available(acme.id) == journal.journal_sum(acme.id)


def test_a_run_that_the_balance_does_not_cover_leaves_nothing(acme: Customer) -> None:
    run, payload = new_run(acme)
    run.reservation_max_cost_usd_micros = journal.available(acme.id) + 1
    with pytest.raises(DatabaseError) as failure:
        transitions.create(run, payload)
    assert getattr(failure.value.__cause__, "sqlstate", None) == statements.INSUFFICIENT
    assert not Run.objects.exists()
    assert not LedgerEntry.objects.filter(run__isnull=False).exists()


def test_a_voided_reservation_never_becomes_a_run(acme: Customer) -> None:
    run, payload = new_run(acme)
    VoidedReservation.objects.create(run_id=run.pk)
    before = journal.available(acme.id)
    with pytest.raises(DatabaseError) as failure:
        transitions.create(run, payload)
    assert getattr(failure.value.__cause__, "sqlstate", None) == statements.VOIDED
    assert not Run.objects.exists()
    assert journal.available(acme.id) == before


def test_no_burst_gets_past_the_concurrency_limit(acme: Customer) -> None:
    """Counting and holding are one step."""
    on_plan(acme, max_concurrent_runs=7)

    def go(_: int) -> Run:
        gate = Gate(acme.tenant)
        return submit(acme.tenant, request(), key=fresh_key(), trace_id="t", now=timezone.now(), gate=gate).run

    outcomes = at_once(40, go)
    assert sum(isinstance(outcome, Run) for outcome in outcomes) == Run.objects.count() == 7
    assert sum(isinstance(outcome, TooManyRuns) for outcome in outcomes) == 33


def test_connections_the_server_closed_are_not_used_again(acme: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a restart of the server every pooled connection is dead: found out without asking the server, and all of
    them within the second that a caller waits for a connection in production."""
    at_once(8, lambda _: Run.objects.count(), threads=8)
    connection.close()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND datname = current_database() AND application_name = ''"
        )
        (ended,) = cursor.fetchone()
    assert ended >= 2
    time.sleep(0.2)  # until the last word of each has come through
    before = journal.available(acme.id)
    connection.close()  # the one that lives is the last of the pool
    monkeypatch.setattr(cast("DatabaseWrapper", connection).pool, "timeout", 1)
    assert journal.available(acme.id) == before
