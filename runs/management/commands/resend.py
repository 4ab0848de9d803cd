"""manage.py resend"""

from runs.management.job_command import JobCommand


class Command(JobCommand):
    help = "Send runs again whose message never arrived (one pass)."
    examples = "manage.py resend --json"
    job = "resend"
