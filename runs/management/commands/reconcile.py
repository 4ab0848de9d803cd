"""manage.py reconcile"""

from runs.management.job_command import JobCommand


class Command(JobCommand):
    job = "reconcile"
