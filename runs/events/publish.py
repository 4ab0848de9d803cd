"""The bus: publish an event, at most once, in one round trip. Never fails its caller: the run matters more.

What Redis did not take is kept and tried again (`outbox`); what is lost all the same is told as a `gap`.
"""

import logging
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from uuid import UUID

import redis
from redis.exceptions import ClusterDownError

from dpp_project.cool_down import CoolDown
from dpp_project.logging import fields
from dpp_project.metrics import EVENTS_PUBLISHED
from dpp_project.profile import EVENTS
from dpp_project.redis import LuaScript, Store
from packs.base import StopRun
from runs.events.event import Domain, Event, shard_of
from runs.events.outbox import Outbox

log = logging.getLogger("dpp.events")

LUA = Path(__file__).parent.parent / "lua" / "publish_event.lua"
_PUBLISH = LuaScript(LUA.with_name("publish_events.lua"), uses=(LUA,), store=Store.EVENTS)
_LIMITS = (str(EVENTS.stream_max_entries), str(EVENTS.state_ttl_sec))

# One that hangs costs its timeout. Steps are not published for a while afterwards, so that a run with many of them is
# slowed once, not at each.
_cool_down = CoolDown(5.0)


class Publication(StrEnum):
    PUBLISHED = "published"
    ALREADY = "already"
    PASSED = "passed"
    FAILED = "failed"
    """Redis refuses this event, whenever it is asked."""
    SILENT = "silent"
    """Redis does not answer, or takes no writes at present: tried again."""
    WAITING = "waiting"


# Of the answers that are errors those that another event, or the same one later, would get as well.
_FOR_NOW = (redis.OutOfMemoryError, redis.ReadOnlyError, ClusterDownError)


def publish(domain: Domain, id_: UUID, stage: str, seq: int, data: str) -> Publication:
    """Tell what happened to a thing of a registered domain; `data` is JSON. Raises `NotOnTheBus` for what is not."""
    domain.check(stage, seq, data)
    return publish_event(Event(id_, seq, stage, data, domain))


def publish_event(event: Event) -> Publication:
    return Publication.WAITING if OUTBOX.keeps(event) else OUTBOX.flush(event)[-1]


def _publish_all(events: Sequence[Event]) -> list[Publication]:
    """Never fails, whatever becomes of them."""
    if _cool_down and not events[-1].is_last:
        outcomes = [Publication.SILENT] * len(events)
    else:
        outcomes = _try(events)
        if outcomes[-1] == Publication.FAILED and len(events) > 1:
            # One of them is to blame; the others do not suffer for it.
            outcomes = [_try([event])[0] for event in events]
    for outcome in outcomes:
        EVENTS_PUBLISHED.labels(outcome=outcome).inc()
    return outcomes


def _try(events: Sequence[Event]) -> list[Publication]:
    """In a cluster shard by shard: one script has keys of one server."""
    if not Store.EVENTS.is_cluster:
        return _try_together(events)
    by_shard: dict[int, list[int]] = {}
    for number, event in enumerate(events):
        by_shard.setdefault(shard_of(event.run_id), []).append(number)
    outcomes = [Publication.WAITING] * len(events)
    for numbers in by_shard.values():
        for number, outcome in zip(numbers, _try_together([events[number] for number in numbers]), strict=True):
            outcomes[number] = outcome
    return outcomes


def _try_together(events: Sequence[Event]) -> list[Publication]:
    try:
        return _call(events)
    except StopRun:
        # The alarm of the run's timebox rings wherever the worker happens to be.
        raise
    except Exception as error:
        # Called after a commit: whatever goes wrong here, the caller's work is done and must not look undone.
        news = fields(run_id=events[-1].run_id, seq=events[-1].seq, error=type(error).__name__)
        log.warning("event_not_published", extra=news)
        if isinstance(error, (redis.ConnectionError, redis.TimeoutError, *_FOR_NOW)):
            _cool_down.begin()
            return [Publication.SILENT] * len(events)
        return [Publication.FAILED] * len(events)


OUTBOX = Outbox(_publish_all, unsent=(Publication.SILENT,))


def script_keys(event: Event) -> list[str]:
    return [event.domain.stream_key(shard_of(event.run_id)), event.domain.state_key(event.run_id)]


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
