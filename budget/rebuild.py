"""Rebuild a tenant's money in Redis from the database: after amnesia, a top-up, or a drift.

Exact at any moment and safe to repeat: the row lock keeps the database still, the script is one step in Redis.
"""

import logging
from uuid import UUID

import redis
from django.db import Error as DatabaseError
from django.db import transaction

from budget import journal, redis_keys, scripts
from budget.alarms import alarm
from budget.exceptions import LedgerUnavailable
from budget.models import ENDINGS, EntryKind, LedgerEntry
from budget.redis_keys import run_id_of
from budget.scripts import EndedHold, Rebuilt
from dpp_project.logging import fields
from dpp_project.money import Micros
from dpp_project.redis import client

log = logging.getLogger("dpp.budget")


def rebuild(tenant_id: str) -> Rebuilt:
    try:
        with transaction.atomic():
            journal.lock(tenant_id)
            result = scripts.rebuild(
                tenant_id,
                # The journal is the reference, never the balance row: a row edited by hand is not spendable here.
                Micros(max(journal.journal_sum(tenant_id), 0)),
                live=journal.live_reservations(tenant_id),
                ended=_ended_holds(tenant_id),
            )
    except (redis.RedisError, DatabaseError) as error:
        raise LedgerUnavailable(f"{tenant_id}: rebuild failed") from error
    log.info(
        "budget_rebuilt",
        extra=fields(
            tenant_id=tenant_id,
            balance_before=result.before,
            balance_after=result.after,
            holds_restored=result.holds_restored,
            holds_closed=result.holds_closed,
        ),
    )
    if result.unreadable:
        alarm("unreadable_in_redis", tenant_id, values=result.unreadable)
    return result


def ended_among(run_ids: list[UUID]) -> list[EndedHold]:
    """Those of the given runs that have ended, with what the journal says of them. By kind, as the indexes are."""
    of_these = LedgerEntry.objects.filter(run_id__in=run_ids)
    endings = list(
        of_these.filter(kind__in=ENDINGS).values_list("run_id", "kind", "amount_usd_micros") if run_ids else ()
    )
    if not endings:
        return []
    reserved = dict(of_these.filter(kind=EntryKind.RESERVE).values_list("run_id", "amount_usd_micros"))
    return [
        EndedHold(
            run_id,
            "settle" if kind == EntryKind.SETTLE else "refund",
            charge=Micros(-reserved[run_id] - returned),
            refund=Micros(returned),
        )
        for run_id, kind, returned in endings
    ]


def _ended_holds(tenant_id: str) -> list[EndedHold]:
    try:
        members: set[str] = client().smembers(redis_keys.tenant_holds(tenant_id))  # type: ignore[assignment]
    except redis.ResponseError:
        return []  # of another type: the script throws it away
    return ended_among([run_id for member in members if (run_id := run_id_of(member))])
