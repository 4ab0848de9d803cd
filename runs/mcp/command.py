"""The command line of the gateway, shared by `python -m runs.mcp` and `manage.py mcp`."""

import logging.config
from argparse import ArgumentParser

from dpp_project.env import Env
from runs.mcp.logs import gateway_logging
from runs.mcp.settings import GatewaySettings, HttpSettings, read_api_key

_STDIO, _HTTP = "stdio", "http"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--transport", choices=(_STDIO, _HTTP), default=_STDIO, help="default: %(default)s")
    parser.add_argument("--host", default="127.0.0.1", help="http only; default: %(default)s")
    parser.add_argument("--port", type=int, default=8001, help="http only; default: %(default)s")


def run(settings: GatewaySettings, env: Env, *, transport: str, host: str, port: int) -> None:
    """Serves until stdin closes (stdio) or a signal comes (http)."""
    logging.config.dictConfig(gateway_logging(settings.log_level))
    # The transports load the protocol's libraries: only once the settings are known to be good.
    if transport == _STDIO:
        key = read_api_key(env)
        from runs.mcp.stdio import serve_stdio

        serve_stdio(settings, api_key=key)
    else:
        http = HttpSettings.read(env, host=host, port=port)
        from runs.mcp.http import serve_http

        serve_http(settings, http)
