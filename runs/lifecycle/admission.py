"""Admission of a run: one call to Redis before the database, one after it.

The first looks the key up, takes its lock, counts against the tenant's limits and holds the money; the second maps the
key to the committed run, releases the lock and publishes that the run is queued. Lock and mapping are hints that
save work: the database's unique constraint on (tenant, key) decides.
"""

import functools
import logging
import time
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID, uuid4

import redis

from budget import redis_keys as budget_keys
from budget import scripts
from dpp_project.logging import fields
from dpp_project.money import Micros
from dpp_project.profile import PROFILE
from dpp_project.redis import LuaScript, Store
from runs.access import limits
from runs.access.limits import Gate
from runs.events import publish
from runs.events.event import Event
from runs.exceptions import IdempotencyInProgress
from runs.models import Run

log = logging.getLogger("dpp.admission")

_LUA = Path(__file__).parents[1] / "lua"
_ADMIT = LuaScript(
    _LUA / "admit_run.lua",
    uses=(_LUA / "open_key.lua", limits.LUA, scripts.RESERVE_LUA),
    library=scripts.DIGITS_LUA,
)
_CONFIRM = LuaScript(_LUA / "confirm_key.lua", uses=(publish.LUA,))
_RELEASE_KEY = LuaScript(_LUA / "release_key.lua")

_BACKOFF_SEC = (0.1, 0.2, 0.4, 0.8)


@dataclass(frozen=True)
class Mapping:
    """What Redis remembers of a key."""

    run_id: UUID
    payload_hash: str

    @classmethod
    def parse(cls, text: str) -> "Mapping":
        run_id, _, payload_hash = text.partition(":")
        return cls(UUID(run_id), payload_hash)

    @classmethod
    def of(cls, run: Run) -> "Mapping":
        return cls(run.pk, run.payload_hash)

    def __str__(self) -> str:
        return f"{self.run_id}:{self.payload_hash}"


class Admission:
    """One request and its idempotency key."""

    def __init__(self, tenant_id: str, key: str) -> None:
        self._tenant_id = tenant_id
        self._key = key
        self._token = str(uuid4())
        self._stale = ""
        self._locked = False
        self.live_runs: int | None = None
        """Of the tenant, with the admitted one. None: not counted, because the money was held in another way."""

    @functools.cached_property
    def _mapping_key(self) -> str:
        return budget_keys.of_tenant(self._tenant_id, f"idem:{self._tenant_id}:{self._key}")

    @functools.cached_property
    def _lock_key(self) -> str:
        return budget_keys.of_tenant(self._tenant_id, f"idem_lock:{self._tenant_id}:{self._key}")

    def admit(self, run: Run, gate: Gate | None) -> Mapping | Micros:
        """The mapping of a key already used, or the balance left once the run's money is held.

        Waits, bounded, for another holder of the key. What the limits or the balance refuse is raised, with the key
        still locked: the caller may know better, since Redis may only have forgotten the key.
        """
        waited = 0.0
        delays = iter(_BACKOFF_SEC)
        delay = next(delays)
        while True:
            opened, limited, reserved, live_runs = self._ask(run, gate)
            match opened:
                case ["MAPPED", text]:
                    try:
                        return Mapping.parse(text)
                    except ValueError:
                        log.warning("key_mapping_unreadable", extra=fields(tenant_id=self._tenant_id))
                        self._stale = text
                        continue
                case ["LOCKED"]:
                    self._locked = True
                    if gate:
                        gate.record_submit(limits.verdict(gate.terms().rate, limited))
                    amount = Micros(run.reservation_max_cost_usd_micros)
                    self.live_runs = live_runs if isinstance(live_runs, int) else None
                    return scripts.reserved(self._tenant_id, run.pk, amount, reserved)
                case ["BUSY"]:
                    if waited >= PROFILE.idem_lock_ttl_sec:
                        raise IdempotencyInProgress
                case other:
                    raise AssertionError(f"open_key.lua returned {other!r}")
            time.sleep(delay)
            waited += delay
            delay = next(delays, _BACKOFF_SEC[-1])

    def ignore_mapping(self, stale: Mapping) -> None:
        """The mapping names no usable run: treat it as absent from now on."""
        self._stale = str(stale)

    def confirm(self, run: Run, event: Event | None = None) -> bool:
        """Remember key -> run and let the next one in. False if Redis has lost the run's hold meanwhile."""
        if event and not Store.EVENTS.shares_calls_with_ledger:
            publish.publish_event(event)
            event = None
        answer = _CONFIRM(
            keys=[
                *(self._mapping_key, self._lock_key),
                *(budget_keys.hold(run.tenant_id, run.pk), budget_keys.receipt(run.tenant_id, run.pk)),
                *(publish.script_keys(event) if event else ()),
            ],
            args=[
                *(str(Mapping.of(run)), str(PROFILE.idempotency_ttl_sec), self._token),
                *(publish.script_args(event) if event else ()),
            ],
        )
        self._locked = False
        match answer:
            case ["OK"]:
                return True
            case ["HOLD_MISSING"]:
                return False
            case other:
                raise AssertionError(f"confirm_key.lua returned {other!r}")

    def forget_mapping(self, run: Run) -> None:
        """The run was given up and its key is free: a mapping that names it would only mislead."""
        self._release(str(Mapping.of(run)))

    def release_key(self) -> None:
        """Release the lock, if it is still held. One that cannot be released expires by itself."""
        if self._locked:
            self._release("")

    def _ask(self, run: Run, gate: Gate | None) -> tuple[list[str], list[str], list[str], int | str]:
        balance, hold, holds, open_holds, unsent, receipt = scripts.reserve_keys(self._tenant_id, run.pk)
        terms = gate.terms() if gate else None
        opened, limited, reserved, live_runs = _ADMIT(
            keys=[
                # A key that is not asked for must lie beside the others all the same.
                *(self._mapping_key, self._lock_key, terms.bucket if terms else self._lock_key, holds),
                *(balance, hold, open_holds, unsent, receipt),
            ],
            args=[
                *(self._token, str(PROFILE.idem_lock_ttl_sec * 1000), self._stale),
                *((str(terms.rate), str(terms.max_live_runs)) if terms else ("", "")),
                *(self._tenant_id, str(run.pk), scripts.digits(run.reservation_max_cost_usd_micros)),
            ],
        )
        return opened, limited, reserved, live_runs

    def _release(self, mapping: str) -> None:
        try:
            _RELEASE_KEY(keys=[self._lock_key, self._mapping_key], args=[self._token, mapping])
        except redis.RedisError as error:
            log.warning("key_lock_not_released", extra=fields(error=type(error).__name__))
        self._locked = False
