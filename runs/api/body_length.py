"""A body whose length is not told beforehand is refused on every listener, and nothing of it is read (decision 0041).

Where a Content-Length stands beside a Transfer-Encoding, a proxy before us may have gone by the other of the two, and
what follows the body for one of us is part of it for the other. The API's server hides that there were two.
"""

from collections.abc import Mapping
from typing import Any

from runs.api.problems import LENGTH_REQUIRED, ProblemError


def has_no_length(scope: Mapping[str, Any]) -> bool:
    """Of an ASGI scope. (`guards` reads WSGI's.)"""
    return any(name == b"transfer-encoding" for name, _ in scope["headers"])


def required() -> ProblemError:
    return LENGTH_REQUIRED.error("A request may not have a Transfer-Encoding. Nothing of the body was read.")
