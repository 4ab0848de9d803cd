"""A small HTTP client for loopback: no proxies, no exceptions for an answer one does not like."""

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from typing import Any


@dataclass(frozen=True)
class HttpAnswer:
    status: int
    headers: Message
    """Asked by name, in any spelling of capitals."""
    body: bytes

    def json(self) -> dict[str, Any]:
        try:
            content = json.loads(self.body)
        except ValueError:
            return {}
        return content if isinstance(content, dict) else {}


class Unreachable(Exception):
    """Nobody listens, or whoever does is not done in time."""


def request(
    method: str,
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    body: Mapping[str, Any] | None = None,
    timeout_sec: float = 10,
) -> HttpAnswer:
    data = None if body is None else json.dumps(body).encode()
    all_headers = {**({"Content-Type": "application/json"} if data else {}), **(headers or {})}
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    prepared = urllib.request.Request(url, data=data, headers=all_headers, method=method)  # noqa: S310
    try:
        with opener.open(prepared, timeout=timeout_sec) as response:
            return HttpAnswer(response.status, response.headers, response.read())
    except urllib.error.HTTPError as error:
        return HttpAnswer(error.code, error.headers, error.read())
    except OSError as error:
        raise Unreachable(f"{method} {url}: {error}") from error
