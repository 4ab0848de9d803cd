"""Tell an event, at most once, in one round trip. Never fails its caller: a run is worth more than the news of it."""

import logging
import time
from enum import StrEnum
from pathlib import Path

import redis

from dpp_project.logging import fields
from dpp_project.metrics import EVENTS_PUBLISHED
from dpp_project.profile import EVENTS
from dpp_project.redis import LuaScript
from packs.base import StopRun
from runs.events import keys
from runs.events.event import Event

log = logging.getLogger("dpp.events")

LUA = Path(__file__).parent.parent / "lua" / "publish_event.lua"
_PUBLISH = LuaScript(LUA)

# A Redis that is down refuses at once; one that hangs costs its timeout. After such a wait steps are not told for a
# while, so that a run with many of them is slowed once, not at each.
_SILENCE_SEC = 5.0
_silent_until = 0.0


class Told(StrEnum):
    PUBLISHED = "published"
    ALREADY = "already"
    PASSED = "passed"
    FAILED = "failed"
    SILENT = "silent"


def publish(event: Event) -> Told:
    told = Told.SILENT if _is_silent(event) else _try(event)
    EVENTS_PUBLISHED.labels(outcome=told).inc()
    return told


def _try(event: Event) -> Told:
    global _silent_until
    try:
        return _call(event)
    except StopRun:
        # The alarm of the run's timebox rings wherever the worker happens to be.
        raise
    except redis.TimeoutError as error:
        _silent_until = time.monotonic() + _SILENCE_SEC
        return _failed(event, error)
    except Exception as error:
        # Called after a commit: whatever goes wrong here, the caller's work is done and must not look undone.
        return _failed(event, error)


def script_keys(event: Event) -> list[str]:
    return [
        keys.stream(keys.shard_of(event.run_id)),
        keys.state(event.run_id),
        keys.published(event.run_id, event.stage, event.seq),
    ]


def script_args(event: Event) -> list[str]:
    return [
        *(str(event.run_id), str(event.seq), event.stage, event.data),
        *(str(EVENTS.stream_max_entries), str(EVENTS.state_ttl_sec), str(EVENTS.published_ttl_sec)),
    ]


def _call(event: Event) -> Told:
    match _PUBLISH(keys=script_keys(event), args=script_args(event)):
        case ["PUBLISHED", _]:
            return Told.PUBLISHED
        case ["ALREADY"]:
            return Told.ALREADY
        case ["PASSED", _]:
            return Told.PASSED
        case other:
            raise AssertionError(f"publish_event.lua returned {other!r}")


def _is_silent(event: Event) -> bool:
    return not event.ends_the_run and time.monotonic() < _silent_until


def _failed(event: Event, error: Exception) -> Told:
    log.warning("event_not_published", extra=fields(run_id=event.run_id, seq=event.seq, error=type(error).__name__))
    return Told.FAILED
