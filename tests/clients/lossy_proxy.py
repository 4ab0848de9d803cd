"""A proxy that carries requests to the API, and loses answers on their way back."""

import http.client
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import ClassVar, Self
from urllib.parse import urlsplit

_PASSED_ON = ("Authorization", "Idempotency-Key", "Content-Type", "Prefer", "Accept")


class LossyProxy:
    """`losses` is how many answers to come are lost; `cut` sends half of them instead of nothing."""

    def __init__(self, target: str, *, losses: int, methods: tuple[str, ...] = ("POST",), cut: bool = False) -> None:
        self.target = urlsplit(target).netloc
        self.losses = losses
        self.methods = methods
        self.cut = cut
        self.seen: list[tuple[str, str, str]] = []
        """Method, path and key of every request."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"proxy": self}))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    proxy: ClassVar[LossyProxy]

    def do_GET(self) -> None:
        self._carry()

    def do_POST(self) -> None:
        self._carry()

    def do_DELETE(self) -> None:
        self._carry()

    def _carry(self) -> None:
        proxy = self.proxy
        proxy.seen.append((self.command, self.path, self.headers.get("Idempotency-Key", "")))
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        upstream = http.client.HTTPConnection(proxy.target, timeout=60)
        headers = {name: self.headers[name] for name in _PASSED_ON if name in self.headers}
        upstream.request(self.command, self.path, body or None, headers)
        answer = upstream.getresponse()
        content = answer.read()
        upstream.close()
        lost = proxy.losses > 0 and self.command in proxy.methods
        if lost:
            proxy.losses -= 1
            self.close_connection = True
            if not proxy.cut:
                return
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.headers.get("Content-Type", ""))
        if answer.status != 204:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if lost else content)

    def log_message(self, format: str, *args: object) -> None:
        pass
