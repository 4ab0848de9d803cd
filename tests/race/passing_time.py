"""Let time pass for one thing: the row or the hold becomes older, the code under test stays as it is."""

from uuid import UUID

from django.db import connection

from budget import redis_keys
from dpp_project.redis import client
from runs.models import Run


def lease_expires(run: Run) -> None:
    _set(run, "lease_expires_at = now() - interval '1 second'")


def waits_in_queue(run: Run, seconds: int = 3_601) -> None:
    _set(run, f"created_at = now() - interval '{seconds} seconds'")


def retention_ends() -> None:
    """Of every run that is still kept, in the order in which it would."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE runs SET retention_until = retention_until - interval '365 days' WHERE retention_until > now()"
        )


def claim_is_abandoned(run: Run) -> None:
    _set(run, "finalize_claimed_at = now() - interval '301 seconds'")


def hold_ages(run_id: UUID, seconds: int = 301) -> None:
    _ages(redis_keys.all_open_holds(), run_id, seconds)


def unsent_marker_ages(run_id: UUID, seconds: int = 121) -> None:
    _ages(redis_keys.all_unsent(), run_id, seconds)


def _set(run: Run, assignment: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE runs SET {assignment} WHERE run_id = %s", [run.pk])


def _ages(indexes: list[str], run_id: UUID, seconds: int) -> None:
    (index,) = [index for index in indexes if client().zscore(index, str(run_id)) is not None]
    client().zincrby(index, -seconds * 1000, str(run_id))
