"""A confined process as the worker sees it: something is asked, the answer comes within its time, or it is ended.

Each has a process group of its own and is killed as a group. One document's bomb costs that process; the next
document gets a new one. One process serves one run: no tenant's document meets another's.
"""

import json
import math
import os
import selectors
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

import packs
from packs.sandbox import kernel
from packs.sandbox.confinement import Limits

_CODE_ROOT = Path(packs.__file__).resolve().parent.parent
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
    """Belongs to the thread that uses it: the process dies with that thread. `close` may be called from any."""

    def __init__(
        self,
        serve: str,
        limits: Limits,
        *,
        start_timeout_sec: float,
        max_answer_bytes: int,
        readable: tuple[Path, ...] = (),
    ) -> None:
        self._order = {"serve": serve, "limits": asdict(limits), "readable": [str(path) for path in readable]}
        self._start_timeout_sec = start_timeout_sec
        self._max_answer_bytes = max_answer_bytes
        self._process: subprocess.Popen[bytes] | None = None
        self._is_ready = False
        self._received = bytearray()
        self._closed = False

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    def launch(self) -> None:
        """Start without waiting until it is ready. Raises `Died` or `Closed`."""
        if self._process is not None:
            return
        if self._closed:
            raise Closed
        # Before there is anybody who might look: keys and passwords are in this process's environment.
        kernel.hide_from_siblings()
        self._received.clear()
        self._is_ready = False
        order = json.dumps({**self._order, "parent": os.getpid()})
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-s", "-P", "-m", "packs.sandbox.child", order],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=_environment(),
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            raise Died("could not be started") from error
        for pipe in (self._process.stdin, self._process.stdout):
            os.set_blocking(_open(pipe).fileno(), False)
        if self._closed:
            # Closed while it was being started: `close` found nothing to kill, and nobody would wait for its answer.
            self._end()
            raise Closed

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
            self._exchange(b"", min(self._start_timeout_sec, start_timeout_sec))
            self._is_ready = True
        return self._exchange(json.dumps(request).encode() + b"\n" + body, timeout_sec, cpu_limit_sec)

    def next_answer(self, *, timeout_sec: float) -> dict[str, Any]:
        """A further answer to the same question."""
        if self._process is None:
            raise Died("nothing was asked")
        return self._exchange(b"", timeout_sec)

    def close(self) -> None:
        """From any thread: the one that uses the process finds its pipe closed, and tidies up."""
        self._closed = True
        process = self._process
        if process is not None and process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

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
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            for pipe in (process.stdin, process.stdout):
                _open(pipe).close()

    def _exchange(self, request: bytes, timeout_sec: float, cpu_limit_sec: float = math.inf) -> dict[str, Any]:
        process = self._process
        if process is None:
            raise AssertionError("a question follows a start")
        try:
            line = self._line(process, request, timeout_sec, cpu_limit_sec)
            answer: dict[str, Any] = json.loads(line)
        except SandboxError:
            self._end()
            raise
        except (OSError, ValueError) as error:
            self._end()
            raise Died("ended while it was asked") from error
        return answer

    def _line(
        self, process: subprocess.Popen[bytes], request: bytes, timeout_sec: float, cpu_limit_sec: float
    ) -> bytes:
        """Send what there is to send and read one line, until the time is up: ours, or the process's own work."""
        ends_at = time.monotonic() + timeout_sec
        works_until = math.inf if cpu_limit_sec == math.inf else self.cpu_sec() + cpu_limit_sec
        unsent = memoryview(request)
        to_child, from_child = _open(process.stdin), _open(process.stdout)
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


def _environment() -> dict[str, str]:
    """Nothing of the worker's: it holds keys and passwords."""
    return {
        "PYTHONPATH": str(_CODE_ROOT),
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        # One thread each: on two cores several readers that each start two are slower than several with one.
        **dict.fromkeys(("OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "OPENBLAS_NUM_THREADS"), "1"),
        # Fewer, smaller heaps: threads' arenas alone would eat the address space that is allowed.
        "MALLOC_ARENA_MAX": "1",
    }


def _open(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise AssertionError("both pipes are asked for at the start")
    return pipe
