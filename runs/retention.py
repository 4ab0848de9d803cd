"""Past retention a run's result and inputs are gone; the run itself stays, EXPIRED, with its money history."""

import logging

from django.db import transaction

from dpp_project.logging import fields
from runs import transitions
from runs.exceptions import LostRace
from runs.models import Run, RunPayload
from runs.states import Actor, Status
from storage import store
from storage.exceptions import StorageError
from storage.models import StoredObject

log = logging.getLogger("dpp.retention")


def expire_run(run: Run, *, actor: Actor) -> bool:
    """COMPLETED | FAILED -> EXPIRED, objects and payload deleted. False if it is not, or no longer, ours to expire."""
    if run.status not in (Status.COMPLETED, Status.FAILED):
        return False
    try:
        store.delete(_object_keys(run))
        with transaction.atomic():
            transitions.expire(run, actor=actor)
            RunPayload.objects.filter(run=run).delete()
            StoredObject.objects.filter(run=run).delete()
    except LostRace:
        return False
    except StorageError:
        log.warning("objects_not_deleted", extra=fields(run_id=run.pk, tenant_id=run.tenant_id))
        return False
    return True


def _object_keys(run: Run) -> list[str]:
    results = StoredObject.objects.filter(run=run).values_list("key", flat=True)
    inputs = RunPayload.objects.filter(run=run).values_list("object_key", flat=True)
    return [key for key in (*results, *inputs) if key]
