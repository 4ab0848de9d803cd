"""One reader of shards in a process, whatever the number of listeners: one thread, one connection, one XREAD.

Both the gateway and the long poll are fed by it. What it reads may come twice (after Redis has forgotten); receivers
go by the sequence numbers.
"""

import logging
import threading
import time
from collections.abc import Callable, Collection, Sequence
from typing import Any, cast
from uuid import UUID

import redis
from redis.exceptions import RedisClusterException

from dpp_project.logging import fields
from dpp_project.metrics import EVENT_READER_ERRORS
from dpp_project.profile import EVENTS
from dpp_project.redis import Store, client
from runs.events.event import RUNS, Event

log = logging.getLogger("dpp.events")

_BEGINNING = "0-0"
_BLOCK_MS = 1_000  # below the client's socket timeout
_LOOK_FOR_SHARDS_MS = 100  # while a shard more may be needed at any moment
_LOOK_EVERY_SEC = 0.025  # in a cluster
_BATCH = 1_000  # entries of each shard in one reply
_CHECK_EVERY_SEC = 1.0
_PAUSE_SEC = 0.5

Receive = Callable[[Sequence[Event], float | None], None]
"""Takes what was found, and up to which moment (monotonic) everything is read now; None when Redis is silent."""


class ShardReader:
    def __init__(
        self, receive: Receive, *, from_beginning: bool, needed: Callable[[], Collection[int]] | None = None
    ) -> None:
        """`needed` says, whenever it is asked, which shards are to be read; without it all are."""
        self._receive = receive
        self._from_beginning = from_beginning
        self._needed = needed or (lambda: range(EVENTS.shards))
        self._positions: dict[str, str] = {}
        self._checked_at = time.monotonic()
        self._read_until = 0.0
        self._stop = threading.Event()
        self.caught_up = threading.Event()
        """Set while the reader has seen the end of all shards, and Redis answers."""
        self._thread = threading.Thread(target=self._run, name="event-reader", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(timeout=2 * _BLOCK_MS / 1_000)

    def read_once(self, *, block_ms: int | None = None) -> int:
        """One XREAD over all shards. Returns how many entries there were."""
        asked_at = time.monotonic()
        self._choose_shards()
        if not self._positions:
            time.sleep((block_ms or 0) / 1_000)
            self._read_until = asked_at
            self._receive([], self._read_until)
            return 0
        if time.monotonic() - self._checked_at >= _CHECK_EVERY_SEC:
            self._rewind_if_forgotten()
        found = 0
        events: list[Event] = []
        cut_off = False
        for stream, entries in _new_entries(self._positions, block_ms):
            found += len(entries)
            cut_off = cut_off or len(entries) >= _BATCH
            self._positions[stream] = entries[-1][0]
            events += [event for _, values in entries if (event := _parse(values))]
        if not cut_off:
            # Nothing was there for all the time it blocked, or all that was there when it asked is here.
            self._read_until = asked_at if found else asked_at + (block_ms or 0) / 1_000
        self._receive(events, self._read_until)
        return found

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                # The first reads do not block: what is there already says when the end is reached.
                if self.read_once(block_ms=self._block_ms if self.caught_up.is_set() else None) == 0:
                    self.caught_up.set()
            except redis.RedisError as error:
                self.caught_up.clear()
                self._receive([], None)
                EVENT_READER_ERRORS.inc()
                log.warning("event_reader_failed", extra=fields(error=type(error).__name__))
                self._stop.wait(_PAUSE_SEC)

    @property
    def _block_ms(self) -> int:
        return _BLOCK_MS if len(self._positions) == EVENTS.shards else _LOOK_FOR_SHARDS_MS

    def _choose_shards(self) -> None:
        """Shards that are needed from now on are read, others no longer."""
        needed = [RUNS.stream_key(shard) for shard in self._needed()]
        new = [stream for stream in needed if stream not in self._positions]
        begin = dict.fromkeys(new, _BEGINNING) if self._from_beginning else self._ends(new) if new else {}
        self._positions = {stream: self._positions.get(stream) or begin[stream] for stream in needed}

    def _rewind_if_forgotten(self) -> None:
        """A Redis that lost its streams may number new entries below those we have seen."""
        self._checked_at = time.monotonic()
        for stream, end in self._ends(list(self._positions)).items():
            if order(end) < order(self._positions[stream]):
                log.warning("event_stream_forgotten", extra=fields(stream=stream))
                self._positions[stream] = _BEGINNING

    def _ends(self, streams: list[str]) -> dict[str, str]:
        with client(Store.EVENTS).pipeline(transaction=False) as pipe:
            for stream in streams:
                pipe.xrevrange(stream, count=1)
            replies = cast(list[_Entries], _executed(pipe))
        return {stream: found[0][0] if found else _BEGINNING for stream, found in zip(streams, replies, strict=True)}


_Entries = list[tuple[str, dict[str, str]]]


def _new_entries(positions: dict[str, str], block_ms: int | None) -> list[tuple[str, _Entries]]:
    if Store.EVENTS.is_cluster:
        return _looked_for(positions, block_ms or 0)
    return _by_stream(client(Store.EVENTS).xread(positions, count=_BATCH, block=block_ms))  # type: ignore[arg-type]


def _looked_for(positions: dict[str, str], block_ms: int) -> list[tuple[str, _Entries]]:
    """The same from a cluster, where one XREAD cannot wait for streams of several servers: looked for every moment, the
    last time when the time is over."""
    ends = time.monotonic() + block_ms / 1_000
    while True:
        left = ends - time.monotonic()
        with client(Store.EVENTS).pipeline(transaction=False) as pipe:
            for stream, position in positions.items():
                pipe.xrange(stream, min=f"({position}", count=_BATCH)
            replies = cast(list[_Entries], _executed(pipe))
        found = [(stream, entries) for stream, entries in zip(positions, replies, strict=True) if entries]
        if found or left <= 0:
            return found
        time.sleep(min(_LOOK_EVERY_SEC, left))


def _executed(pipe: Any) -> Any:
    try:
        return pipe.execute()
    except RedisClusterException as error:
        raise redis.ConnectionError(str(error)) from error


def _by_stream(reply: Any) -> list[tuple[str, _Entries]]:
    """The two shapes redis-py gives, by the protocol it speaks."""
    if isinstance(reply, dict):
        return [(stream, parts[0]) for stream, parts in reply.items()]
    return list(reply or [])


def _parse(values: dict[str, str]) -> Event | None:
    try:
        return Event(UUID(values["run"]), int(values["seq"]), values["stage"], values["data"])
    except (KeyError, ValueError):
        log.error("event_unreadable")
        return None


def order(entry_id: str) -> tuple[int, int]:
    milliseconds, _, number = entry_id.partition("-")
    return int(milliseconds), int(number or 0)
