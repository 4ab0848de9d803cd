"""The application's management commands, run as processes."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from devstack.layout import Layout


class CommandFailed(Exception):
    """A management command failed; the message ends with what it wrote last."""


def manage_argv(*command: str) -> list[str]:
    return [sys.executable, "manage.py", *command]


def process_environment(values: Mapping[str, str]) -> dict[str, str]:
    """The caller's environment with the stack's own values, and Python's output unbuffered for the logs."""
    environment = {**os.environ, **values, "PYTHONUNBUFFERED": "1"}
    # From a shell that read `.dpp/env`: only the setup of the database works as the owner.
    if "DATABASE_OWNER_URL" not in values:
        environment.pop("DATABASE_OWNER_URL", None)
    # Container images like to set this. Eight processes that compile the same modules at each start take
    # seconds; git ignores the caches, and `make clean` removes them.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment


class Command:
    """A command in the background; `result` waits for it."""

    def __init__(self, layout: Layout, values: Mapping[str, str], *command: str) -> None:
        self._name = command[0]
        self._child = subprocess.Popen(
            manage_argv(*command),
            cwd=layout.clone,
            env=process_environment(values),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def result(self, timeout_sec: float = 60) -> str:
        try:
            output, errors = self._child.communicate(timeout=timeout_sec)
        except subprocess.TimeoutExpired:
            self._child.kill()
            raise CommandFailed(f"manage.py {self._name} did not end within {timeout_sec:g} s") from None
        if self._child.returncode != 0:
            last = "\n".join((errors or output).strip().splitlines()[-12:])
            raise CommandFailed(f"manage.py {self._name} ended with code {self._child.returncode}:\n{last}")
        return output

    def json(self) -> dict[str, Any]:
        output = self.result()
        try:
            # Anything else a command prints comes before its answer.
            answer = json.loads(output.strip().splitlines()[-1])
        except (ValueError, IndexError):
            answer = None
        if not isinstance(answer, dict):
            raise CommandFailed(f"manage.py {self._name} did not answer in JSON: {output.strip()[:200]!r}")
        return answer
