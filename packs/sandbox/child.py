"""The confined side of a conversation: one request per line (and as many bytes after it as its reader asks for),
answers one line each, until the pipe closes."""

import json
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any

Answers = Callable[[dict[str, Any], Callable[[int], bytes]], Iterable[dict[str, Any]]]
"""What a module that serves has under the name `answers`."""


def introduce() -> None:
    """First of all, so that it can be ended while it still loads its libraries."""
    _say({"pid": os.getpid()})


def serve(answers: Answers) -> None:
    _say({"ready": True})
    while line := sys.stdin.buffer.readline():
        for answer in answers(json.loads(line), sys.stdin.buffer.read):
            _say(answer)


def _say(answer: object) -> None:
    # What is no text (half a pair of surrogates) becomes a question mark rather than a dead reader.
    sys.stdout.buffer.write(json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
    sys.stdout.buffer.flush()
