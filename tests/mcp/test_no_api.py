"""When the API cannot be asked, the model still reads a problem, in the API's form, and what to do."""

import http.server
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from mcp import Client

from packs.registry import PACKS
from runs.mcp.caller import Caller, caller_with_key
from runs.mcp.server import Context, make_server
from runs.mcp.settings import GatewaySettings
from tests.mcp.gateway import Result, connected

ASK = {"question": "Which?", "max_cost_usd": "0.5", "wait_sec": 0}


def call(api_url: str, arguments: dict[str, Any]) -> Result:
    def caller_of(_: Context) -> Caller:
        return caller_with_key("dpp_sk_somebodys")

    settings = GatewaySettings(api_url=api_url, problem_type_base="unused", log_level="INFO")
    with connected(Client(make_server(settings, PACKS, caller_of=caller_of))) as agent:
        return agent.call(arguments)


@contextmanager
def answering(status: int, content_type: str, body: bytes) -> Iterator[str]:
    """What may stand at the API's address: a proxy with a page of its own, a login form, half an answer."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(max(len(body), 1)))
            self.send_header("Location", "https://login.example/")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def assert_is_problem(result: Result, reason_code: str) -> None:
    assert result.is_error
    document = result.document
    assert {"type", "title", "status", "detail", "instance", "extensions"} <= document.keys()
    assert document["type"].startswith("https://dpp.api/errors/")
    assert document["instance"] == "/v1/runs"
    for name, value in document["extensions"].items():
        assert document[name] == value
    assert document["extensions"]["reason_code"] == reason_code
    assert document["trace_id"]
    assert document["charged_usd"] == "0.0000"


def test_an_api_that_is_not_there() -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        result = call(f"http://127.0.0.1:{nobody.getsockname()[1]}", ASK)

    assert_is_problem(result, "DEPENDENCY_UNAVAILABLE")
    assert result.document["status"] == 503
    assert result.document["retryable"] is True
    assert "No run was submitted" in result.document["detail"]
    assert "idempotency_key of this call: mcp-" in result.texts[1]


@pytest.mark.parametrize(
    ("status", "content_type", "body"),
    [
        (502, "text/html", b"<h1>Bad Gateway</h1>"),
        (404, "application/json", b'{"error": "no such app"}'),
        (500, "application/problem+json", b"not JSON"),
        (500, "application/problem+json", b"[]"),
        (500, "application/problem+json", b'{"title": "\xff"}'),
        (302, "text/html", b"<a>login</a>"),
        (200, "application/json", b'{"run_id": "1"}'),
        (202, "text/html", b"<h1>Welcome</h1>"),
        (202, "application/json", b""),
    ],
)
def test_something_else_at_its_address(status: int, content_type: str, body: bytes) -> None:
    with answering(status, content_type, body) as url:
        result = call(url, ASK)

    assert_is_problem(result, "DEPENDENCY_UNAVAILABLE")
    assert "same idempotency_key" in result.document["detail"]


@contextmanager
def listening(*, hang_up: bool) -> Iterator[str]:
    """Takes the request and never answers it."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def take() -> None:
            connection, _ = server.accept()
            taken.append(connection)
            connection.recv(65_536)
            if hang_up:
                connection.close()

        taken: list[socket.socket] = []
        threading.Thread(target=take, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        for connection in taken:
            connection.close()


def test_an_api_that_hangs_up_may_have_taken_the_run() -> None:
    with listening(hang_up=True) as url:
        result = call(url, ASK)

    assert_is_problem(result, "DEPENDENCY_UNAVAILABLE")
    assert "same idempotency_key" in result.document["detail"]


def test_an_api_that_is_too_slow_may_have_taken_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runs.mcp.client._ANSWER_SEC", 0.2)
    with listening(hang_up=False) as url:
        result = call(url, ASK)

    assert_is_problem(result, "UPSTREAM_TIMEOUT")
    assert result.document["retryable"] is True
    assert "same idempotency_key" in result.document["detail"]


def test_a_problem_is_passed_on_with_its_own_words() -> None:
    body = '{ "title":"한도 초과",\n "extensions": {"reason_code":"BUDGET_DRAINED"} , "status":402}'
    with answering(402, "application/problem+json; charset=utf-8", body.encode()) as url:
        result = call(url, ASK)

    assert result.is_error
    assert result.document == json.loads(body)
    assert "한도 초과" in result.texts[0]


def test_arguments_that_cannot_be_passed_on_never_reach_the_api() -> None:
    result = call("http://127.0.0.1:1", {**ASK, "max_cost_usd": "0.005"})

    assert_is_problem(result, "INVALID_PARAMS")
    assert result.document["errors"][0]["pointer"] == "/max_cost_usd"
    assert len(result.texts) == 1
