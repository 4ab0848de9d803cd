"""What a gateway process knows: the recent events of all runs that share a shard with one that is listened to.

A mirror of these shards, as large as they are. Listeners hold no events of their own, only the number up to which they
were told: a thousand of them on one run cost one copy. All of it belongs to the event loop's thread, so that "what
was before" and "what comes" never overlap or leave a hole.
"""

import asyncio
import time
from collections import Counter, deque
from collections.abc import Sequence
from uuid import UUID

from dpp_project.profile import EVENTS
from runs.events.event import Event, shard_of
from runs.gateway import sse

SentEvent = tuple[int, bytes]
"""A sequence number and the frame that tells it."""


class Listener:
    """One open stream."""

    __slots__ = ("_wake", "api_key_id", "gone", "is_revoked", "owed", "owed_at", "resumes", "run_id", "seq")

    def __init__(self, run_id: UUID, seq: int, api_key_id: UUID | None = None) -> None:
        self.run_id = run_id
        self.api_key_id = api_key_id
        self.is_revoked = False
        """Its key no longer counts: nothing more is told to it."""
        self.seq = seq
        """The newest event it was told."""
        self.resumes = False
        """It was told nothing yet, and begins after the number that it gave."""
        self.gone = False
        self.owed: SentEvent | None = None
        """What a row or state key says beyond that: told when the streams do not tell it by `owed_at`."""
        self.owed_at = 0.0
        self._wake = asyncio.Event()

    def owe(self, event: Event, at: float) -> None:
        if event.seq > self.seq and (self.owed is None or event.seq > self.owed[0]):
            self.owed, self.owed_at = (event.seq, sse.frame(event)), at
            self._wake.set()

    def leave(self) -> None:
        """The other side has hung up."""
        self.gone = True
        self._wake.set()

    def wake(self) -> None:
        self._wake.set()

    def revoke(self) -> None:
        self.is_revoked = True
        self._wake.set()

    async def woken(self, seconds: float) -> bool:
        """False if nothing happened for so long."""
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            return False
        self._wake.clear()
        return True


class _Channel:
    """One run's recent events and listeners."""

    __slots__ = ("events", "last_seq", "listeners")

    def __init__(self) -> None:
        self.events: deque[SentEvent] = deque()
        self.last_seq = 0
        self.listeners: set[Listener] = set()


class Hub:
    def __init__(self) -> None:
        self._channels: dict[UUID, _Channel] = {}
        # Whose event is the oldest of a shard: evicted in the order they came, as Redis trims them.
        self._order: list[deque[UUID]] = [deque() for _ in range(EVENTS.shards)]
        self._read_until = 0.0
        self._blind = False
        # When a shard had its last listener. A shard is read while it has one, and for a while afterwards.
        self._needed_at: dict[int, float] = {}
        self._listeners_of: Counter[int] = Counter()
        self._mirrored: set[int] = set()
        # Both are seen by the reader's thread: replaced, never changed.
        self._needed: frozenset[int] = frozenset()
        self._being_read: frozenset[int] = frozenset()
        self.listeners = 0
        self.closing = False

    def receive(self, events: Sequence[Event], read_until: float | None) -> None:
        """From the reader: what it found, and up to which moment it has now read everything (None: it cannot)."""
        self._blind = read_until is None
        self._read_until = read_until or self._read_until
        touched: set[UUID] = set()
        for event in events:
            if shard_of(event.run_id) not in self._mirrored:
                continue
            channel = self._channels.setdefault(event.run_id, _Channel())
            # A shard that is read again from its beginning brings what is known.
            if event.seq > channel.last_seq:
                channel.events.append((event.seq, sse.frame(event)))
                channel.last_seq = event.seq
                touched.add(event.run_id)
                self._remember(event.run_id)
        for run_id in touched:
            # Evicted already, if one batch was larger than the mirror.
            for listener in self._channels[run_id].listeners if run_id in self._channels else ():
                listener.wake()

    def join(self, run_id: UUID, seq: int, api_key_id: UUID | None = None) -> Listener:
        shard = shard_of(run_id)
        if shard not in self._needed:
            if shard not in self._being_read:
                # It will be read from its beginning: an old mirror could have a hole before that.
                self._drop_mirror(shard)
            self._mirrored.add(shard)
            self._needed |= {shard}
        listener = Listener(run_id, seq, api_key_id)
        self._channels.setdefault(run_id, _Channel()).listeners.add(listener)
        self.listeners += 1
        self._listeners_of[shard] += 1
        return listener

    def shards_to_read(self) -> frozenset[int]:
        """Asked by the reader before each look. What it was not told here it reads from its beginning the next time."""
        self._being_read = self._needed
        return self._being_read

    def leave(self, listener: Listener) -> None:
        channel = self._channels[listener.run_id]
        channel.listeners.remove(listener)
        self.listeners -= 1
        shard = shard_of(listener.run_id)
        self._listeners_of[shard] -= 1
        self._needed_at[shard] = time.monotonic()
        self._forget_if_idle(listener.run_id, channel)

    def newest(self, run_id: UUID) -> SentEvent | None:
        channel = self._channels.get(run_id)
        return channel.events[-1] if channel and channel.events else None

    def oldest(self, run_id: UUID) -> SentEvent | None:
        channel = self._channels.get(run_id)
        return channel.events[0] if channel and channel.events else None

    def after(self, run_id: UUID, seq: int) -> list[SentEvent]:
        channel = self._channels.get(run_id)
        if channel is None or channel.last_seq <= seq:
            return []
        return [event for event in channel.events if event[0] > seq]

    def has_read_until(self, moment: float, *, now: float) -> bool:
        """All that was published up to that moment is here, or Redis has not answered for a keep-alive since."""
        return self._read_until >= moment or (self._blind and now >= moment + EVENTS.keep_alive_sec)

    def watched(self) -> list[UUID]:
        """Runs with listeners."""
        return [run_id for run_id, channel in self._channels.items() if channel.listeners]

    def drop_idle_shards(self, *, now: float) -> None:
        """Shards without a listener for so long are no longer read. Their mirror goes once the reader knows: a listener
        who comes before that still finds the reader where the mirror ends."""
        self._needed -= {
            shard
            for shard in self._needed
            if not self._listeners_of[shard] and now - self._needed_at[shard] > EVENTS.idle_shard_sec
        }
        for shard in self._mirrored - self._needed - self._being_read:
            self._drop_mirror(shard)

    def _drop_mirror(self, shard: int) -> None:
        for run_id in set(self._order[shard]):
            del self._channels[run_id]
        self._order[shard].clear()
        self._mirrored.discard(shard)

    def keys_in_use(self) -> set[UUID]:
        listeners = (listener for channel in self._channels.values() for listener in channel.listeners)
        return {listener.api_key_id for listener in listeners if listener.api_key_id}

    def revoke(self, api_key_ids: set[UUID]) -> None:
        """Streams opened with these keys end now."""
        for channel in self._channels.values():
            for listener in channel.listeners:
                if listener.api_key_id in api_key_ids:
                    listener.revoke()

    def owe(self, event: Event, at: float) -> None:
        """A row says more than the streams have told."""
        channel = self._channels.get(event.run_id)
        for listener in channel.listeners if channel else ():
            listener.owe(event, at)

    def close(self) -> None:
        """The process ends: every listener is told to come back elsewhere."""
        self.closing = True
        for channel in self._channels.values():
            for listener in channel.listeners:
                listener.wake()

    def _remember(self, run_id: UUID) -> None:
        order = self._order[shard_of(run_id)]
        order.append(run_id)
        if len(order) > EVENTS.stream_max_entries:
            oldest = order.popleft()
            channel = self._channels[oldest]
            channel.events.popleft()
            self._forget_if_idle(oldest, channel)

    def _forget_if_idle(self, run_id: UUID, channel: _Channel) -> None:
        if not channel.events and not channel.listeners:
            del self._channels[run_id]
