"""manage.py reap"""

from runs.management.job_command import JobCommand


class Command(JobCommand):
    job = "reap"
