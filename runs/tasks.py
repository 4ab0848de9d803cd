"""The Celery tasks: message schemas and a few lines. The work is in plain functions that tests call directly."""

import logging
import time
from typing import Any

from django.db import InterfaceError, OperationalError, connection

from dpp_project.celery import RUNS_QUEUE, app
from dpp_project.logging import fields
from runs.jobs.runner import run_job
from runs.queue import EXECUTE_TASK, extend_visibility
from runs.worker.run_one import Delivery, run_one

log = logging.getLogger("dpp.tasks")

_DATABASE_RETRY_SEC = 2


@app.task(name=EXECUTE_TASK, bind=True)
def execute(task: Any, /, **message: Any) -> str:
    receipt_handle = (task.request.properties or {}).get("delivery_tag")

    def extend() -> None:
        if receipt_handle:
            extend_visibility(RUNS_QUEUE, receipt_handle)

    _wait_for_database(extend)
    done = run_one(Delivery(message_id=task.request.id, body=message, extend=extend))
    log.info("message_done", extra=fields(run_id=message.get("run_id"), done=str(done)))
    return done


def _wait_for_database(extend: Any) -> None:
    """While PostgreSQL is away this slot takes no further message, and its own does not wander to the dead letters."""
    while True:
        try:
            connection.ensure_connection()
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
        except (OperationalError, InterfaceError):
            log.warning("waiting_for_database")
            connection.close()
            try:
                extend()
            except Exception:
                log.warning("visibility_not_extended", exc_info=True)
            time.sleep(_DATABASE_RETRY_SEC)
        else:
            return


@app.task(name="runs.job")
def job(name: str) -> dict[str, int]:
    return run_job(name)
