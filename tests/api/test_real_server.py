"""Bodies as they come over a socket: chunked, too long, shorter or longer than they claim."""

import json
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from dpp_project.profile import PROFILE
from runs.models import Run
from tests.builders import Customer, fresh_key, json_body
from tests.http import Api
from tests.processes import ApiProcess


class Wire:
    """One connection, byte by byte."""

    def __init__(self, url: str) -> None:
        host = urlsplit(url)
        self.socket = socket.create_connection((host.hostname, host.port), timeout=20)

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def head(self, owner: Customer, *lines: str) -> None:
        start = ("POST /v1/runs HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json")
        credentials = (f"Authorization: Bearer {owner.api_key}", f"Idempotency-Key: {fresh_key()}")
        self.send("\r\n".join((*start, *credentials, *lines, "", "")).encode())

    def answer(self) -> tuple[int, bytes]:
        """Status and body of the next answer; the rest of the connection is dropped."""
        received = b""
        while b"\r\n\r\n" not in received:
            received += self._more()
        head, _, body = received.partition(b"\r\n\r\n")
        lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        length = int(lengths[0].split(b":")[1]) if lengths else 0
        while len(body) < length:
            body += self._more()
        return int(head.split()[1]), body[:length]

    def _more(self) -> bytes:
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionError("the server closed the connection")
        return data


@pytest.fixture
def wire(live_api: ApiProcess) -> Iterator[Wire]:
    wire = Wire(live_api.url)
    yield wire
    wire.socket.close()


def chunked(data: bytes, size: int) -> Iterator[bytes]:
    for at in range(0, len(data), size):
        part = data[at : at + size]
        yield f"{len(part):x}\r\n".encode() + part + b"\r\n"
    yield b"0\r\n\r\n"


def test_a_chunked_body_is_read_like_any_other(wire: Wire, acme: Customer) -> None:
    wire.head(acme, "Transfer-Encoding: chunked")
    for part in chunked(json_body().encode(), 7):
        wire.send(part)
    status, body = wire.answer()
    assert status == 202, body
    assert Run.objects.count() == 1


def test_a_chunked_body_beyond_the_limit_is_refused_while_it_comes(wire: Wire, acme: Customer) -> None:
    wire.head(acme, "Transfer-Encoding: chunked")
    part = b"%x\r\n" % 2**20 + b" " * 2**20 + b"\r\n"
    try:
        for _ in range(3 * PROFILE.max_request_bytes // 2**20):
            wire.send(part)
    except OSError:
        pass  # the server has answered and no longer listens
    status, body = wire.answer()
    assert (status, json.loads(body)["reason_code"]) == (413, "PAYLOAD_TOO_LARGE")


def test_a_length_beyond_the_limit_is_refused_before_the_body(wire: Wire, acme: Customer) -> None:
    wire.head(acme, f"Content-Length: {PROFILE.max_request_bytes + 1}")
    status, body = wire.answer()
    assert (status, json.loads(body)["reason_code"]) == (413, "PAYLOAD_TOO_LARGE")


def test_an_empty_body_is_not_json(wire: Wire, acme: Customer) -> None:
    wire.head(acme, "Content-Length: 0")
    status, body = wire.answer()
    assert (status, json.loads(body)["reason_code"]) == (400, "INVALID_PARAMS")


def test_a_caller_who_hangs_up_in_the_middle_leaves_nothing(wire: Wire, live_api: ApiProcess, acme: Customer) -> None:
    wire.head(acme, "Content-Length: 100000")
    wire.send(json_body().encode())
    wire.socket.close()
    for _ in range(20):
        assert Api(live_api.url, acme).get("/v1/budget").status == 200
        assert not Run.objects.exists()


def test_bytes_beyond_the_length_are_not_part_of_the_body(wire: Wire, acme: Customer) -> None:
    body = json_body().encode()
    wire.head(acme, f"Content-Length: {len(body) - 5}")
    wire.send(body)
    status, answer = wire.answer()
    assert (status, json.loads(answer)["reason_code"]) == (400, "INVALID_PARAMS")


def test_two_lengths_or_a_length_with_chunks_never_make_a_run(live_api: ApiProcess, acme: Customer) -> None:
    """What two readers could take for two different requests."""
    body = json_body().encode()
    for lines in (
        (f"Content-Length: {len(body)}", f"Content-Length: {len(body) + 1}"),
        ("Content-Length: abc",),
        ("Content-Length: -1",),
    ):
        smuggling = Wire(live_api.url)
        smuggling.head(acme, *lines)
        smuggling.send(body)
        try:
            status, _ = smuggling.answer()
        except OSError:
            status = 400  # hung up on
        finally:
            smuggling.socket.close()
        assert status == 400
    assert not Run.objects.exists()
