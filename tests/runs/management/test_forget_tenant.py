"""manage.py forget_tenant: what a customer gave us is gone, the books stay, and no neighbour notices."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from budget import journal
from budget.models import LedgerEntry
from dpp_project.redis import client
from runs.access import api_keys
from runs.jobs.reap import reap
from runs.models import ApiKey, Run, RunPayload, Tenant, Webhook
from runs.reports.invariants import audit_ledger
from runs.states import Reason
from storage import object_keys, store
from storage.models import StoredObject, Upload
from tests.api.ended_runs import completed_run, failed_run
from tests.books import assert_balanced
from tests.builders import Customer, limited_key, on_plan, processing, submitted
from tests.race import passing_time
from tests.runs.webhooks.receivers import subscribed


def _forget(tenant_id: str) -> dict[str, Any]:
    out = StringIO()
    call_command("forget_tenant", tenant_id, "--confirm", tenant_id, "--json", stdout=out)
    document: dict[str, Any] = json.loads(out.getvalue())
    return document


def _upload(owner: Customer) -> str:
    from runs.lifecycle.uploads import announce_upload

    made = announce_upload(owner.tenant, name="secret plan.pdf", size=3, sha256="0" * 64, mime="application/pdf")
    key = object_keys.upload(owner.id, made.upload.pk)
    store.put(key, b"abc", mime="application/pdf")
    return key


def _is_stored(key: str) -> bool:
    return store.object_store().first(key) is not None


def test_what_a_customer_gave_is_gone_and_the_books_stay(acme: Customer, rival: Customer) -> None:
    large = {"question": "Which?", "options": ["Alpha", "Beta"], "context": "x" * 70_000}
    done = completed_run(acme, inputs=large, tags={"project": "secret"}, key="a-secret-name")
    failed_run(acme, Reason.PACK_FAILED, detail="it quoted a secret")
    queued, theirs = submitted(acme), completed_run(rival, tags={"project": "other"})
    limited_key(acme, total="1.0000")
    on_plan(acme, retention_days=90)
    subscribed(acme)
    upload = _upload(acme)
    objects = [str(done.result_key), str(done.payload.object_key), upload]
    entries = LedgerEntry.objects.filter(tenant=acme.id).count()
    before = journal.available(acme.id)

    told = _forget(acme.id)

    assert (told["runs_deleted"], told["runs_left"], told["uploads_deleted"]) == (3, 0, 1)
    assert (told["keys_revoked"], told["webhooks_deleted"]) == (2, 1)
    assert not any(_is_stored(key) for key in objects)
    assert not Upload.objects.filter(tenant=acme.id).exists()
    assert not Webhook.objects.filter(tenant=acme.id).exists()
    assert not RunPayload.objects.filter(run__tenant=acme.id).exists()
    assert not StoredObject.objects.filter(run__tenant=acme.id).exists()
    for run in Run.objects.filter(tenant=acme.id):
        assert (run.status, run.tags, run.result_summary, run.last_error_detail) == ("EXPIRED", None, None, None)
        assert run.idempotency_key == str(run.pk)
    assert not ApiKey.objects.filter(tenant=acme.id, status="ACTIVE").exists()
    assert api_keys._load(api_keys.prefix_of(acme.api_key))[0].status == "REVOKED"
    tenant = Tenant.objects.get(pk=acme.id)
    assert (tenant.status, tenant.display_name, tenant.plan) == ("SUSPENDED", "", None)
    assert not list(client().scan_iter("idem:acme:*"))
    # The money is as it was, but for the queued run's, which came back.
    assert LedgerEntry.objects.filter(tenant=acme.id).count() == entries + 1
    assert journal.available(acme.id) == before + queued.reservation_max_cost_usd_micros
    assert_balanced(acme, before + queued.reservation_max_cost_usd_micros)
    assert told["balance"] == f"{(before + queued.reservation_max_cost_usd_micros) / 1_000_000:.4f}"
    assert audit_ledger().is_clean
    # And nobody else's.
    kept = Run.objects.get(pk=theirs.pk)
    assert (kept.status, kept.tags) == ("COMPLETED", {"project": "other"})
    assert _is_stored(str(theirs.result_key))


def test_it_is_repeated_until_running_work_has_ended(acme: Customer) -> None:
    run = processing(acme)

    assert _forget(acme.id)["runs_left"] == 1
    run.refresh_from_db()
    assert run.cancel_requested_at is not None
    passing_time.lease_expires(run)
    reap()

    assert _forget(acme.id)["runs_left"] == 0
    assert Run.objects.get().status == "EXPIRED"
    again = _forget(acme.id)
    assert (again["runs_deleted"], again["keys_revoked"]) == (0, 0)


def test_it_asks_twice(acme: Customer) -> None:
    for arguments in (["acme", "--confirm", "rival"], ["nobody", "--confirm", "nobody"]):
        with pytest.raises(CommandError):
            call_command("forget_tenant", *arguments, stdout=StringIO())
    assert Tenant.objects.get().status == "ACTIVE"
