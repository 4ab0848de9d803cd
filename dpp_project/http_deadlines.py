"""uvicorn's HTTP protocol with an end to requests that are never finished; for the event and the MCP gateway.

uvicorn waits for ever for the rest of a head or of a body. Here both have a deadline, and one address can have only so
many unfinished requests at a time. A request that has arrived whole has no deadline: a stream may last.
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

_TOO_LATE = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class DeadlineProtocol(HttpToolsProtocol):
    _unfinished: ClassVar[Counter[str]] = Counter()

    _timer: asyncio.TimerHandle | None = None
    _address = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._finished()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._timer is None:
            self._wait_for_head()

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = self.loop.call_later(BODY_WITHIN_SEC, self._too_late)

    def on_message_complete(self) -> None:
        self._finished()
        super().on_message_complete()

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
