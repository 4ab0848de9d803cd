"""A collector of traces that speaks OTLP over HTTP, as an operator would run one."""

import gzip
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)


@dataclass(frozen=True)
class Arrived:
    service: str
    name: str
    trace: str
    id: str
    parent: str
    attributes: dict[str, str | int | bool | float]


class Collector:
    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                assert self.path == "/v1/traces"
                collector.bodies.append(body)
                answer = ExportTraceServiceResponse().SerializeToString()
                self.send_response(200)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> "Collector":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def spans(self) -> list[Arrived]:
        found = []
        for body in list(self.bodies):
            for of_process in ExportTraceServiceRequest.FromString(body).resource_spans:
                about = {each.key: each.value.string_value for each in of_process.resource.attributes}
                for scope in of_process.scope_spans:
                    found += [
                        Arrived(
                            service=about["service.name"],
                            name=span.name,
                            trace=span.trace_id.hex(),
                            id=span.span_id.hex(),
                            parent=span.parent_span_id.hex(),
                            attributes={
                                each.key: getattr(each.value, each.value.WhichOneof("value") or "")
                                for each in span.attributes
                            },
                        )
                        for span in scope.spans
                    ]
        return found

    def wait_for(self, what: Callable[[list[Arrived]], bool], *, seconds: float = 60) -> list[Arrived]:
        ends = time.monotonic() + seconds
        while not what(self.spans):
            if time.monotonic() > ends:
                raise AssertionError(f"not among the spans: {sorted({span.name for span in self.spans})}")
            time.sleep(0.05)
        return self.spans
