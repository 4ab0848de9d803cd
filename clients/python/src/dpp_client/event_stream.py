"""Server-Sent Events of a run: read from bytes, each event once, and from where to go on when a stream breaks."""

import json
from typing import cast

from dpp_client.errors import ConnectionFailed, DppError
from dpp_client.exchange import Retries
from dpp_client.models import RunEventData

# The server sends a comment every 15 seconds. A stream that is silent for longer is broken.
SILENCE_SEC = 35.0


class EventStream:
    """The state of a listener across its connections."""

    def __init__(self, last_seq: int, retries: Retries) -> None:
        self.ended = False
        self._last_seq = last_seq
        self._retries = retries
        self._failures = 0
        self._rest = b""
        self._data: list[str] = []
        self._id = ""

    def headers(self) -> dict[str, str]:
        """Of the next connection."""
        self._rest, self._data, self._id = b"", [], ""
        return {"Accept": "text/event-stream", "Last-Event-ID": str(self._last_seq)}

    def take(self, content: bytes) -> list[RunEventData]:
        """The events that these bytes complete."""
        *lines, self._rest = (self._rest + content).split(b"\n")
        found = [self._line(line.rstrip(b"\r").decode("utf-8")) for line in lines]
        return [event for event in found if event is not None]

    def pause_sec(self, error: DppError | None) -> float:
        """Before the next connection, after one that broke. Raises the error when there were too many in a row."""
        failure = error or ConnectionFailed("The stream of events was closed before the run's end.")
        pause_sec = self._retries.pause_sec(failure, self._failures)
        if pause_sec is None:
            raise failure
        self._failures += 1
        return pause_sec

    def _line(self, line: str) -> RunEventData | None:
        if not line:
            return self._event()
        name, _, value = line.partition(":")
        if name == "data":
            self._data.append(value.removeprefix(" "))
        elif name == "id":
            self._id = value.strip()
        return None

    def _event(self) -> RunEventData | None:
        data, self._data = "\n".join(self._data), []
        if not data or not self._id.isdigit() or int(self._id) <= self._last_seq:
            return None
        self._last_seq = int(self._id)
        self._failures = 0
        event = cast(RunEventData, json.loads(data))
        self.ended = event["stage"] == "done"
        return event
