"""manage.py retain"""

from runs.management.job_command import JobCommand


class Command(JobCommand):
    job = "retain"
