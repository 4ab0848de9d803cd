"""manage.py reap [--forever]"""

from runs.management.job_command import JobCommand


class Command(JobCommand):
    job = "reap"
    service = "reaper"
