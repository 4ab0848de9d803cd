"""A confined process as the worker sees it: something is asked, the answer comes within its time, or it is ended.

Each is a fork of a template that has seen no document, has a process group of its own and is killed as a group. One
document's bomb costs that process; the next document gets a new one. One process serves one run: no tenant's document
meets another's.
"""

import json
import math
import os
import selectors
import time
from pathlib import Path
from typing import IO, Any

from packs.sandbox.confinement import Limits
from packs.sandbox.templates import Kind, Reader, forked_reader

_PIECE = 65_536
_LOOK_AT_WORK_EVERY_SEC = 0.1


class SandboxError(Exception):
    """There is no answer. The process is gone."""


class TooSlow(SandboxError):
    """The time was up."""


class TooMuch(SandboxError):
    """The answer was longer than allowed."""


class Died(SandboxError):
    """The process ended over what it was given, or could not be started."""


class Closed(SandboxError):
    """Somebody closed it."""


class ConfinedProcess:
    """Belongs to the thread that uses it; it dies with this process at the latest. `close` may be called from any."""

    def __init__(
        self,
        serve: str,
        limits: Limits,
        *,
        start_timeout_sec: float,
        max_answer_bytes: int,
        readable: tuple[Path, ...] = (),
        loads_first: bool = False,
    ) -> None:
        self._kind = Kind(serve, limits, readable, loads_first)
        self._start_timeout_sec = start_timeout_sec
        self._max_answer_bytes = max_answer_bytes
        self._reader: Reader | None = None
        self._is_ready = False
        self._received = bytearray()
        self._closed = False

    @property
    def pid(self) -> int | None:
        """None until it has answered once."""
        return None if self._reader is None else self._reader.pid

    def launch(self) -> None:
        """Start without waiting until it is ready. Raises `Died` or `Closed`."""
        if self._reader is not None:
            return
        if self._closed:
            raise Closed
        self._received.clear()
        self._is_ready = False
        try:
            self._reader = self._start()
        except OSError as error:
            raise Died("could not be started") from error
        if self._closed:
            # Closed while it was being started: `close` found nothing to kill, and nobody would wait for its answer.
            self._end()
            raise Closed

    def _start(self) -> Reader:
        return forked_reader(self._kind)

    def ask(
        self,
        request: dict[str, Any],
        body: bytes = b"",
        *,
        timeout_sec: float,
        start_timeout_sec: float = math.inf,
        cpu_limit_sec: float = math.inf,
    ) -> dict[str, Any]:
        """One answer. Raises `SandboxError`, and then the process is gone; the next question starts a new one.

        Loading libraries is not the document's fault: the time until the process is ready is counted apart.
        """
        self.launch()
        if not self._is_ready:
            self._wait_until_ready(min(self._start_timeout_sec, start_timeout_sec))
        return self._exchange(json.dumps(request).encode() + b"\n" + body, timeout_sec, cpu_limit_sec)

    def _wait_until_ready(self, timeout_sec: float) -> None:
        ends_at = time.monotonic() + timeout_sec
        said = self._exchange(b"", timeout_sec)
        assert self._reader is not None
        # Said before it is given anything, so it is true.
        self._reader.pid = int(said["pid"])
        if self._closed:
            # `close` did not know yet whom to kill.
            self._end()
            raise Closed
        self._exchange(b"", max(0.0, ends_at - time.monotonic()))
        self._is_ready = True

    def next_answer(self, *, timeout_sec: float) -> dict[str, Any]:
        """A further answer to the same question."""
        if self._reader is None:
            raise Died("nothing was asked")
        return self._exchange(b"", timeout_sec)

    def close(self) -> None:
        """From any thread: the one that uses the process finds its pipe closed, and tidies up."""
        self._closed = True
        reader = self._reader
        if reader is not None:
            reader.kill()

    def cpu_sec(self) -> float:
        """Processor time used so far. 0 where there is no process, or no way to tell."""
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def renew(self) -> None:
        """For the thread that uses it: the next question starts a new process, with its limits whole."""
        self._end()

    def end(self) -> None:
        """For the thread that uses it: no question after this one."""
        self._closed = True
        self._end()

    def _end(self) -> None:
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.end()

    def _exchange(self, request: bytes, timeout_sec: float, cpu_limit_sec: float = math.inf) -> dict[str, Any]:
        reader = self._reader
        if reader is None:
            raise AssertionError("a question follows a start")
        try:
            line = self._line(reader, request, timeout_sec, cpu_limit_sec)
            answer: dict[str, Any] = json.loads(line)
        except SandboxError:
            self._end()
            raise
        except (OSError, ValueError) as error:
            self._end()
            raise Died("ended while it was asked") from error
        return answer

    def _line(self, reader: Reader, request: bytes, timeout_sec: float, cpu_limit_sec: float) -> bytes:
        """Send what there is to send and read one line, until the time is up: ours, or the process's own work."""
        ends_at = time.monotonic() + timeout_sec
        works_until = math.inf if cpu_limit_sec == math.inf else self.cpu_sec() + cpu_limit_sec
        unsent = memoryview(request)
        to_child, from_child = reader.to_reader, reader.from_reader
        with selectors.DefaultSelector() as selector:
            if unsent:
                selector.register(to_child, selectors.EVENT_WRITE)
            selector.register(from_child, selectors.EVENT_READ)
            while b"\n" not in self._received:
                left = max(0.0, ends_at - time.monotonic())
                ready = selector.select(left if works_until == math.inf else min(left, _LOOK_AT_WORK_EVERY_SEC))
                if not ready and (time.monotonic() >= ends_at or self.cpu_sec() >= works_until):
                    raise TooSlow
                for key, _ in ready:
                    if key.fileobj is to_child:
                        unsent = unsent[os.write(to_child.fileno(), unsent[:_PIECE]) :]
                        if not unsent:
                            selector.unregister(to_child)
                    else:
                        self._receive(from_child)
        line, _, rest = bytes(self._received).partition(b"\n")
        self._received = bytearray(rest)
        return line

    def _receive(self, from_child: IO[bytes]) -> None:
        received = os.read(from_child.fileno(), 16 * _PIECE)
        if not received:
            raise Died("ended while it was asked")
        self._received += received
        if len(self._received) > self._max_answer_bytes:
            raise TooMuch
