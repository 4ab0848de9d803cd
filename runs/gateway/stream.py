"""One listener's stream: opening, what it missed, what happens, a comment now and then, the end."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from enum import StrEnum

from dpp_project.profile import EVENTS
from runs.events.event import LAST_SEQ
from runs.gateway import sse
from runs.gateway.hub import Hub, Listener, SentEvent
from runs.gateway.resume import Start

Send = Callable[[bytes], Awaitable[None]]

# How often a listener that is owed something looks whether the shards have been read far enough to tell it.
_LOOK_AGAIN_SEC = 0.2


class Ending(StrEnum):
    COMPLETE = "complete"
    LEFT = "left"
    SLOW = "slow"
    CLOSING = "closing"
    REVOKED = "revoked"


async def send_events(hub: Hub, listener: Listener, start: Start, send: Send) -> Ending:
    """Send until the run has ended. `start` was read before the listener joined: nothing falls in between."""
    waiting = [sse.opening(start.seq or 0), *begin(hub, listener, start, now=time.monotonic())]
    silent_since = time.monotonic()
    while True:
        if listener.is_revoked:
            # Not even where to resume: whoever holds this key is told nothing.
            return Ending.REVOKED
        waiting += due(hub, listener, now=time.monotonic())
        if waiting:
            if not await _sent(b"".join(waiting), send):
                return Ending.SLOW
            waiting, silent_since = [], time.monotonic()
        if listener.seq >= LAST_SEQ:
            return Ending.COMPLETE
        if listener.gone:
            return Ending.LEFT
        if hub.closing:
            await _sent(sse.farewell("closing", listener.seq), send)
            return Ending.CLOSING
        if len(hub.after(listener.run_id, listener.seq)) > EVENTS.max_lag_events:
            # So much has happened during one send.
            await _sent(sse.farewell("too slow", listener.seq), send)
            return Ending.SLOW
        quiet_until = silent_since + EVENTS.keep_alive_sec
        if not await listener.woken(_patience(listener, quiet_until)) and time.monotonic() >= quiet_until:
            waiting = [sse.KEEP_ALIVE]


async def wait_for_change(hub: Hub, listener: Listener, *, until_end: bool, seconds: float) -> None:
    """For a caller that wants one answer and no stream: return when there may be another one to give. A revoked key is
    the next look's to refuse."""
    ends = time.monotonic() + seconds
    while not (listener.gone or listener.is_revoked or hub.closing):
        newest = max(hub.newest(listener.run_id) or _NOTHING, listener.owed or _NOTHING)[0]
        if newest >= LAST_SEQ or (newest > listener.seq and not until_end):
            return
        left = ends - time.monotonic()
        if left <= 0 or not await listener.woken(left):
            return


def begin(hub: Hub, listener: Listener, start: Start, *, now: float) -> list[bytes]:
    """The first frame of a listener that is new here; what one that resumes is owed is noted."""
    if start.seq is None:
        # The present state, from whoever knows most.
        newest = max(hub.newest(start.run_id) or _NOTHING, (start.newest.seq, sse.frame(start.newest)))
        listener.seq = newest[0]
        return [newest[1]]
    # What lies between its number and the newest is in the shards, or on its way from there. Only if they have
    # forgotten, the newest is sent alone.
    forgotten = start.state is None and hub.newest(start.run_id) is None
    listener.owe(start.newest, now if forgotten else now + EVENTS.grace_sec)
    listener.resumes = True
    return []


def due(hub: Hub, listener: Listener, *, now: float) -> list[bytes]:
    """What is to be sent now, in order; from here on it counts as sent."""
    unsent = hub.after(listener.run_id, listener.seq)
    frames = [frame for _, frame in unsent]
    if unsent:
        if listener.resumes and unsent[0] == hub.oldest(listener.run_id):
            # Its own number is not there any more: others may be missing, too.
            frames[:1] = _with_gap(listener.seq, unsent[0])
        listener.seq, listener.resumes = unsent[-1][0], False
    if listener.owed is not None and listener.owed[0] <= listener.seq:
        listener.owed = None
    if listener.owed is not None and hub.has_read_until(listener.owed_at, now=now):
        frames += _with_gap(listener.seq, listener.owed)
        listener.seq, listener.resumes = listener.owed[0], False
        listener.owed = None
    return frames


def _with_gap(told: int, following: SentEvent) -> list[bytes]:
    """An event that does not come from the streams in their order, or is the oldest they have: whatever was between it
    and the last one told is not known any more, if there was anything."""
    seq, frame = following
    # The first event of a run has nothing before it.
    return [frame] if seq <= told + 1 else [sse.gap_before(seq, frame, after=told), frame]


_NOTHING: SentEvent = (0, b"")


def _patience(listener: Listener, quiet_until: float) -> float:
    now = time.monotonic()
    if listener.owed is not None:
        return min(quiet_until, max(listener.owed_at, now + _LOOK_AGAIN_SEC)) - now
    return max(quiet_until - now, 0)


async def _sent(chunk: bytes, send: Send) -> bool:
    """False if the listener did not take it in time."""
    try:
        async with asyncio.timeout(EVENTS.send_timeout_sec):
            await send(chunk)
    except TimeoutError:
        return False
    return True
