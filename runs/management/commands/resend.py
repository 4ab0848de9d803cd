"""manage.py resend"""

from runs.management.job_command import JobCommand


class Command(JobCommand):
    job = "resend"
