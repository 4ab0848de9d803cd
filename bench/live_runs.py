"""A few runs in every state that a beat job looks for."""

from uuid import uuid4

from django.db import connection

from budget import redis_keys
from dpp_project.redis import client
from runs.lifecycle import transitions
from runs.lifecycle.outcomes import failed
from runs.models import Run
from runs.states import Reason
from tests.builders import customer, submitted


def some_live_runs(number: int = 5) -> None:
    """Always the same number for a job to find: markers of earlier ones are taken away."""
    client().delete(*redis_keys.all_open_holds(), *redis_keys.all_unsent())
    owner = customer(f"live{uuid4().hex[:8]}", budget="100.0000")
    for _ in range(number):
        _age(submitted(owner), queued_hours=2)
        _age(submitted(owner), queued_hours=0)
        zombie = submitted(owner)
        transitions.start(zombie, lease_token=uuid4())
        _backdate(zombie, "lease_expires_at")
        abandoned = submitted(owner)
        token = uuid4()
        transitions.start(abandoned, lease_token=token)
        transitions.claim_own(abandoned, failed(abandoned, Reason.PACK_FAILED, "x"), lease_token=token)
        _backdate(abandoned, "finalize_claimed_at")


def _age(run: Run, *, queued_hours: int) -> None:
    if queued_hours:
        _backdate(run, "created_at")
    # Old enough for the sweeper and the resend job to look at.
    for index in (redis_keys.open_holds(run.tenant_id), redis_keys.unsent(run.tenant_id)):
        client().zadd(index, {str(run.pk): 1})


def _backdate(run: Run, column: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE runs SET {column} = now() - interval '2 hours' WHERE run_id = %s", [run.pk])
