"""A local server that speaks the chat completions API, and can misbehave in every way a real one does."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]
Reply = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    server: "ModelServer"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append({"path": self.path, "headers": headers, "body": body})
        reply = self.server.replies.pop(0) if self.server.replies else status(500)
        try:
            reply(self)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def send(self, code: int, body: bytes, mime: str = "application/json", **headers: str) -> None:
        self.send_response(code)
        self.send_header("Content-Type", mime)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        return


class ModelServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, replies: tuple[Reply, ...]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.replies = list(replies)
        self.requests: list[Json] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def sent_text(self, request: int = -1) -> str:
        return "\n".join(message["content"] for message in self.requests[request]["body"]["messages"])


@contextmanager
def model_server(*replies: Reply) -> Iterator[ModelServer]:
    with ModelServer(replies) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join(5)


def completion(text: str, usage: Json | None) -> Json:
    answer: Json = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "test-model",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
    }
    return answer if usage is None else {**answer, "usage": usage}


def says(value: object, *, prompt_tokens: int = 900, completion_tokens: int = 120) -> Reply:
    """An answer: an object as JSON, a string as it stands."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    usage = {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "total_tokens": prompt_tokens + completion_tokens,
    }
    return lambda handler: handler.send(200, json.dumps(completion(text, usage)).encode())


def says_without_usage(value: object) -> Reply:
    body = json.dumps(completion(json.dumps(value, ensure_ascii=False), None)).encode()
    return lambda handler: handler.send(200, body)


def status(code: int, detail: str = "no", **headers: str) -> Reply:
    body = json.dumps({"error": {"message": detail, "type": "error", "code": None}}).encode()
    return lambda handler: handler.send(code, body, **headers)


def raw(body: bytes, mime: str = "application/json") -> Reply:
    return lambda handler: handler.send(200, body, mime)


def streams(
    value: object,
    *,
    piece_chars: int = 9,
    gap_sec: float = 0.0,
    usage: bool = True,
    ends: bool = True,
    stalls_sec: float = 0.0,
    missing_bytes: int = 0,
) -> Reply:
    """An answer piece by piece, as Server-Sent Events. Without `ends` it breaks off after its last piece; with
    `missing_bytes` so that the connection shows it."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    pieces = [text[start : start + piece_chars] for start in range(0, len(text), piece_chars)]
    lines = [_chunk({"role": "assistant", "content": ""}), *(_chunk({"content": piece}) for piece in pieces)]
    if ends:
        lines.append(_chunk({}, finish_reason="stop"))
        if usage:
            lines.append({"choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 120}})
    frames = [f"data: {json.dumps(line)}\n\n".encode() for line in lines] + [b"data: [DONE]\n\n"] * ends

    def reply(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream; charset=utf-8")
        if missing_bytes:
            handler.send_header("Content-Length", str(sum(map(len, frames)) + missing_bytes))
        handler.end_headers()
        for frame in frames:
            handler.wfile.write(frame)
            handler.wfile.flush()
            time.sleep(gap_sec)
        time.sleep(stalls_sec)
        handler.close_connection = True

    return reply


def _chunk(delta: Json, finish_reason: str | None = None) -> Json:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def drips(gap_sec: float, count: int) -> Reply:
    """Headers at once, then one byte at a time: every single read is quick, the whole never ends."""

    def reply(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(count))
        handler.end_headers()
        for _ in range(count):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(gap_sec)

    return reply


def silent(for_sec: float) -> Reply:
    def reply(handler: Handler) -> None:
        time.sleep(for_sec)
        handler.close_connection = True

    return reply
