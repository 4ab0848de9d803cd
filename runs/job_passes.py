"""What each beat job did last, for the people who look after them. Written by the runner after every pass."""

import logging
from dataclasses import dataclass
from datetime import datetime

from django.db import DatabaseError, InterfaceError

from dpp_project.logging import fields
from dpp_project.schedule import BEAT_SCHEDULE
from runs.models import JobPass

log = logging.getLogger("dpp.jobs")

# A job that has missed this many of its passes is late: beat or the maintenance worker is down.
_PASSES_MISSED = 3


def record(name: str, counts: dict[str, int], *, duration_ms: int, now: datetime) -> None:
    """Never raises for a database that does not answer: the pass itself has been made, and its metric says so."""
    values: dict[str, object] = {"finished_at": now, "duration_ms": duration_ms, "counts": counts}
    if counts.get("found"):
        values |= {"found_at": now, "found_counts": counts}
    try:
        JobPass.objects.update_or_create(name=name, defaults=values)
    except (DatabaseError, InterfaceError):
        log.warning("job_pass_not_recorded", extra=fields(job=name))


@dataclass(frozen=True)
class Job:
    name: str
    interval_sec: int
    last: JobPass | None
    late: bool


def jobs(*, now: datetime) -> list[Job]:
    passes = JobPass.objects.in_bulk()
    found = []
    for name, entry in BEAT_SCHEDULE.items():
        interval, last = int(entry["schedule"]), passes.get(name)
        age = (now - last.finished_at).total_seconds() if last else None
        found.append(Job(name, interval, last, late=age is None or age > interval * _PASSES_MISSED))
    return found
