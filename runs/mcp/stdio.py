"""The gateway on stdin and stdout, for one caller: whoever started it, with the key of the environment."""

from contextlib import suppress

import anyio
from mcp.server.stdio import stdio_server

from packs.registry import PACKS
from runs.mcp.caller import caller_with_key
from runs.mcp.server import make_server
from runs.mcp.settings import GatewaySettings


def serve_stdio(settings: GatewaySettings, *, api_key: str) -> None:
    server = make_server(settings, PACKS, caller_of=lambda _: caller_with_key(api_key))

    async def serve() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    with suppress(KeyboardInterrupt):
        anyio.run(serve)
