"""Publish an event, at most once, in one round trip. Never fails its caller: the run matters more."""

import logging
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

import redis

from dpp_project.cool_down import CoolDown
from dpp_project.logging import fields
from dpp_project.metrics import EVENTS_PUBLISHED
from dpp_project.profile import EVENTS
from dpp_project.redis import LuaScript
from packs.base import StopRun
from runs.events.event import Event, published_key, shard_of, state_key, stream_key
from runs.events.outbox import Outbox

log = logging.getLogger("dpp.events")

LUA = Path(__file__).parent.parent / "lua" / "publish_event.lua"
_PUBLISH = LuaScript(LUA.with_name("publish_events.lua"), uses=(LUA,))
_LIMITS = (str(EVENTS.stream_max_entries), str(EVENTS.state_ttl_sec), str(EVENTS.published_ttl_sec))

# A Redis that is down refuses at once; one that hangs costs its timeout. After such a wait steps are not published for
# a while, so that a run with many of them is slowed once, not at each.
_cool_down = CoolDown(5.0)


class Publication(StrEnum):
    PUBLISHED = "published"
    ALREADY = "already"
    PASSED = "passed"
    FAILED = "failed"
    SILENT = "silent"
    WAITING = "waiting"


def publish(event: Event) -> Publication:
    return Publication.WAITING if OUTBOX.keeps(event) else OUTBOX.flush(event)[-1]


def _publish_all(events: Sequence[Event]) -> list[Publication]:
    """Never fails, whatever becomes of them."""
    if _cool_down and not events[-1].ends_the_run:
        outcomes = [Publication.SILENT] * len(events)
    else:
        try:
            outcomes = _call(events)
        except StopRun:
            # The alarm of the run's timebox rings wherever the worker happens to be.
            raise
        except Exception as error:
            # Called after a commit: whatever goes wrong here, the caller's work is done and must not look undone.
            if isinstance(error, redis.TimeoutError):
                _cool_down.begin()
            outcomes = [Publication.FAILED] * len(events)
            news = fields(run_id=events[-1].run_id, seq=events[-1].seq, error=type(error).__name__)
            log.warning("event_not_published", extra=news)
    for outcome in outcomes:
        EVENTS_PUBLISHED.labels(outcome=outcome).inc()
    return outcomes


OUTBOX = Outbox(_publish_all)


def script_keys(event: Event) -> list[str]:
    return [
        stream_key(shard_of(event.run_id)),
        state_key(event.run_id),
        published_key(event.run_id, event.stage, event.seq),
    ]


def script_args(event: Event) -> list[str]:
    return [*_event_args(event), *_LIMITS]


def _event_args(event: Event) -> tuple[str, ...]:
    return str(event.run_id), str(event.seq), event.stage, event.data


def _call(events: Sequence[Event]) -> list[Publication]:
    answers = _PUBLISH(
        keys=[key for event in events for key in script_keys(event)],
        args=[*_LIMITS, *(arg for event in events for arg in _event_args(event))],
    )
    return [_outcome(answer) for answer in answers]


def _outcome(answer: list[str]) -> Publication:
    match answer:
        case ["PUBLISHED", _]:
            return Publication.PUBLISHED
        case ["ALREADY"]:
            return Publication.ALREADY
        case ["PASSED", _]:
            return Publication.PASSED
        case other:
            raise AssertionError(f"publish_event.lua returned {other!r}")
