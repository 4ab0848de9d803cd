"""The timetable of the beat jobs. Intervals are the profile's; the jobs themselves are in `runs.jobs`."""

from typing import Any

from dpp_project.profile import PROFILE

_INTERVALS: dict[str, int] = {
    "reap": PROFILE.reaper_interval_sec,
    "sweep": PROFILE.sweeper_interval_sec,
    "reconcile": PROFILE.reconcile_interval_sec,
    "dead_letters": PROFILE.dead_letters_interval_sec,
    "retain": PROFILE.retention_interval_sec,
    "audit": PROFILE.audit_interval_sec,
    "resend": PROFILE.resend_interval_sec,
}

BEAT_SCHEDULE: dict[str, dict[str, Any]] = {
    name: {
        "task": "runs.job",
        "schedule": seconds,
        "kwargs": {"name": name},
        # A pass that waited longer than its interval is stale: the next one does the same work.
        "options": {"expires": seconds},
    }
    for name, seconds in _INTERVALS.items()
}
