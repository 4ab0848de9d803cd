"""The price of polling too fast, off by default (KILL_POLL_MICROCOST is on).

With the switch off, a poll of a run within the recommended interval of the last free one costs ten micros: an ADJUST
entry with the balance row in one transaction, and Redis under that row's lock, so that no audit ever sees half of it.
Called by the GET view; never an error to its caller: what cannot be charged is free.
"""

import logging
from pathlib import Path
from uuid import UUID, uuid4

import redis
from django.db import DatabaseError, InterfaceError, connection, transaction

from budget import redis_keys, scripts
from budget.models import EntryKind, LedgerEntry
from dpp_project.logging import fields
from dpp_project.money import ZERO, Micros
from dpp_project.profile import PROFILE
from dpp_project.redis import LuaScript, Store, client
from runs.access import switches
from runs.access.switches import Switch
from runs.models import Run

log = logging.getLogger("dpp.poll_cost")

PRICE = Micros(10)
_MARK_TTL_SEC = 60

_CHARGE = LuaScript(Path(__file__).parents[1] / "lua" / "charge_poll.lua", library=scripts.DIGITS_LUA)

_TAKE = """
    UPDATE tenant_balances SET available_usd_micros = available_usd_micros - %s
    WHERE tenant_id = %s AND available_usd_micros >= %s AND frozen_at IS NULL
"""


class _NotCovered(Exception):
    """The tenant has less than a poll costs, by the books or by Redis, or may not spend: it is free then."""


def charge_poll(run: Run) -> Micros:
    """What this poll costs, charged. Zero while the switch is on, at the recommended rate, and without money."""
    if switches.is_on(Switch.KILL_POLL_MICROCOST):
        return ZERO
    try:
        if _is_polite(run.pk):
            return ZERO
        with transaction.atomic():
            _charge(run, reference_prefix(run.pk) + str(uuid4()))
    except _NotCovered:
        return ZERO
    except (redis.RedisError, DatabaseError, InterfaceError):
        log.warning("poll_not_charged", extra=fields(run_id=run.pk, tenant_id=run.tenant_id), exc_info=True)
        return ZERO
    log.info("poll_charged", extra=fields(run_id=run.pk, tenant_id=run.tenant_id, charge_usd_micros=PRICE))
    return PRICE


def reference_prefix(run_id: UUID) -> str:
    """Every such entry of a run is found by the index of references."""
    return f"poll:{run_id}:"


def _is_polite(run_id: UUID) -> bool:
    # Set by a free poll, gone after the interval: exactly what is above the recommended rate costs.
    return bool(client(Store.LIMITS).set(f"poll_paid:{run_id}", "1", nx=True, px=PROFILE.poll_recommended_interval_ms))


def _charge(run: Run, reference: str) -> None:
    """Books first: the update takes the row lock under which Redis follows. A refusal anywhere undoes all of it."""
    with connection.cursor() as cursor:
        cursor.execute(_TAKE, [PRICE, run.tenant_id, PRICE])
        if cursor.rowcount == 0:
            raise _NotCovered
    LedgerEntry.objects.create(
        tenant_id=run.tenant_id,
        run_id=run.pk,
        kind=EntryKind.ADJUST,
        amount_usd_micros=-PRICE,
        reference=reference,
        note="poll above the recommended rate",
    )
    match _CHARGE(
        keys=[
            redis_keys.balance(run.tenant_id),
            redis_keys.of_tenant(run.tenant_id, f"poll_mark:{reference}"),
        ],
        args=[str(PRICE), str(_MARK_TTL_SEC)],
    ):
        # Forgotten: the next call rebuilds it from the books, with this entry, after our commit.
        case "OK" | "ERR_NO_BALANCE":
            return
        case "ERR_INSUFFICIENT":
            raise _NotCovered
        case other:
            raise AssertionError(f"charge_poll.lua returned {other!r}")
