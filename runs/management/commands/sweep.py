"""manage.py sweep"""

from runs.management.job_command import JobCommand


class Command(JobCommand):
    job = "sweep"
