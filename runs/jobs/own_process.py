"""A job in a process of its own, pass after pass at its interval: no other job, no beat and no queue can delay it."""

import logging
import threading
import time

from django.db import connection

from dpp_project import tracing
from dpp_project.logging import fields
from runs.jobs.runner import run_job
from runs.jobs.table import JOBS

log = logging.getLogger("dpp.jobs")


def run_until_stopped(name: str, stopped: threading.Event) -> None:
    """A pass that has begun is finished. One that fails is followed by the next, in its time."""
    while not stopped.is_set():
        began = time.monotonic()
        try:
            with tracing.span(f"job {name}"):
                run_job(name)
        except Exception:
            log.exception("job_failed", extra=fields(job=name))
        finally:
            connection.close()
        stopped.wait(max(0.0, began + JOBS[name].interval_sec - time.monotonic()))
