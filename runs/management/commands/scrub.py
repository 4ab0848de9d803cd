"""manage.py scrub"""

from runs.management.job_command import JobCommand


class Command(JobCommand):
    job = "scrub"
