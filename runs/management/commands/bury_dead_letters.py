"""manage.py bury_dead_letters"""

from runs.management.job_command import JobCommand


class Command(JobCommand):
    job = "dead_letters"
