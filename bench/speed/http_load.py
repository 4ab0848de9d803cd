"""A small closed-loop HTTP client: each connection asks again as soon as it is answered.

Raw sockets and ready-made requests, because the client shares the machine's cores with what it measures: every
microsecond it takes would make all servers look more alike.
"""

import selectors
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field

_END_OF_HEAD = b"\r\n\r\n"
_LENGTH = b"\r\ncontent-length: "


@dataclass
class Load:
    """What one drive saw."""

    seconds: float = 0.0
    answered: int = 0
    """Within these seconds."""
    latencies_ms: list[float] = field(default_factory=list)
    statuses: dict[int, int] = field(default_factory=dict)

    def rate(self) -> float:
        return self.answered / self.seconds

    def percentile(self, percent: int) -> float:
        ordered = sorted(self.latencies_ms)
        return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]

    def figures(self) -> dict[str, float]:
        return {
            "per_sec": round(self.rate(), 1),
            **{f"p{percent}_ms": round(self.percentile(percent), 2) for percent in (50, 95, 99)},
        }


@dataclass
class _Connection:
    socket: socket.socket
    number: int
    asked_at: float = 0.0
    answer: bytes = b""


def drive(
    port: int, request_of: Callable[[int], bytes], *, connections: int, seconds: float, expect: int, warm: float = 1.0
) -> Load:
    """Ask for `warm` seconds unmeasured, then for `seconds`. `request_of` gets the connection's number."""
    load = Load()
    began = time.perf_counter() + warm
    ends = began + seconds
    with selectors.DefaultSelector() as selector:
        for number in range(connections):
            connection = _Connection(socket.create_connection(("127.0.0.1", port)), number)
            connection.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            selector.register(connection.socket, selectors.EVENT_READ, connection)
            _ask(connection, request_of)
        while selector.get_map():
            ready = selector.select(timeout=30)
            assert ready, "the server has not answered for 30 seconds"
            for key, _ in ready:
                connection = key.data
                connection.answer += connection.socket.recv(65_536)
                now = time.perf_counter()
                status = _complete(connection.answer)
                if status is None:
                    continue
                if now >= began:
                    load.statuses[status] = load.statuses.get(status, 0) + 1
                    load.answered += now <= ends
                if connection.asked_at >= began:
                    # Also of those that were still waiting at the end: leaving them out would hide the slowest.
                    load.latencies_ms.append((now - connection.asked_at) * 1000)
                if now < ends:
                    _ask(connection, request_of)
                else:
                    selector.unregister(connection.socket)
                    connection.socket.close()
    load.seconds = seconds
    assert set(load.statuses) == {expect}, f"expected only {expect}, got {load.statuses}"
    return load


def _ask(connection: _Connection, request_of: Callable[[int], bytes]) -> None:
    connection.answer = b""
    request = request_of(connection.number)
    connection.asked_at = time.perf_counter()
    connection.socket.sendall(request)


def _complete(answer: bytes) -> int | None:
    """The status, once the whole answer is there."""
    head_end = answer.find(_END_OF_HEAD)
    if head_end < 0:
        return None
    status = int(answer[9:12])
    start = answer.lower().find(_LENGTH, 0, head_end + 2)
    if start < 0:
        assert status == 304, answer[:200]
        return status
    start += len(_LENGTH)
    length = int(answer[start : answer.index(b"\r\n", start)])
    return status if len(answer) >= head_end + len(_END_OF_HEAD) + length else None
