"""One connection to a real server, byte by byte: for what no HTTP client would send."""

import json
import socket
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from tests.builders import Customer, fresh_key


@dataclass(frozen=True)
class WireAnswer:
    status: int
    headers: dict[str, str]
    """By lower-case name."""
    body: bytes

    def problem(self) -> dict[str, Any]:
        """The problem in it, which must be one."""
        assert self.headers["content-type"] == "application/problem+json", (self.status, self.headers, self.body[:500])
        document: dict[str, Any] = json.loads(self.body)
        assert document["status"] == self.status
        return document


class Wire:
    def __init__(self, url: str, *, receive_buffer: int | None = None, come_from: str = "") -> None:
        host = urlsplit(url)
        self.socket = socket.socket()
        if come_from:
            self.socket.bind((come_from, 0))
        self.socket.settimeout(20)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.connect((host.hostname, host.port))

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def head(self, owner: Customer, *lines: str) -> None:
        start = ("POST /v1/runs HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json")
        credentials = (f"Authorization: Bearer {owner.api_key}", f"Idempotency-Key: {fresh_key()}")
        self.send("\r\n".join((*start, *credentials, *lines, "", "")).encode())

    def answer(self) -> tuple[int, bytes]:
        """Status and body of the next answer; the rest of the connection is dropped."""
        whole = self.whole_answer()
        return whole.status, whole.body

    def whole_answer(self) -> WireAnswer:
        received = b""
        while b"\r\n\r\n" not in received:
            received += self._more()
        head, _, body = received.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(headers.get("content-length", "0"))
        while len(body) < length:
            body += self._more()
        return WireAnswer(int(first.split()[1]), headers, body[:length])

    def close(self) -> None:
        self.socket.close()

    def _more(self) -> bytes:
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionError("the server closed the connection")
        return data


def exchange(url: str, request: bytes) -> WireAnswer:
    """One request on a connection of its own."""
    wire = Wire(url)
    try:
        wire.send(request)
        return wire.whole_answer()
    finally:
        wire.close()
