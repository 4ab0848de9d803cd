"""JSON logs, one line per event. Fields are given by name; inputs, keys and URL queries never are.

`log.info("run_started", extra=fields(run_id=…, actor=…))`: the message is the event's name.
"""

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import Any

_FIELDS = "dpp_fields"
_LONGEST_CHAIN = 10
_LONGEST_MESSAGE = 300

_service = "dpp"


def name_service(name: str) -> None:
    """Said once by whatever a process is started as: api, worker, beat …"""
    global _service
    _service = name


def service_name() -> str:
    return _service


def fields(**values: Any) -> dict[str, Any]:
    """The `extra=` of a log call. None is left out."""
    return {_FIELDS: {name: value for name, value in values.items() if value is not None}}


class JsonFormatter(logging.Formatter):
    """json.dumps escapes everything that ends a line or moves a cursor: no value can forge a second line."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "ts": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "service": _service,
            "logger": record.name,
            "event": record.getMessage(),
            **getattr(record, _FIELDS, {}),
        }
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            line["error"] = {"type": type(error).__name__, "trace": _trace(error)}
        return json.dumps(line, default=str)


def _trace(error: BaseException | None) -> str:
    """Frames, and of each message its first line: PostgreSQL repeats a refused row below it, and rows hold inputs."""
    parts: list[str] = []
    while error is not None and len(parts) < _LONGEST_CHAIN:
        message = str(error).partition("\n")[0][:_LONGEST_MESSAGE]
        parts.append("".join(traceback.format_tb(error.__traceback__)) + f"{type(error).__name__}: {message}")
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return "\n".join(reversed(parts))


def logging_config(*, level: str) -> dict[str, Any]:
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": "dpp_project.logging.JsonFormatter"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "stream": sys.stderr, "formatter": "json"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # Our problem responses are normal answers; Django would log each 4xx as a warning.
            "django.request": {"level": "ERROR"},
            "botocore": {"level": "WARNING"},
            "boto3": {"level": "WARNING"},
            "kombu": {"level": "WARNING"},
        },
    }
