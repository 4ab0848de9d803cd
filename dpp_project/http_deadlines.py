"""uvicorn's HTTP protocol with an end to requests that are never finished; for the event and the MCP gateway.

uvicorn waits for ever for the rest of a head or of a body, and takes a head of any length. Here both have a deadline,
one address can have only so many unfinished requests at a time, and a head has a largest size: what reads cookies and
types takes a time that grows with the square of their length. A request that has arrived whole has no deadline: a
stream may last.
"""

import asyncio
from collections import Counter
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from dpp_project.env import Env

_env = Env()
HEAD_WITHIN_SEC = _env.integer("DPP_HEAD_WITHIN_SEC", 10, least=1)
BODY_WITHIN_SEC = _env.integer("DPP_BODY_WITHIN_SEC", 15, least=1)
# A balancer's connections come from one address too, but what it sends it sends whole.
UNFINISHED_PER_ADDRESS = _env.integer("DPP_UNFINISHED_PER_ADDRESS", 64, least=1)

MAX_HEAD_BYTES = 32_768

_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
_TOO_LATE = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class DeadlineProtocol(HttpToolsProtocol):
    _unfinished: ClassVar[Counter[str]] = Counter()

    _timer: asyncio.TimerHandle | None = None
    _address = ""
    _refused = False
    # Of the head that is being read: what the parser has told of it, and what has come.
    _head_bytes = 0
    _come_bytes = 0
    _reads_head = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._finished()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        super().data_received(data)
        if self._reads_head and not self._refused:
            # Of a line without an end nothing is told before it ends.
            self._come_bytes += len(data)
            if self._come_bytes > MAX_HEAD_BYTES:
                self._refuse()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head_bytes, self._come_bytes, self._reads_head = 0, 0, True
        if self._timer is None:
            self._wait_for_head()

    def on_url(self, url: bytes) -> None:
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count(len(name) + len(value))
        super().on_header(name, value)

    def on_body(self, body: bytes) -> None:
        if not self._refused:
            super().on_body(body)

    def on_headers_complete(self) -> None:
        self._reads_head = False
        if self._refused:
            return
        super().on_headers_complete()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = self.loop.call_later(BODY_WITHIN_SEC, self._too_late)

    def on_message_complete(self) -> None:
        if self._refused:
            return
        self._finished()
        super().on_message_complete()

    def _count(self, size: int) -> None:
        self._head_bytes += size
        if self._head_bytes > MAX_HEAD_BYTES and not self._refused:
            self._refuse()

    def _refuse(self) -> None:
        """Nothing more of this connection is read."""
        self._refused = True
        self._finished()
        if not self.transport.is_closing():
            self.transport.write(_TOO_LARGE)
            self.transport.close()

    def _wait_for_head(self) -> None:
        self._address = self.client[0] if self.client else "unknown"
        if self._unfinished[self._address] >= UNFINISHED_PER_ADDRESS:
            self._address = ""
            self.transport.abort()
            return
        self._unfinished[self._address] += 1
        self._timer = self.loop.call_later(HEAD_WITHIN_SEC, self._too_late)

    def _finished(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._address:
            self._unfinished[self._address] -= 1
            if not self._unfinished[self._address]:
                del self._unfinished[self._address]
            self._address = ""

    def _too_late(self) -> None:
        self._finished()
        if not self.transport.is_closing():
            # An answer that has begun must not get a second one into it.
            cycle: RequestResponseCycle | None = self.cycle
            if cycle is None or cycle.response_complete or not cycle.response_started:
                self.transport.write(_TOO_LATE)
            self.transport.close()


def server_options() -> dict[str, Any]:
    """What both gateways give to `uvicorn.run`."""
    return {
        "http": DeadlineProtocol,
        # An upgrade that nobody offers is ignored, as HTTP has it; the server would hand it to us otherwise.
        "ws": "none",
        "access_log": False,
        "server_header": False,
        # It would believe X-Forwarded-For of anybody on this machine.
        "proxy_headers": False,
        "backlog": 4096,
    }
