"""One key, one run: the lock on a key and the mapping from key to run, in Redis.

Both are hints that save work. The last word has the database's unique constraint on (tenant, key).
"""

import logging
import time
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID, uuid4

import redis

from budget import keys as budget_keys
from dpp_project.logging import fields
from dpp_project.profile import PROFILE
from dpp_project.redis import LuaScript
from runs.exceptions import IdempotencyInProgress
from runs.models import Run

log = logging.getLogger("dpp.idempotency")

_LUA = Path(__file__).parent / "lua"
_OPEN = LuaScript(_LUA / "idempotency_open.lua")
_CONFIRM = LuaScript(_LUA / "idempotency_confirm.lua")
_CLOSE = LuaScript(_LUA / "idempotency_close.lua")

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

    def __str__(self) -> str:
        return f"{self.run_id}:{self.payload_hash}"


class KeyDoor:
    """The way one request goes through its idempotency key."""

    def __init__(self, tenant_id: str, key: str) -> None:
        self._mapping_key = f"idem:{tenant_id}:{key}"
        self._lock_key = f"idem_lock:{tenant_id}:{key}"
        self._token = str(uuid4())
        self._stale = ""

    def open(self) -> Mapping | None:
        """The mapping of a key already used, or None once the lock is ours. Waits, bounded, for another holder."""
        waited = 0.0
        delays = iter(_BACKOFF_SEC)
        delay = next(delays)
        while True:
            match _OPEN(
                keys=[self._mapping_key, self._lock_key],
                args=[self._token, str(PROFILE.idem_lock_ttl_sec * 1000), self._stale],
            ):
                case ["MAPPED", text]:
                    return Mapping.parse(text)
                case ["LOCKED"]:
                    return None
                case ["BUSY"]:
                    if waited >= PROFILE.idem_lock_ttl_sec:
                        raise IdempotencyInProgress
                case other:
                    raise AssertionError(f"idempotency_open.lua returned {other!r}")
            time.sleep(delay)
            waited += delay
            delay = next(delays, _BACKOFF_SEC[-1])

    def reopen_ignoring(self, stale: Mapping) -> Mapping | None:
        """The mapping names no usable run: treat it as absent."""
        self._stale = str(stale)
        return self.open()

    def confirm(self, run: Run) -> bool:
        """Remember key -> run. False if Redis has lost the run's hold meanwhile."""
        match _CONFIRM(
            keys=[self._mapping_key, budget_keys.hold(run.pk), budget_keys.receipt(run.pk)],
            args=[str(Mapping(run.pk, run.payload_hash)), str(PROFILE.idempotency_ttl_sec)],
        ):
            case ["OK"]:
                return True
            case ["HOLD_MISSING"]:
                return False
            case other:
                raise AssertionError(f"idempotency_confirm.lua returned {other!r}")

    def close(self, *, sent: Run | None = None, given_up: Run | None = None) -> None:
        """Release the lock. What cannot be released expires by itself."""
        forget = str(Mapping(given_up.pk, given_up.payload_hash)) if given_up else ""
        try:
            _CLOSE(
                keys=[self._lock_key, self._mapping_key, budget_keys.UNSENT],
                args=[self._token, str(sent.pk) if sent else "", "1" if sent else "0", forget],
            )
        except redis.RedisError as error:
            log.warning("idempotency_lock_not_released", extra=fields(error=type(error).__name__))
