"""The ASGI application that serves event streams. Its own process: REST is faster on WSGI, streams need an event loop.

Nothing here blocks the loop: Django, the database and Redis are reached from a few threads.
"""

import asyncio
import logging
import resource
import signal
import time
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import FrameType
from typing import Any

from django.http import HttpResponse

from dpp_project.logging import fields
from dpp_project.metrics import EVENT_LISTENERS, EVENT_STREAMS, EVENT_WAITERS
from dpp_project.profile import EVENTS
from runs.access.api_keys import FRESH_SEC
from runs.api.body_length import has_no_length
from runs.events.event import Event
from runs.events.reader import ShardReader
from runs.gateway import key_checks, row_events, stream
from runs.gateway.django_bridge import DjangoBridge
from runs.gateway.hub import Hub, Listener
from runs.gateway.view import StreamAccepted, WaitAccepted

log = logging.getLogger("dpp.events")

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

# Django costs Python time, which threads share: more of them would only hold more database connections.
DJANGO_THREADS = 4
_CATCH_UP_SEC = 10.0
# A key may have been let in by a cache that is four seconds old; after five no stream of it is told anything.
_CHECK_KEYS_SEC = 0.9
_OTHER_FILES = 200


class EventGateway:
    def __init__(self) -> None:
        self._django = DjangoBridge()
        self._hub = Hub()
        self._threads = ThreadPoolExecutor(DJANGO_THREADS, thread_name_prefix="django")
        self._reader: ShardReader | None = None
        self._standing: list[asyncio.Task[None]] = []
        self._inside = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["path"] == "/healthz" and not has_no_length(scope):
            # Not through Django: it says that the loop lives, also while all threads wait for the database.
            await _send_whole(HttpResponse(b'{"status":"ok"}', content_type="application/json"), scope, send)
        else:
            self._inside += 1
            try:
                await self._answer(scope, receive, send)
            finally:
                self._inside -= 1

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await self._start()
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                await self._stop()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _start(self) -> None:
        _allow_open_files()
        loop = asyncio.get_running_loop()

        def receive(events: Sequence[Event], read_until: float | None) -> None:
            loop.call_soon_threadsafe(self._hub.receive, events, read_until)

        self._reader = ShardReader(receive, from_beginning=True, needed=self._hub.shards_to_read)
        self._reader.start()
        # Without Redis it serves what the rows say, so it starts anyway.
        await asyncio.to_thread(self._reader.caught_up.wait, _CATCH_UP_SEC)
        self._standing = [asyncio.create_task(self._read_rows()), asyncio.create_task(self._check_keys())]
        for number in (signal.SIGTERM, signal.SIGINT):
            self._close_streams_on(number, loop)

    def _close_streams_on(self, number: signal.Signals, loop: asyncio.AbstractEventLoop) -> None:
        """The server waits for open connections before it tells us to stop: streams must hear it from the signal."""
        before = signal.getsignal(number)

        def close(signum: int, frame: FrameType | None) -> None:
            loop.call_soon_threadsafe(self._hub.close)
            if callable(before):
                before(signum, frame)

        signal.signal(number, close)

    async def _stop(self) -> None:
        self._hub.close()
        for task in self._standing:
            task.cancel()
        if self._reader is not None:
            await asyncio.to_thread(self._reader.stop)
        self._threads.shutdown(wait=False)

    async def _read_rows(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(EVENTS.keep_alive_sec)
            self._hub.drop_idle_shards(now=time.monotonic())
            watched = self._hub.watched()
            for first in range(0, len(watched), row_events.BATCH):
                batch = watched[first : first + row_events.BATCH]
                for event in await loop.run_in_executor(self._threads, row_events.read, batch):
                    self._hub.owe(event, time.monotonic() + EVENTS.grace_sec)

    async def _check_keys(self) -> None:
        """A revoked or expired key ends its streams: within this time, after what the cache may have let in."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(_CHECK_KEYS_SEC)
            if in_use := self._hub.keys_in_use():
                self._hub.revoke(await loop.run_in_executor(self._threads, key_checks.unusable, in_use))

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        loop = asyncio.get_running_loop()
        is_full = self._inside > EVENTS.max_listeners
        response = await loop.run_in_executor(self._threads, self._django.respond, dict(scope), is_full)
        if isinstance(response, WaitAccepted):
            if not await self._wait(response, receive):
                return
            response = await loop.run_in_executor(self._threads, self._django.respond, dict(scope), is_full, True)
        if has_no_length(scope):
            # Refused (`runs.api.body_length`). The server would read the body to its end for the next request.
            response["Connection"] = "close"
        if not isinstance(response, StreamAccepted) or scope["method"] == "HEAD":
            await _send_whole(response, scope, send)
            return
        del response["Content-Length"]  # the middleware has counted a body that is not there
        response["Connection"] = "close"
        await _send_start(response, send)
        await self._stream(response, receive, send)

    async def _wait(self, accepted: WaitAccepted, receive: Receive) -> bool:
        """Until the run has changed or ended, or the time is up. False if the caller has hung up."""
        start = accepted.start
        if start.has_moved_on:
            return True
        listener = self._hub.join(start.run_id, start.newest.seq, accepted.api_key_id)
        hang_up = asyncio.create_task(_notice_hang_up(receive, listener))
        EVENT_WAITERS.inc()
        try:
            await stream.wait_for_change(
                self._hub, listener, until_end=accepted.wait.until_end, seconds=accepted.wait.seconds
            )
            if listener.is_revoked:
                # Until no cache of ours lets the key in any more: then it is refused.
                await asyncio.sleep(FRESH_SEC)
        finally:
            hang_up.cancel()
            self._hub.leave(listener)
            EVENT_WAITERS.dec()
        return not listener.gone

    async def _stream(self, accepted: StreamAccepted, receive: Receive, send: Send) -> None:
        start = accepted.start

        async def send_chunk(chunk: bytes) -> None:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})

        listener = self._hub.join(start.run_id, start.seq or 0, accepted.api_key_id)
        EVENT_LISTENERS.inc()
        hang_up = asyncio.create_task(_notice_hang_up(receive, listener))
        ending = stream.Ending.LEFT
        try:
            ending = await stream.send_events(self._hub, listener, start, send_chunk)
            # To one that takes nothing there is no use in saying goodbye: the server cuts an unfinished answer off.
            if ending != stream.Ending.SLOW:
                await send({"type": "http.response.body", "body": b""})
        finally:
            hang_up.cancel()
            self._hub.leave(listener)
            EVENT_LISTENERS.dec()
            EVENT_STREAMS.labels(ending=ending).inc()
            if ending == stream.Ending.SLOW:
                log.info("listener_dropped", extra=fields(run_id=start.run_id, seq=listener.seq))


def _allow_open_files() -> None:
    """A connection is an open file, and the usual limit is 1,024. What the hard limit grants need not be asked for."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = EVENTS.max_listeners + _OTHER_FILES
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


async def _notice_hang_up(receive: Receive, listener: Listener) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    listener.leave()


async def _send_whole(response: HttpResponse, scope: Scope, send: Send) -> None:
    response.setdefault("Content-Length", str(len(response.content)))
    await _send_start(response, send)
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else response.content})


async def _send_start(response: HttpResponse, send: Send) -> None:
    headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in response.items()]
    await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
