"""manage.py webhooks"""

from runs.management.job_command import JobCommand


class Command(JobCommand):
    job = "webhooks"
