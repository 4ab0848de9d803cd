"""A listener: follows a run to its end over HTTP and resumes by itself when a stream breaks."""

import http.client
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from dpp_project.profile import EVENTS
from runs.events.event import LAST_SEQ
from runs.gateway import sse

_FIRST_PAUSE_SEC = 0.2
_LONGEST_PAUSE_SEC = 5.0


class StreamRefused(Exception):
    """The gateway does not stream this run to us. `problem` is its answer."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        super().__init__(problem.get("detail") or f"The gateway answered {status}.")
        self.status = status
        self.problem = problem


class Unreachable(Exception):
    """No gateway answered for as long as we were willing to try."""


@dataclass(frozen=True)
class ReceivedEvent:
    seq: int
    stage: str
    data: dict[str, Any]


def follow(
    url: str, run_id: str, api_key: str, *, last_seq: int | None = None, patience_sec: float = 60
) -> Iterator[ReceivedEvent]:
    """Every event once, in order, to the last. Gives up after `patience_sec` without a connection."""
    seq = last_seq
    pause = _FIRST_PAUSE_SEC
    reached_at = time.monotonic()
    while True:
        broken = "the stream was closed"
        try:
            for message in _connect(url, run_id, api_key, seq):
                reached_at, pause = time.monotonic(), _FIRST_PAUSE_SEC
                if message.data is None or message.id is None:
                    continue
                seq = int(message.id)
                yield ReceivedEvent(seq, message.event or "", json.loads(message.data))
                if seq >= LAST_SEQ:
                    return
        except (OSError, http.client.HTTPException) as error:
            broken = type(error).__name__
        if time.monotonic() - reached_at > patience_sec:
            raise Unreachable(f"{url} does not send the events of this run ({broken}).")
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE_SEC)


def _connect(url: str, run_id: str, api_key: str, seq: int | None) -> Iterator[sse.Message]:
    address = urlsplit(url)
    secure = address.scheme == "https"
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    # A stream that is silent for longer than its keep-alive is broken.
    connection = kind(address.netloc, timeout=2 * EVENTS.keep_alive_sec + 5)
    headers = {"Authorization": f"Bearer {api_key}", "Accept": sse.MEDIA_TYPE}
    if seq is not None:
        headers["Last-Event-ID"] = str(seq)
    try:
        connection.request("GET", f"{address.path.rstrip('/')}/v1/runs/{run_id}/events", headers=headers)
        answer = connection.getresponse()
        if answer.status != 200:
            _refuse(answer)
        yield from sse.messages(answer)
    finally:
        connection.close()


def _refuse(answer: http.client.HTTPResponse) -> None:
    body = answer.read()
    if answer.status in (429, 503):
        # Passing: as good as a broken stream.
        raise http.client.HTTPException(f"answered {answer.status}")
    try:
        problem = json.loads(body)
    except ValueError:
        problem = {}
    raise StreamRefused(answer.status, problem)
