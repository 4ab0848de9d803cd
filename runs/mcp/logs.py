"""Logs of the gateway, on stderr: stdout belongs to the protocol."""

from typing import Any

from dpp_project.logging import logging_config

# At DEBUG these quote what they received and could not read, inputs included.
_TALKATIVE = ("mcp", "httpx2", "httpcore2", "uvicorn", "sse_starlette", "asyncio")


def gateway_logging(level: str) -> dict[str, Any]:
    config = logging_config(level=level)
    config["loggers"].update({name: {"level": "WARNING"} for name in _TALKATIVE})
    return config
