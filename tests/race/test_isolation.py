"""Every job isolates every item: one that is locked, unreadable, absurdly nested or of a wrong type stops no other."""

import base64
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.db.models.functions import Now

from budget import ledger, redis_keys
from budget.models import BookFinding, TenantBalance
from dpp_project.celery import DEAD_LETTER_QUEUE, queue_url
from dpp_project.money import Micros
from dpp_project.redis import client
from runs.jobs.runner import run_job
from runs.jobs.table import JOBS
from runs.lifecycle import transitions
from runs.lifecycle.cancel import cancel
from runs.lifecycle.outcomes import failed
from runs.lifecycle.queue import sqs
from runs.models import Run, RunPayload, Webhook, WebhookDelivery
from runs.states import Reason
from runs.webhooks import subscriptions
from storage import store
from storage.models import DamagedObject, StoredObject
from tests.books import redis_balance
from tests.builders import Customer, processing, submitted
from tests.race import passing_time
from tests.race.actors import work
from tests.race.falsify import falsify
from tests.race.queue_messages import send_to_dead_letters
from tests.race.row_lock import row_locked, rows_locked

# Deeper than any reader of JSON in Python goes, and as deep as PostgreSQL still keeps.
_NESTED = "[" * 3_000 + "]" * 3_000


def _status(run: Run) -> str:
    return Run.objects.values_list("status", flat=True).get(pk=run.pk)


# --- one item of each job, that the job ends --------------------------------------------------------------------------


def _zombie(owner: Customer) -> Run:
    run = processing(owner)
    passing_time.lease_expires(run)
    return run


def _waited(owner: Customer) -> Run:
    run = submitted(owner)
    passing_time.waits_in_queue(run)
    return run


def _abandoned(owner: Customer) -> Run:
    run = _zombie(owner)
    transitions.claim_zombie(run, failed(run, Reason.WORKER_TIMEOUT, "x"))
    passing_time.claim_is_abandoned(run)
    return run


def _given_up(owner: Customer) -> Run:
    run = submitted(owner)
    send_to_dead_letters(run)
    return run


def _past_retention(owner: Customer) -> Run:
    run = submitted(owner)
    work(run)
    passing_time.retention_ends()
    return run


def _unsent(owner: Customer) -> Run:
    run = submitted(owner)
    client().zadd(redis_keys.unsent(run.tenant_id), {str(run.pk): 1})
    return run


def _cancelled(owner: Customer) -> Run:
    run = submitted(owner)
    cancel(run)
    return run


def _result_gone(owner: Customer) -> Run:
    run = submitted(owner)
    work(run)
    store.delete(list(StoredObject.objects.filter(run=run).values_list("key", flat=True)))
    return run


_ITEMS: dict[str, tuple[Callable[[Customer], Run], Callable[[Run], bool]]] = {
    "reap": (_zombie, lambda run: _status(run) == "FAILED"),
    "sweep": (_waited, lambda run: _status(run) == "FAILED"),
    "reconcile": (_abandoned, lambda run: _status(run) in ("COMPLETED", "FAILED")),
    "dead_letters": (_given_up, lambda run: _status(run) == "FAILED"),
    "retain": (_past_retention, lambda run: _status(run) == "EXPIRED"),
    "resend": (_unsent, lambda run: client().zscore(redis_keys.unsent(run.tenant_id), str(run.pk)) is None),
    "purge_inputs": (_cancelled, lambda run: not RunPayload.objects.filter(run=run).exists()),
    "scrub": (_result_gone, lambda run: DamagedObject.objects.filter(stored__run=run).exists()),
}


@contextmanager
def _nested(run: Run) -> Iterator[None]:
    falsify("UPDATE runs SET intended_objects = %s::jsonb WHERE run_id = %s", _NESTED, run.pk)
    yield


@contextmanager
def _wrong_type(run: Run) -> Iterator[None]:
    falsify("UPDATE runs SET intended_objects = '[7, \"text\"]' WHERE run_id = %s", run.pk)
    yield


@contextmanager
def _unreadable(run: Run) -> Iterator[None]:
    """Everything beside the row: what Redis knows of it, its message, its objects."""
    for key in (redis_keys.hold(run.tenant_id, run.pk), redis_keys.receipt(run.tenant_id, run.pk)):
        client().delete(key)
        client().rpush(key, "no hash")
    for index in (redis_keys.open_holds(run.tenant_id), redis_keys.unsent(run.tenant_id)):
        client().zadd(index, {"no run id": 1, "\x00" * 40: 2})
    StoredObject.objects.filter(run=run).update(key=f"{run.pk}/\x01")
    for body in ("no message", base64.b64encode(_NESTED.encode() * 3).decode(), _NESTED * 2, "[]", "7"):
        sqs().send_message(QueueUrl=queue_url(DEAD_LETTER_QUEUE), MessageBody=body)
    yield


_KINDS = {"locked": row_locked, "nested": _nested, "wrong type": _wrong_type, "unreadable": _unreadable}


@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("job", _ITEMS)
def test_one_bad_item_stops_no_other(acme: Customer, rival: Customer, job: str, kind: str) -> None:
    make, is_done = _ITEMS[job]
    bad = make(acme)
    good = [make(rival), make(rival)]
    with _KINDS[kind](bad):
        run_job(job)
    assert [is_done(run) for run in good] == [True, True]


def _orphan(owner: Customer) -> UUID:
    run_id = uuid4()
    ledger.reserve(owner.id, run_id, Micros(500_000))
    passing_time.hold_ages(run_id)
    return run_id


def test_one_locked_balance_row_does_not_stop_the_sweep_of_orphaned_holds(acme: Customer, rival: Customer) -> None:
    for owner in (acme, rival, acme, rival):
        _orphan(owner)
    with rows_locked(TenantBalance.objects.filter(tenant_id="acme")):
        swept = run_job("sweep")
    assert (swept["holds_voided"], swept["left"]) == (2, 2)
    assert redis_balance(rival) == 10_000_000
    assert run_job("sweep")["holds_voided"] == 2
    assert redis_balance(acme) == 10_000_000


def _strange_keys(tenant_id: str) -> None:
    client().delete(redis_keys.tenant_holds(tenant_id))
    client().set(redis_keys.tenant_holds(tenant_id), _NESTED)
    for key in ("audit:suspects", "audit:cursor", "sweeper:holds_cursor", "retain:cursor"):
        client().delete(key)
        client().rpush(key, "no cursor")


@pytest.mark.parametrize("kind", ["locked", "nested", "wrong type", "unreadable"])
@pytest.mark.parametrize("job", ["audit", "audit_books"])
def test_one_bad_tenant_stops_no_other(acme: Customer, rival: Customer, job: str, kind: str) -> None:
    if kind == "wrong type":
        _strange_keys("acme")
    elif kind == "unreadable":
        client().sadd(redis_keys.tenant_holds("acme"), "no run id")
        client().set(redis_keys.balance("acme"), "12.5")
    elif kind == "nested":
        falsify(
            "INSERT INTO audit_positions SELECT name, %s::jsonb FROM (VALUES ('history'), ('redis')) n (name)", _NESTED
        )
    client().delete(redis_keys.balance("rival"))
    falsify("UPDATE tenant_balances SET available_usd_micros = 1")
    locked = rows_locked(TenantBalance.objects.filter(tenant_id="acme")) if kind == "locked" else nullcontext()
    with locked:
        run_job(job)
    if job == "audit":
        assert redis_balance(rival) == 10_000_000
    else:
        assert BookFinding.objects.filter(tenant_id="rival", invariant="I1").exists()


def _low_and_old(owner: Customer) -> tuple[Webhook, WebhookDelivery]:
    """A webhook that is to be told of a low budget, and has a message that is to be dropped."""
    low = Micros(100_000_000)
    webhook = subscriptions.create(
        owner.tenant, url="https://hooks.example.org/", events=("budget.low",), budget_low=low
    ).webhook
    old = WebhookDelivery.objects.create(webhook=webhook, event="webhook.test", data={})
    WebhookDelivery.objects.filter(pk=old.pk).update(created_at=Now() - timedelta(days=400))
    return webhook, old


@pytest.mark.parametrize("kind", ["locked", "nested", "wrong type", "unreadable"])
def test_one_bad_webhook_stops_no_other(acme: Customer, rival: Customer, kind: str) -> None:
    bad, bad_message = _low_and_old(acme)
    good = [_low_and_old(rival), _low_and_old(rival)]
    with ExitStack() as held:
        if kind == "locked":
            held.enter_context(rows_locked(Webhook.objects.filter(pk=bad.pk)))
            held.enter_context(rows_locked(WebhookDelivery.objects.filter(pk=bad_message.pk)))
        elif kind == "unreadable":
            falsify("UPDATE webhooks SET url = 'no address', sealed_secrets = 'no seal' WHERE webhook_id = %s", bad.pk)
        else:
            data = _NESTED if kind == "nested" else "7"
            falsify("UPDATE webhook_deliveries SET data = %s::jsonb WHERE delivery_id = %s", data, bad_message.pk)
        run_job("webhooks")
    for webhook, message in good:
        told = WebhookDelivery.objects.filter(webhook=webhook)
        assert [one.event for one in told] == ["budget.low"], message


def test_every_job_is_tested_here() -> None:
    assert {*_ITEMS, "audit", "audit_books", "webhooks"} == set(JOBS)
