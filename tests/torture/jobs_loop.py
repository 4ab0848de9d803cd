"""python -m tests.torture.jobs_loop: all beat jobs, again and again, instead of waiting for their intervals."""

import logging
import os
import time

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dpp_project.settings")
django.setup()

from django.db import connection  # noqa: E402

from runs.jobs.runner import run_job  # noqa: E402
from runs.jobs.table import JOBS  # noqa: E402

log = logging.getLogger("dpp.jobs")

PAUSE_SEC = 0.3


def main() -> None:
    while True:
        for name in JOBS:
            try:
                run_job(name)
            except Exception:
                # As under beat: the pass failed, the next one comes.
                log.exception("job_failed")
                connection.close()
        time.sleep(PAUSE_SEC)


if __name__ == "__main__":
    main()
