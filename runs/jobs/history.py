"""What each beat job did last, for the people who look after them. Written by the runner after every pass."""

import logging
from dataclasses import dataclass
from datetime import datetime

from django.db import DatabaseError, InterfaceError
from django.db.models.functions import Now

from dpp_project.logging import fields
from runs.jobs.table import JOBS, Job
from runs.models import JobPass

log = logging.getLogger("dpp.jobs")

# A job that has missed this many of its passes is late: beat or the maintenance worker is down.
_PASSES_MISSED = 3


def record(name: str, counts: dict[str, int], *, duration_ms: int) -> None:
    """Never raises for a database that does not answer: the pass itself has been made, and its metric says so."""
    values: dict[str, object] = {"finished_at": Now(), "duration_ms": duration_ms, "counts": counts}
    if counts.get("found"):
        values |= {"found_at": Now(), "found_counts": counts}
    try:
        JobPass.objects.update_or_create(name=name, defaults=values)
    except (DatabaseError, InterfaceError):
        log.warning("job_pass_not_recorded", extra=fields(job=name))


@dataclass(frozen=True)
class JobStatus:
    job: Job
    last: JobPass | None
    late: bool


def statuses(*, now: datetime) -> list[JobStatus]:
    passes = JobPass.objects.in_bulk()
    found = []
    for job in JOBS.values():
        last = passes.get(job.name)
        age = (now - last.finished_at).total_seconds() if last else None
        found.append(JobStatus(job, last, late=age is None or age > job.interval_sec * _PASSES_MISSED))
    return found
