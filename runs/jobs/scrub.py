"""Stored results against their recorded hashes, a part of them in every pass: what is found damaged or missing is
written down, rings, and is no longer linked to.

A walk over all objects in the order in which they were stored; where it stopped is kept in the database. What was found
before is looked at first: an operator may have put the object back.
"""

import logging
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models.functions import Now

from budget.audit_walk import go_on, position
from dpp_project.logging import fields
from runs.jobs.passes import TimeLimit, isolated
from storage import store
from storage.exceptions import ObjectDamaged, ObjectMissing, StorageError
from storage.models import DamagedObject, StoredObject

log = logging.getLogger("dpp.jobs")

_BATCH = 1_000
_KNOWN_BATCH = 100
_TIME_LIMIT_SEC = 10.0
# When so many in a row cannot be read it is not their fault, and each further one would wait as long.
_MOST_LEFT_IN_A_ROW = 3
_WALK = "results"


@dataclass(frozen=True)
class Scrubbed:
    found: int = 0
    checked: int = 0
    damaged: int = 0
    restored: int = 0
    left: int = 0


def scrub() -> Scrubbed:
    """One bounded pass."""
    try:
        # A bucket that is away altogether is no reason to call every result missing.
        store.reachable()
    except StorageError:
        log.warning("results_not_scrubbed", exc_info=True)
        return Scrubbed(left=1)
    time_limit = TimeLimit(_TIME_LIMIT_SEC)
    counts: Counter[str] = Counter()
    if _check_each(_known(), counts, time_limit) is None:
        stored = _next_stored()
        last = _check_each(stored, counts, time_limit)
        at_end = last is None and len(stored) < _BATCH
        reached = last or (stored[-1] if stored else None)
        go_on(_WALK, {"object_id": 0 if at_end or reached is None else reached.pk})
    found = counts["damaged"] + counts["restored"]
    checked = found + counts["sound"] + counts["still_damaged"]
    return Scrubbed(found, checked, counts["damaged"], counts["restored"], counts["left"])


def _check_each(objects: Iterable[StoredObject], counts: Counter[str], time_limit: TimeLimit) -> StoredObject | None:
    """Where it stopped, or None at the end."""
    left_in_a_row = 0
    for item in objects:
        outcome = isolated(_check, item)
        counts[outcome] += 1
        left_in_a_row = left_in_a_row + 1 if outcome == "left" else 0
        if time_limit.is_over or left_in_a_row == _MOST_LEFT_IN_A_ROW:
            return item
    return None


def _known() -> list[StoredObject]:
    known = StoredObject.objects.filter(damage__isnull=False).select_related("run", "damage")
    return list(known.order_by("damage__checked_at")[:_KNOWN_BATCH])


def _next_stored() -> list[StoredObject]:
    after = position(_WALK, {"object_id": 0})["object_id"]
    unknown = StoredObject.objects.filter(pk__gt=after, damage__isnull=True, run__retention_until__gt=Now())
    return list(unknown.select_related("run").defer("run__intended_objects").order_by("pk")[:_BATCH])


def _check(item: StoredObject) -> str:
    problem = _problem(item)
    known = DamagedObject.objects.filter(pk=item.pk)
    what = {"run_id": item.run_id, "tenant_id": item.run.tenant_id, "object_name": item.name}
    if problem is None:
        if known.delete()[0]:
            log.warning("result_restored", extra=fields(**what))
            return "restored"
        return "sound"
    if known.update(checked_at=Now(), problem=problem):
        return "still_damaged"
    # What retention has just deleted is not missing.
    if not StoredObject.objects.filter(pk=item.pk, run__retention_until__gt=Now()).exists():
        return "gone"
    DamagedObject.objects.create(stored=item, problem=problem, found_at=Now(), checked_at=Now())
    log.error("result_damaged", extra=fields(**what, problem=problem))
    return "damaged"


def _problem(item: StoredObject) -> str | None:
    """Looked at twice before anything is said: one bad answer of the server is no damage."""
    found: str | None = None
    for _ in range(2):
        try:
            store.read(item.key, sha256=item.sha256, bucket=item.run.result_bucket)
        except ObjectMissing:
            found = DamagedObject.Problem.MISSING
        except ObjectDamaged:
            found = DamagedObject.Problem.DIFFERS
        else:
            return None
    return found
