"""A customer leaves: its keys, webhooks, files, inputs, results and own words are deleted. Books and runs' ids stay.

Repeatable, and to be repeated while runs of it are still going: each call does what can be done now. Nothing of the
money is touched; a queued run is cancelled and refunded as its owner would do it.
"""

import logging
from contextlib import suppress
from dataclasses import dataclass

from django.db import connection

from budget import journal, redis_keys
from dpp_project.logging import fields
from dpp_project.money import Micros
from dpp_project.redis import Store, client
from runs.access import api_keys
from runs.exceptions import LostRace, RunNotCancellable
from runs.lifecycle.cancel import cancel
from runs.lifecycle.retention import forget_run
from runs.models import ApiKey, Run, Tenant, Webhook
from runs.states import LIVE, Actor, Status
from runs.webhooks import subscriptions
from storage import object_keys, store
from storage.exceptions import StorageError
from storage.models import Upload

log = logging.getLogger("dpp.jobs")

_BATCH = 500

# What callers wrote about their runs. The key of a run that has expired names nothing any more.
_OWN_WORDS = """
    UPDATE runs SET tags = NULL, client_name = NULL, client_version = NULL, last_error_detail = NULL, trace_id = '',
        idempotency_key = run_id::text
    WHERE tenant_id = %s AND status = 'EXPIRED' AND idempotency_key <> run_id::text
"""


@dataclass(frozen=True)
class Forgotten:
    keys_revoked: int
    webhooks_deleted: int
    uploads_deleted: int
    runs_deleted: int
    runs_left: int
    """Not ended yet, or not deletable now: call again."""
    balance: Micros
    """What the books still owe it. Paying it out is a person's work."""


def forget_tenant(tenant: Tenant) -> Forgotten:
    # First: nothing new comes in.
    Tenant.objects.filter(pk=tenant.pk).update(status=Tenant.Status.SUSPENDED, display_name="", plan=None)
    keys = list(ApiKey.objects.filter(tenant=tenant, status=ApiKey.Status.ACTIVE))
    for key in keys:
        api_keys.revoke(key)
    ApiKey.objects.filter(tenant=tenant).update(label="", allowed_networks=None)
    hooks = list(Webhook.objects.filter(tenant=tenant))
    for hook in hooks:
        subscriptions.delete(hook)
    _cancel_live(tenant)
    deleted = _delete_ended(tenant)
    uploads = _delete_uploads(tenant)
    with connection.cursor() as cursor:
        cursor.execute(_OWN_WORDS, [tenant.pk])
    _forget_in_redis(tenant)
    left = Run.objects.filter(tenant=tenant).exclude(status=Status.EXPIRED).count()
    log.warning("tenant_forgotten", extra=fields(tenant_id=tenant.pk, runs_deleted=deleted, runs_left=left))
    return Forgotten(len(keys), len(hooks), uploads, deleted, left, journal.available(tenant.pk))


def _cancel_live(tenant: Tenant) -> None:
    for run in Run.objects.filter(tenant=tenant, status__in=LIVE).iterator(_BATCH):
        # One that has ended meanwhile, or is being ended: this or the next call finds it so.
        with suppress(RunNotCancellable):
            cancel(run, actor=Actor.ADMIN)


def _delete_ended(tenant: Tenant) -> int:
    deleted = 0
    for run in Run.objects.filter(tenant=tenant, status__in=[Status.COMPLETED, Status.FAILED]).iterator(_BATCH):
        try:
            forget_run(run, actor=Actor.RETENTION)
            deleted += 1
        except LostRace:
            pass  # the retention job was faster
        except StorageError:
            log.warning("objects_not_deleted", extra=fields(run_id=run.pk, tenant_id=tenant.pk))
    return deleted


def _delete_uploads(tenant: Tenant) -> int:
    """Also of files that were announced and never came."""
    found = list(Upload.objects.filter(tenant=tenant))
    for start in range(0, len(found), _BATCH):
        some = found[start : start + _BATCH]
        store.delete([object_keys.upload(tenant.pk, upload.pk) for upload in some])
        Upload.objects.filter(pk__in=[upload.pk for upload in some]).delete()
    return len(found)


def _forget_in_redis(tenant: Tenant) -> None:
    """Hints by which its submits were known again, and its counters. The balance stays: the audit compares it."""
    for part in (Store.LEDGER, Store.LIMITS):
        redis = client(part)
        for pattern in (f"idem:{tenant.pk}:*", f"limit:{tenant.pk}:*"):
            for name in {pattern, redis_keys.of_tenant(tenant.pk, pattern)}:
                for key in redis.scan_iter(name, count=1_000):
                    redis.delete(key)
