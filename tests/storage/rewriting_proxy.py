"""An HTTP server before the object store that changes what passes: as other buckets answer, or as bad hardware does."""

import http.client
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

Answer = tuple[int, dict[str, str], bytes]


class RewritingProxy:
    def __init__(self, target_port: int) -> None:
        self.requests: list[str] = []
        self.request_body: Callable[[str, bytes], bytes] = lambda method, body: body
        self.answer: Callable[[str, Answer], Answer] = lambda method, answer: answer
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _pass(self) -> None:
                proxy.requests.append(self.command)
                length = int(self.headers.get("Content-Length") or 0)
                body = proxy.request_body(self.command, self.rfile.read(length))
                upstream = http.client.HTTPConnection("127.0.0.1", target_port, timeout=10)
                # The same Host: it is part of what was signed.
                upstream.request(self.command, self.path, body=body, headers=dict(self.headers.items()))
                got = upstream.getresponse()
                status, headers, content = proxy.answer(self.command, (got.status, dict(got.getheaders()), got.read()))
                self._send(status, headers, content)

            do_GET = do_PUT = do_HEAD = do_POST = _pass  # noqa: N815

            def _send(self, status: int, headers: Mapping[str, str], content: bytes) -> None:
                self.send_response(status)
                for name, value in headers.items():
                    if name.lower() not in ("transfer-encoding", "connection", "content-length"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
