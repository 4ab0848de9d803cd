"""Run a beat job by name; count and log what it found. In a healthy system all find nothing."""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

from django.utils import timezone

from dpp_project.logging import fields
from dpp_project.metrics import JOB_FOUND, JOB_LAST_PASS
from runs import job_passes
from runs.jobs.audit import audit
from runs.jobs.dead_letters import dead_letters
from runs.jobs.reap import reap
from runs.jobs.reconcile import reconcile
from runs.jobs.resend import resend
from runs.jobs.retain import retain
from runs.jobs.sweep import sweep

log = logging.getLogger("dpp.jobs")

JOBS: Mapping[str, Callable[[], Any]] = MappingProxyType(
    {
        "reap": reap,
        "sweep": sweep,
        "reconcile": reconcile,
        "dead_letters": dead_letters,
        "retain": lambda: retain(now=timezone.now()),
        "audit": audit,
        "resend": lambda: resend(now=timezone.now()),
    }
)


def run_job(name: str) -> dict[str, int]:
    """One pass of the named job: its counts."""
    began = time.monotonic()
    counts: dict[str, int] = asdict(JOBS[name]())
    for outcome, number in counts.items():
        JOB_FOUND.labels(job=name, outcome=outcome).inc(number)
    JOB_LAST_PASS.labels(job=name).set_to_current_time()
    duration_ms = round((time.monotonic() - began) * 1000)
    level = logging.INFO if counts.get("found") else logging.DEBUG
    log.log(level, "job_done", extra=fields(job=name, duration_ms=duration_ms, **counts))
    job_passes.record(name, counts, duration_ms=duration_ms, now=timezone.now())
    return counts
