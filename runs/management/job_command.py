"""One pass of a beat job, by hand; or pass after pass, for a job that has a process of its own."""

import signal
import threading
from argparse import ArgumentParser
from typing import Any

from dpp_project import tracing
from dpp_project.checks import refuse_unsafe_start
from dpp_project.logging import name_service
from dpp_project.metrics_port import serve_metrics
from packs.sandbox import kernel
from runs.jobs.own_process import run_until_stopped
from runs.jobs.runner import run_job
from runs.jobs.table import JOBS
from runs.management.output import OurCommand

_METRICS_PORT = "DPP_WORKER_METRICS_PORT"


class JobCommand(OurCommand):
    job = ""
    """Its name in the table of jobs."""
    service = ""
    """What its process is called, for a job that has one of its own."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.help = f"One pass of the job that {JOBS[self.job].does}."
        self.examples = f"manage.py {type(self).__module__.rpartition('.')[2]} --json"

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        if self.service:
            every = f"a pass every {JOBS[self.job].interval_sec} s, until SIGTERM"
            parser.add_argument("--forever", action="store_true", help=every)

    def handle(self, *args: Any, **options: Any) -> None:
        if options.get("forever"):
            self._serve()
            return
        counts = run_job(self.job)
        sentence = ", ".join(f"{number} {outcome.replace('_', ' ')}" for outcome, number in counts.items())
        self.show(options, {"job": self.job, **counts}, f"{self.job}: {sentence}.")

    def _serve(self) -> None:
        name_service(self.service)
        refuse_unsafe_start()
        serve_metrics(_METRICS_PORT)
        stopped = threading.Event()
        for ends in (signal.SIGTERM, signal.SIGINT):
            signal.signal(ends, lambda *_: stopped.set())
        # Keys and passwords are in this process's memory and environment.
        kernel.hide_from_siblings()
        run_until_stopped(self.job, stopped)
        tracing.flush()
