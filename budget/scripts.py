"""The Lua scripts as functions: every return code becomes a value or a domain error, an unknown one an AssertionError.

Only `budget.ledger` and `budget.rebuild` call these. They know Redis and nothing of the database.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from budget import redis_keys
from budget.exceptions import InsufficientFunds, LedgerError, ReceiptConflict, ReservationTaken
from dpp_project.money import MAX_BALANCE, Micros
from dpp_project.profile import PROFILE
from dpp_project.redis import LuaScript, client

_LUA = Path(__file__).parent / "lua"
DIGITS_LUA = _LUA / "digits.lua"
RESERVE_LUA = _LUA / "reserve.lua"
_RESERVE = LuaScript(RESERVE_LUA, library=DIGITS_LUA)
_SETTLE = LuaScript(_LUA / "settle.lua", library=DIGITS_LUA)
_REFUND_FULL = LuaScript(_LUA / "refund_full.lua", library=DIGITS_LUA)
_REBUILD = LuaScript(_LUA / "rebuild.lua", library=DIGITS_LUA)
_SNAPSHOT = LuaScript(_LUA / "snapshot.lua", library=DIGITS_LUA)


class BalanceMissing(LedgerError):
    """Redis does not know this tenant's balance: it has forgotten."""


class HoldMissing(LedgerError):
    """Redis knows neither a hold nor a receipt of this run."""


@dataclass(frozen=True)
class Settlement:
    charge: Micros
    refund: Micros
    balance: Micros | None
    """None when Redis knows the receipt but has lost the balance."""


@dataclass(frozen=True)
class EndedHold:
    run_id: UUID
    kind: str
    charge: Micros
    refund: Micros


@dataclass(frozen=True)
class Rebuilt:
    before: Micros | None
    after: Micros
    holds_restored: int
    holds_closed: int
    unreadable: int
    """Values of another type or no digits: thrown away, and written anew where the books know them."""


@dataclass(frozen=True)
class Snapshot:
    balance: Micros | None
    holds: dict[UUID, Micros]
    receipts: dict[UUID, Micros]


def reserve(tenant_id: str, run_id: UUID, amount: Micros) -> Micros:
    """Hold `amount`; returns the balance left. The same run and amount again is a success (a retried call)."""
    return reserved(
        tenant_id,
        run_id,
        amount,
        _RESERVE(keys=reserve_keys(tenant_id, run_id), args=[tenant_id, str(run_id), digits(amount)]),
    )


def reserve_keys(tenant_id: str, run_id: UUID) -> list[str]:
    return [
        redis_keys.balance(tenant_id),
        redis_keys.hold(tenant_id, run_id),
        redis_keys.tenant_holds(tenant_id),
        redis_keys.open_holds(tenant_id),
        redis_keys.unsent(tenant_id),
        redis_keys.receipt(tenant_id, run_id),
    ]


def reserved(tenant_id: str, run_id: UUID, amount: Micros, answer: Any) -> Micros:
    """What reserve.lua answered, asked alone or by another script."""
    match answer:
        case ["OK", balance]:
            return Micros(int(balance))
        case ["ERR_INSUFFICIENT", balance]:
            raise InsufficientFunds(available=Micros(int(balance)), required=amount)
        case ["ERR_ALREADY_RESERVED", owner, held, balance]:
            if owner == tenant_id and int(held) == amount:
                return Micros(int(balance or 0))
            raise ReservationTaken(f"{run_id} is reserved by another call")
        case ["ERR_NO_BALANCE"]:
            raise BalanceMissing(tenant_id)
        case other:
            raise AssertionError(f"reserve.lua returned {other!r}")


def settle(tenant_id: str, run_id: UUID, charge: Micros) -> Settlement:
    result = _SETTLE(
        keys=_ending_keys(tenant_id, run_id),
        args=[str(run_id), digits(charge), str(PROFILE.receipt_ttl_sec)],
    )
    match result:
        case ["OK", charged, refund, balance]:
            return Settlement(Micros(int(charged)), Micros(int(refund)), _maybe(balance))
        case _:
            raise _ending_error(result, tenant_id, run_id)


def refund_full(tenant_id: str, run_id: UUID) -> Settlement:
    result = _REFUND_FULL(keys=_ending_keys(tenant_id, run_id), args=[str(run_id), str(PROFILE.receipt_ttl_sec)])
    match result:
        case ["OK", refund, balance]:
            return Settlement(Micros(0), Micros(int(refund)), _maybe(balance))
        case _:
            raise _ending_error(result, tenant_id, run_id)


def rebuild(
    tenant_id: str, available: Micros, *, live: Sequence[tuple[UUID, Micros]], ended: Sequence[EndedHold]
) -> Rebuilt:
    """Write the database's view into Redis. The caller holds the tenant's row lock."""
    args = [tenant_id, digits(available), str(PROFILE.receipt_ttl_sec), *_beginnings(tenant_id)]
    args += [str(len(live)), str(len(ended))]
    for run_id, amount in live:
        args += [str(run_id), digits(amount)]
    for hold in ended:
        args += [str(hold.run_id), hold.kind, digits(hold.charge), digits(hold.refund)]
    before, after, restored, closed, unreadable = _REBUILD(
        keys=[redis_keys.balance(tenant_id), redis_keys.tenant_holds(tenant_id), redis_keys.open_holds(tenant_id)],
        args=args,
    )
    return Rebuilt(_maybe(before), Micros(int(after)), int(restored), int(closed), int(unreadable))


def snapshot(tenant_id: str, live: Sequence[UUID]) -> Snapshot:
    balance, holds, receipts = _SNAPSHOT(
        keys=[redis_keys.balance(tenant_id), redis_keys.tenant_holds(tenant_id)],
        args=[*_beginnings(tenant_id), *map(str, live)],
    )
    return Snapshot(_maybe(balance), _pairs(holds), _pairs(receipts))


def receipt(tenant_id: str, run_id: UUID) -> Settlement | None:
    """What has already been done with this run's money in Redis, if anything."""
    found = client().hgetall(redis_keys.receipt(tenant_id, run_id))
    return Settlement(Micros(int(found["charge"])), Micros(int(found["refund"])), None) if found else None


def _beginnings(tenant_id: str) -> tuple[str, str]:
    return redis_keys.hold(tenant_id, ""), redis_keys.receipt(tenant_id, "")


def _ending_keys(tenant_id: str, run_id: UUID) -> list[str]:
    return [
        redis_keys.balance(tenant_id),
        redis_keys.hold(tenant_id, run_id),
        redis_keys.receipt(tenant_id, run_id),
        redis_keys.tenant_holds(tenant_id),
        redis_keys.open_holds(tenant_id),
        redis_keys.unsent(tenant_id),
    ]


def _ending_error(result: Any, tenant_id: str, run_id: UUID) -> Exception:
    match result:
        case ["ERR_RECEIPT", kind, charge, refund]:
            return ReceiptConflict(kind=kind, charge=Micros(int(charge)), refund=Micros(int(refund)))
        case ["ERR_NO_RESERVE"]:
            return HoldMissing(str(run_id))
        case ["ERR_NO_BALANCE"]:
            return BalanceMissing(tenant_id)
        case other:
            return AssertionError(f"a ledger script returned {other!r}")


def digits(amount: int) -> str:
    # `type`, since True is an int too.
    if type(amount) is not int or not 0 <= amount <= MAX_BALANCE:
        raise ValueError(f"{amount!r} is not an amount the ledger can hold exactly")
    return str(amount)


def _maybe(text: str) -> Micros | None:
    return Micros(int(text)) if text else None


def _pairs(flat: list[str]) -> dict[UUID, Micros]:
    return {UUID(flat[i]): Micros(int(flat[i + 1])) for i in range(0, len(flat), 2)}
