"""One pass of a beat job, by hand."""

from typing import Any

from runs.jobs.runner import run_job
from runs.management.output import OurCommand


class JobCommand(OurCommand):
    job = ""

    def handle(self, *args: Any, **options: Any) -> None:
        counts = run_job(self.job)
        told = ", ".join(f"{number} {outcome.replace('_', ' ')}" for outcome, number in counts.items())
        self.show(options, {"job": self.job, **counts}, f"{self.job}: {told}.")
