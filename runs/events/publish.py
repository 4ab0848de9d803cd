"""Tell an event, at most once, in one round trip. Never fails its caller: a run is worth more than the news of it."""

import logging
import time
from collections.abc import Sequence
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
from runs.events.outbox import Outbox

log = logging.getLogger("dpp.events")

LUA = Path(__file__).parent.parent / "lua" / "publish_event.lua"
_PUBLISH = LuaScript(LUA.with_name("publish_events.lua"), uses=(LUA,))
_LIMITS = (str(EVENTS.stream_max_entries), str(EVENTS.state_ttl_sec), str(EVENTS.published_ttl_sec))

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
    WAITING = "waiting"


def publish(event: Event) -> Told:
    return Told.WAITING if OUTBOX.keeps(event) else OUTBOX.flush(event)[-1]


def _tell(events: Sequence[Event]) -> list[Told]:
    """Never fails, whatever becomes of them."""
    global _silent_until
    if time.monotonic() < _silent_until and not events[-1].ends_the_run:
        told = [Told.SILENT] * len(events)
    else:
        try:
            told = _call(events)
        except StopRun:
            # The alarm of the run's timebox rings wherever the worker happens to be.
            raise
        except Exception as error:
            # Called after a commit: whatever goes wrong here, the caller's work is done and must not look undone.
            if isinstance(error, redis.TimeoutError):
                _silent_until = time.monotonic() + _SILENCE_SEC
            told = [Told.FAILED] * len(events)
            news = fields(run_id=events[-1].run_id, seq=events[-1].seq, error=type(error).__name__)
            log.warning("event_not_published", extra=news)
    for outcome in told:
        EVENTS_PUBLISHED.labels(outcome=outcome).inc()
    return told


OUTBOX = Outbox(_tell)


def script_keys(event: Event) -> list[str]:
    return [
        keys.stream(keys.shard_of(event.run_id)),
        keys.state(event.run_id),
        keys.published(event.run_id, event.stage, event.seq),
    ]


def script_args(event: Event) -> list[str]:
    return [*_told(event), *_LIMITS]


def _told(event: Event) -> tuple[str, ...]:
    return str(event.run_id), str(event.seq), event.stage, event.data


def _call(events: Sequence[Event]) -> list[Told]:
    answers = _PUBLISH(
        keys=[key for event in events for key in script_keys(event)],
        args=[*_LIMITS, *(arg for event in events for arg in _told(event))],
    )
    return [_outcome(answer) for answer in answers]


def _outcome(answer: list[str]) -> Told:
    match answer:
        case ["PUBLISHED", _]:
            return Told.PUBLISHED
        case ["ALREADY"]:
            return Told.ALREADY
        case ["PASSED", _]:
            return Told.PASSED
        case other:
            raise AssertionError(f"publish_event.lua returned {other!r}")
