"""Where a body ends must have one answer: whatever has two, or is told late, is refused on all three listeners.

Each case is a head with a doubtful length, a body that would be a whole submit, and then a request that a proxy might
have taken for part of that body. One answer comes back, the connection ends, and no run is made.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from runs.models import Run
from tests.api.wire import Wire
from tests.builders import Customer, fresh_key, json_body
from tests.events.processes import GatewayProcess as EventsProcess
from tests.mcp.gateway import GatewayProcess as McpProcess
from tests.processes import ApiProcess
from tests.services import SessionServices

_CHUNKED = "Transfer-Encoding: chunked"
_LENGTH = "Content-Length: {length}"

_TWO_ANSWERS = {
    "a length, then chunks": [_LENGTH, _CHUNKED],
    "chunks, then a length": [_CHUNKED, _LENGTH],
    "a length of nothing, then chunks": ["Content-Length: 0", _CHUNKED],
    "chunks, then a length too long": [_CHUNKED, "Content-Length: 100000"],
    "a length between two codings": [_CHUNKED, _LENGTH, _CHUNKED],
    "chunks in capitals, then a length": ["TRANSFER-ENCODING: CHUNKED", _LENGTH],
    "chunks after another coding, and a length": ["Transfer-Encoding: gzip, chunked", _LENGTH],
}
_TOLD_LATE = {
    "chunks alone": [_CHUNKED],
    "chunks after another coding": ["Transfer-Encoding: gzip, chunked"],
}
_UNREADABLE = {
    "chunks twice": [_CHUNKED, _CHUNKED],
    "chunks twice in one line": ["Transfer-Encoding: chunked, chunked"],
    "two lengths": [_LENGTH, "Content-Length: 0"],
    "two lengths in one line": ["Content-Length: 5, 6"],
    "a length with a sign": ["Content-Length: +5"],
    "a coding folded over two lines": ["Transfer-Encoding:\r\n chunked"],
    "a length folded over two lines": ["Content-Length:\r\n {length}"],
    "a fold before the coding": ["X-Any: a\r\n " + _CHUNKED, _LENGTH],
    "a coding that is none": ["Transfer-Encoding: xchunked"],
    "a coding after the chunks": ["Transfer-Encoding: chunked, identity"],
    "a space before the colon": ["Transfer-Encoding : chunked", _LENGTH],
    "a tab before the coding's name": ["\tTransfer-Encoding: chunked", _LENGTH],
    "a control sign in the coding": ["Transfer-Encoding: \x0bchunked", _LENGTH],
}
_DOUBTFUL = _TWO_ANSWERS | _TOLD_LATE | _UNREADABLE


@dataclass(frozen=True)
class Listener:
    name: str
    url: str
    target: str


@pytest.fixture(scope="module")
def gateways(services: SessionServices, api_process: ApiProcess) -> Iterator[tuple[EventsProcess, McpProcess]]:
    with EventsProcess() as events, McpProcess({"DPP_API_URL": api_process.url}) as mcp:
        yield events, mcp


@pytest.fixture
def listeners(live_api: ApiProcess, gateways: tuple[EventsProcess, McpProcess]) -> list[Listener]:
    events, mcp = gateways
    return [
        Listener("api", live_api.url, "POST /v1/runs"),
        Listener("api, a poll", live_api.url, "GET /v1/runs/00000000-0000-0000-0000-000000000000"),
        Listener("api, no agent", live_api.url, "POST /admin/login/"),
        Listener("events", events.url, "GET /v1/runs/00000000-0000-0000-0000-000000000000/events"),
        Listener("events, health", events.url, "GET /healthz"),
        Listener("mcp", mcp.url, "POST /mcp"),
        Listener("mcp, health", mcp.url, "GET /healthz"),
    ]


def _all_that_comes(listener: Listener, owner: Customer, lines: list[str]) -> bytes:
    """Until the server hangs up."""
    body = json_body()
    chunks = f"{len(body):x}\r\n{body}\r\n0\r\n\r\n"
    head = [
        *(f"{listener.target} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {owner.api_key}"),
        *("Content-Type: application/json", "Accept: application/json, text/event-stream"),
        *(f"Idempotency-Key: {fresh_key()}", *(line.replace("{length}", str(len(chunks))) for line in lines)),
    ]
    smuggled = (
        f"POST /v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {owner.api_key}\r\n"
        f"Content-Type: application/json\r\nIdempotency-Key: {fresh_key()}\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    )
    wire = Wire(listener.url)
    try:
        wire.send(("\r\n".join(head) + "\r\n\r\n" + chunks + smuggled).encode("latin-1"))
        received = b""
        while part := _received(wire):
            received += part
        return received
    finally:
        wire.close()


def _received(wire: Wire) -> bytes:
    try:
        return wire.socket.recv(65536)
    except ConnectionResetError:
        return b""
    except TimeoutError:
        raise AssertionError("the connection was left open") from None


@pytest.mark.parametrize("case", _DOUBTFUL)
def test_nothing_with_a_doubtful_length_is_read(
    listeners: list[Listener], acme: Customer, case: str, subtests: pytest.Subtests
) -> None:
    for listener in listeners:
        with subtests.test(listener.name):
            received = _all_that_comes(listener, acme, _DOUBTFUL[case])
            assert received.count(b"HTTP/1.1 ") == 1, received
            assert received.split()[1] in (b"400", b"411"), received
    assert not Run.objects.exists()


@pytest.mark.parametrize("case", _TOLD_LATE)
def test_a_body_in_chunks_is_a_problem_that_says_what_to_do(
    listeners: list[Listener], acme: Customer, case: str, subtests: pytest.Subtests
) -> None:
    for listener in listeners:
        with subtests.test(listener.name):
            wire = Wire(listener.url)
            wire.send(
                f"{listener.target} HTTP/1.1\r\nHost: 127.0.0.1\r\n".encode()
                + "\r\n".join((*_TOLD_LATE[case], "", "")).encode()
            )
            # Nothing of the body is sent, and the answer comes at once.
            answer = wire.whole_answer()
            assert wire.socket.recv(1) == b""
            wire.close()
            assert (answer.status, answer.headers["connection"]) == (411, "close")
            assert answer.problem()["reason_code"] == "LENGTH_REQUIRED"
            assert answer.problem()["retry_with"] == "none"
            assert answer.headers["x-trace-id"] == answer.problem()["trace_id"]


def test_the_api_refuses_a_length_beside_a_transfer_encoding_as_a_problem(
    live_api: ApiProcess, acme: Customer, subtests: pytest.Subtests
) -> None:
    """Its server hides the length; the gateways' refuses the pair by itself."""
    for case, lines in _TWO_ANSWERS.items():
        with subtests.test(case):
            received = _all_that_comes(Listener("api", live_api.url, "POST /v1/runs"), acme, lines)
            assert received.startswith(b"HTTP/1.1 411 "), received
            assert b'"reason_code":"LENGTH_REQUIRED"' in received
