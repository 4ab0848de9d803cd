"""JSON logs, one line an event. Fields are given by name; inputs, keys and URL queries never are.

`log.info("run_started", extra=fields(run_id=…, actor=…))`: the message is the event's name.
"""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

_FIELDS = "dpp_fields"


def fields(**values: Any) -> dict[str, Any]:
    """The `extra=` of a log call. None is left out."""
    return {_FIELDS: {name: value for name, value in values.items() if value is not None}}


class JsonFormatter(logging.Formatter):
    """json.dumps escapes CR, LF and ESC, so that no value can forge a second line."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "ts": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "event": record.getMessage(),
            **getattr(record, _FIELDS, {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = {
                "type": record.exc_info[0].__name__,
                "trace": self.formatException(record.exc_info),
            }
        return json.dumps(line, default=str, ensure_ascii=False)


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
