"""Runs that have ended, by the worker's own function in this process."""

from typing import Any

from runs.lifecycle import finalize, transitions
from runs.lifecycle.outcomes import failed
from runs.models import Run
from runs.states import Actor, Reason, Status
from runs.worker.run_one import Delivery, run_one
from tests.builders import Customer, message, processing, submitted
from tests.race import passing_time


def completed_run(owner: Customer, **changes: Any) -> Run:
    run = submitted(owner, **changes)
    run_one(Delivery(message_id="in-process", body=message(run), extend=lambda: None))
    run.refresh_from_db()
    assert run.status == Status.COMPLETED, run.last_error_detail
    return run


def failed_run(owner: Customer, reason: Reason, *, detail: str = "Told to the owner.") -> Run:
    run = processing(owner)
    assert run.lease_token
    if reason == Reason.WORKER_TIMEOUT:
        passing_time.lease_expires(run)  # the database gives this reason to no run whose lease is good
    transitions.claim_own(run, failed(run, reason, detail), lease_token=run.lease_token)
    finalize.finish(run, actor=Actor.WORKER)
    return run
