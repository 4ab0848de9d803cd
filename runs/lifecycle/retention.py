"""Past retention a run's result and inputs are gone; the run itself stays, EXPIRED, with its money history."""

import logging
from collections.abc import Callable
from functools import partial

from django.db import transaction
from django.db.models.functions import Now

from dpp_project.logging import fields
from runs.exceptions import LostRace, RunNotEnded
from runs.lifecycle import transitions
from runs.models import Run, RunPayload
from runs.states import Actor, Status
from storage import store
from storage.exceptions import StorageError
from storage.models import StoredObject
from storage.object_keys import RunFolder

log = logging.getLogger("dpp.retention")


def folder_of(run: Run) -> RunFolder:
    """Where its objects are put. Later they are found by their recorded keys."""
    return RunFolder(run.tenant_id, run.pk, run.created_at, run.retention_until - run.created_at)


def expire_run(run: Run, *, actor: Actor) -> bool:
    """COMPLETED | FAILED -> EXPIRED, objects and payload deleted. False if it is not, or no longer, ours to expire."""
    if run.status not in (Status.COMPLETED, Status.FAILED) or not _is_due(run):
        return False
    try:
        _delete(run, partial(transitions.expire, run, actor=actor))
    except LostRace:
        return False
    except StorageError:
        log.warning("objects_not_deleted", extra=fields(run_id=run.pk, tenant_id=run.tenant_id))
        return False
    return True


def forget_run(run: Run, *, actor: Actor = Actor.API) -> None:
    """The same before its time, since its owner asks for it. What cannot be deleted now is a `StorageError`, and the
    run stays as it is."""
    if run.status not in (Status.COMPLETED, Status.FAILED):
        raise RunNotEnded(run.pk)
    _delete(run, partial(transitions.forget, run, actor=actor))


def _delete(run: Run, expire: Callable[[], None]) -> None:
    """Objects first: a run that still shows them can be deleted again, one that has forgotten them cannot."""
    _delete_objects(run)
    with transaction.atomic():
        expire()
        RunPayload.objects.filter(run=run).delete()
        StoredObject.objects.filter(run=run).delete()


def _is_due(run: Run) -> bool:
    """By the database's clock, before anything is deleted; the edge looks once more."""
    return Run.objects.filter(pk=run.pk, retention_until__lte=Now()).exists()


def _delete_objects(run: Run) -> None:
    results = list(StoredObject.objects.filter(run=run).values_list("key", flat=True))
    inputs = [key for key in RunPayload.objects.filter(run=run).values_list("object_key", flat=True) if key]
    if run.result_bucket in (None, store.bucket()):
        store.delete(results + inputs)
    else:
        # The bucket was changed since: results stay where they were written.
        store.delete(results, bucket=run.result_bucket)
        store.delete(inputs)
