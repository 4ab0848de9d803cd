"""manage.py retain"""

from runs.management.job_command import JobCommand


class Command(JobCommand):
    help = "Delete results past their retention (one pass)."
    examples = "manage.py retain --json"
    job = "retain"
