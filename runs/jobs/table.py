"""The beat jobs, each declared once. Beat's schedule, the task, the admin's page, the metrics
and the commands follow from here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from dpp_project import clock
from dpp_project.metrics import JOBS_REFUSED
from dpp_project.profile import PROFILE
from runs.jobs.audit_books import audit_books
from runs.jobs.dead_letters import dead_letters
from runs.jobs.drift_repair import repair_drift
from runs.jobs.expire import expire
from runs.jobs.purge_inputs import purge_inputs
from runs.jobs.reap import reap
from runs.jobs.reconcile import reconcile
from runs.jobs.resend import resend
from runs.jobs.scrub import scrub
from runs.jobs.sweep import sweep
from runs.lifecycle.queue import JOB_TASK
from runs.webhooks.housekeeping import keep_webhooks


@dataclass(frozen=True)
class Job:
    name: str
    """Part of messages, metrics and the schedule: never changed."""
    one_pass: Callable[[], Any]
    """Returns a frozen dataclass of counts."""
    interval_sec: int
    does: str
    """Completes the sentence "This job …"."""


JOBS: Mapping[str, Job] = MappingProxyType(
    {
        job.name: job
        for job in (
            Job("reap", reap, PROFILE.reaper_interval_sec, "ends runs whose worker died"),
            Job(
                "sweep",
                sweep,
                PROFILE.sweeper_interval_sec,
                "refunds runs that waited too long, and holds without a run",
            ),
            Job("reconcile", reconcile, PROFILE.reconcile_interval_sec, "finishes claims that nobody finished"),
            Job(
                "dead_letters",
                dead_letters,
                PROFILE.dead_letters_interval_sec,
                "ends runs whose message was given up",
            ),
            Job(
                "retain",
                expire,
                PROFILE.retention_interval_sec,
                "deletes results past their retention",
            ),
            Job("audit", repair_drift, PROFILE.audit_interval_sec, "compares Redis with the journal"),
            Job(
                "audit_books",
                audit_books,
                PROFILE.audit_interval_sec,
                "compares journal, balance rows and runs, and freezes tenants whose books disagree",
            ),
            Job(
                "resend",
                lambda: resend(now=clock.now()),
                PROFILE.resend_interval_sec,
                "sends messages again that may have been lost",
            ),
            Job(
                "purge_inputs",
                purge_inputs,
                PROFILE.purge_inputs_interval_sec,
                "deletes the inputs of runs that were cancelled or never started",
            ),
            Job("scrub", scrub, PROFILE.scrub_interval_sec, "compares stored results with their hashes"),
            Job(
                "webhooks",
                keep_webhooks,
                PROFILE.webhooks_interval_sec,
                "alerts webhooks of low budgets, and drops their old messages",
            ),
        )
    }
)

# Each is counted as 0 before it happens: an alert sees the first one rise.
for _name in JOBS:
    JOBS_REFUSED.labels(job=_name)


def beat_schedule() -> dict[str, dict[str, Any]]:
    return {
        job.name: {
            "task": JOB_TASK,
            "schedule": job.interval_sec,
            "kwargs": {"name": job.name},
            # A pass that waited longer than its interval is stale: the next one does the same work.
            "options": {"expires": job.interval_sec},
        }
        for job in JOBS.values()
    }
