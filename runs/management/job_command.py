"""One pass of a beat job, by hand."""

from typing import Any

from runs.jobs.runner import run_job
from runs.jobs.table import JOBS
from runs.management.output import OurCommand


class JobCommand(OurCommand):
    job = ""
    """Its name in the table of jobs."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.help = f"One pass of the job that {JOBS[self.job].does}."
        self.examples = f"manage.py {type(self).__module__.rpartition('.')[2]} --json"

    def handle(self, *args: Any, **options: Any) -> None:
        counts = run_job(self.job)
        sentence = ", ".join(f"{number} {outcome.replace('_', ' ')}" for outcome, number in counts.items())
        self.show(options, {"job": self.job, **counts}, f"{self.job}: {sentence}.")
