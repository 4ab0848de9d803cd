"""A run's progress for people: one line that moves in a terminal, one line per event anywhere else."""

import time
from collections.abc import Iterator
from typing import TextIO

from runs.management.stream_client import ReceivedEvent

_WIDTH = 30
_CLEAR = "\r\033[K"
_DETAIL_CHARS = 40


class ProgressBar:
    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._moves = out.isatty()
        self._began = time.monotonic()

    def show(self, received: ReceivedEvent) -> None:
        line = self._line(received)
        self._out.write(f"{_CLEAR}{line}" if self._moves else f"{line}\n")
        self._out.flush()

    def end(self) -> None:
        if self._moves:
            self._out.write("\n")

    def _line(self, received: ReceivedEvent) -> str:
        progress = float(received.data.get("progress", 0))
        what = str(received.data.get("step") or received.stage)
        detail = " ".join(f"{name}={value}" for name, value in received.data.get("detail", {}).items())
        seconds = time.monotonic() - self._began
        if not self._moves:
            return f"{seconds:6.1f} s  {progress:4.0%}  {received.stage:<9} {what} {detail}".rstrip()
        filled = round(progress * _WIDTH)
        bar = "█" * filled + "░" * (_WIDTH - filled)
        return f"{bar} {progress:4.0%}  {seconds:5.1f} s  {what} {detail[:_DETAIL_CHARS]}".rstrip()


def watch_to_end(events: Iterator[ReceivedEvent], out: TextIO) -> ReceivedEvent:
    """Show every event; returns the last."""
    bar = ProgressBar(out)
    last: ReceivedEvent | None = None
    try:
        for last in events:
            bar.show(last)
    finally:
        bar.end()
    assert last is not None, "a stream that ends has sent its end"
    return last
