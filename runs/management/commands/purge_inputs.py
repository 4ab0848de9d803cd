"""manage.py purge_inputs"""

from runs.management.job_command import JobCommand


class Command(JobCommand):
    job = "purge_inputs"
