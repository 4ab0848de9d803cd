"""manage.py reconcile"""

from runs.management.job_command import JobCommand


class Command(JobCommand):
    help = "Finish endings that somebody claimed and did not finish (one pass)."
    examples = "manage.py reconcile --json"
    job = "reconcile"
