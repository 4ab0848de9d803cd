"""manage.py bury_dead_letters"""

from runs.management.job_command import JobCommand


class Command(JobCommand):
    help = "End the runs of messages that could not be delivered (one pass)."
    examples = "manage.py bury_dead_letters --json"
    job = "dead_letters"
