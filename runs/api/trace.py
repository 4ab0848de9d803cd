"""The trace id that follows a run from the request through queue and worker to the envelope."""

import re
from uuid import uuid4

HEADER = "X-Trace-Id"

_VALID = re.compile(r"[A-Za-z0-9._-]{1,128}", re.ASCII)


def first_valid(*candidates: object) -> str:
    """The first usable id, or a new one: a bad one is replaced, never refused."""
    for candidate in candidates:
        if isinstance(candidate, str) and _VALID.fullmatch(candidate):
            return candidate
    return uuid4().hex
