"""manage.py reap"""

from runs.management.job_command import JobCommand


class Command(JobCommand):
    help = "End runs whose worker stopped answering (one pass)."
    examples = "manage.py reap --json"
    job = "reap"
