"""The gateway as it is started by its users, and the SDK's own client to talk to it."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import httpx2
from anyio.from_thread import start_blocking_portal
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, ResourceLink, TextContent, Tool

from tests.processes import CLONE, ApiProcess

DECISION = "dpp_decision_run_submit"


class GatewayProcess(ApiProcess):
    """`python -m runs.mcp --transport http`, with an environment that knows of no database."""

    name = "mcp"

    def command(self) -> list[str]:
        return [sys.executable, "-m", "runs.mcp", "--transport", "http", "--port", str(self.port)]

    def full_environment(self) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], **self.environment}


@dataclass(frozen=True)
class Result:
    is_error: bool
    texts: list[str]
    structured: Any
    links: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, result: CallToolResult) -> "Result":
        texts = [block.text for block in result.content if isinstance(block, TextContent)]
        links = [str(block.uri) for block in result.content if isinstance(block, ResourceLink)]
        return cls(result.is_error, texts, result.structured_content, links)

    @property
    def document(self) -> Any:
        return json.loads(self.texts[0])


class Agent:
    """A client that is connected; its calls block."""

    def __init__(self, client: Client, portal: Any) -> None:
        self._client = client
        self._portal = portal

    @property
    def protocol_version(self) -> str:
        return str(self._client.protocol_version)

    def tools(self) -> list[Tool]:
        return list(self._portal.call(self._client.list_tools).tools)

    def call(self, arguments: dict[str, Any], *, tool: str = DECISION) -> Result:
        return Result.of(self._portal.call(self._client.call_tool, tool, arguments))

    def read(self, uri: str) -> str:
        """Of a resource: its text, or base64."""
        (contents,) = self._portal.call(self._client.read_resource, uri).contents
        return str(getattr(contents, "text", None) or contents.blob)


@contextmanager
def connected(client: AbstractAsyncContextManager[Client]) -> Iterator[Agent]:
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(client) as ready:
        yield Agent(ready, portal)


def over_http(gateway: GatewayProcess, *, mode: str = "auto", **headers: str) -> AbstractAsyncContextManager[Client]:
    @asynccontextmanager
    async def connect() -> Any:
        async with (
            httpx2.AsyncClient(
                headers=httpx2.Headers(headers, encoding="latin-1"), timeout=90, trust_env=False
            ) as http,
            Client(streamable_http_client(f"{gateway.url}/mcp", http_client=http), mode=mode) as client,
        ):
            yield client

    return connect()


def over_stdio(
    command: list[str], environment: dict[str, str], log: TextIO, *, mode: str = "auto", cwd: Path = CLONE
) -> AbstractAsyncContextManager[Client]:
    parameters = StdioServerParameters(command=sys.executable, args=command, env=environment, cwd=cwd)
    return Client(stdio_client(parameters, errlog=log), mode=mode)


def documented(language: str) -> str:
    """The first example in that language in docs/mcp.md."""
    text = (CLONE / "docs" / "mcp.md").read_text(encoding="utf-8")
    return text.partition(f"```{language}\n")[2].partition("```")[0]
