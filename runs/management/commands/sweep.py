"""manage.py sweep"""

from runs.management.job_command import JobCommand


class Command(JobCommand):
    help = "Return money of runs that waited too long and of holds without a run (one pass)."
    examples = "manage.py sweep --json"
    job = "sweep"
