"""Run a beat job by name; count and log what it found. In a healthy system all find nothing."""

import logging
import time
from dataclasses import asdict

from dpp_project import clock
from dpp_project.logging import fields
from dpp_project.metrics import JOB_FOUND, JOB_LAST_PASS, JOBS_REFUSED
from runs.jobs import history
from runs.jobs.table import JOBS

log = logging.getLogger("dpp.jobs")


class ClockSetWrong(Exception):
    """A process whose clock is far from the database's does no job: it would log, sign and send with a wrong time."""


def run_job(name: str) -> dict[str, int]:
    """One pass of the named job: its counts."""
    began = time.monotonic()
    skew = clock.skew()
    if not clock.is_set_right(skew):
        JOBS_REFUSED.labels(job=name).inc()
        log.error("job_refused", extra=fields(job=name, clock_skew_sec=round(skew, 1)))
        raise ClockSetWrong(f"this machine's clock is {skew:+.1f} s from the database's: it runs no jobs")
    counts: dict[str, int] = asdict(JOBS[name].one_pass())
    for outcome, number in counts.items():
        JOB_FOUND.labels(job=name, outcome=outcome).inc(number)
    JOB_LAST_PASS.labels(job=name).set_to_current_time()
    duration_ms = round((time.monotonic() - began) * 1000)
    level = logging.INFO if counts.get("found") else logging.DEBUG
    log.log(level, "job_done", extra=fields(job=name, duration_ms=duration_ms, **counts))
    history.record(name, counts, duration_ms=duration_ms)
    return counts
