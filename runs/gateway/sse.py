"""Server-Sent Events as bytes: what a stream is made of, and how the pieces are read back."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dpp_project.profile import EVENTS
from runs.events.event import DRAFT, GAP, Event

MEDIA_TYPE = "text/event-stream"
KEEP_ALIVE = b": keep-alive\n\n"


def opening(seq: int) -> bytes:
    """The first thing sent: from where a broken stream resumes, and after how long."""
    return f"id: {seq}\nretry: {EVENTS.retry_ms}\n\n".encode()


def frame(event: Event) -> bytes:
    # JSON escapes line ends, so that data is always one line.
    return f"id: {event.seq}\nevent: {event.stage}\ndata: {event.data}\n\n".encode()


def gap_before(seq: int, next_frame: bytes, *, after: int) -> bytes:
    """Stands for events that may have been there between two others, and are forgotten."""
    body = json.loads(next_frame.partition(b"data: ")[2])
    # A piece of a draft is in the frame that follows, once.
    body.pop(DRAFT, None)
    told = {**body, "seq": seq - 1, "stage": GAP, "lost": {"first": after + 1, "last": seq - 1}}
    data = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
    return f"id: {seq - 1}\nevent: {GAP}\ndata: {data}\n\n".encode()


def farewell(why: str, seq: int) -> bytes:
    """Said before a stream is closed that has not come to its end."""
    return f": {why}; resume with Last-Event-ID: {seq}\n\n".encode()


@dataclass(frozen=True)
class Message:
    """What stood between two blank lines."""

    id: str | None = None
    event: str | None = None
    data: str | None = None
    retry: str | None = None
    comment: str | None = None


def messages(lines: Iterable[bytes]) -> Iterator[Message]:
    """Read a stream by its lines. A message cut off in the middle is none."""
    fields: dict[str, str] = {}
    for line in lines:
        text = line.decode().rstrip("\r\n")
        if text:
            name, _, value = text.partition(":")
            fields[name or "comment"] = value.removeprefix(" ")
        elif fields:
            yield Message(**{name: fields.get(name) for name in Message.__dataclass_fields__})
            fields = {}
