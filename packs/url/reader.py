"""Reading strangers' files in a process of their own, with a time limit that is kept.

A page can be written so that a parser runs for minutes, and a PDF so that it crashes. Then this process is
ended and a new one started for the next document; the worker never notices. One process serves one run: no
document of one tenant meets another's.
"""

import json
import os
import selectors
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import packs
from packs.url.page import Page, Unreadable

READ_TIMEOUT_SEC = 4.0
# The first document also waits for the process to load its libraries.
START_TIMEOUT_SEC = 8.0
MAX_ANSWER_BYTES = 8 * 1_048_576

_CODE_ROOT = Path(packs.__file__).parent.parent


class ReaderProcess:
    """Use as a context manager. Not for use from several threads at once."""

    def __init__(self, read_timeout_sec: float = READ_TIMEOUT_SEC) -> None:
        self._read_timeout_sec = read_timeout_sec
        self._process: subprocess.Popen[bytes] | None = None
        self._has_answered = False

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def read(self, body: bytes, content_type: str, *, time_left_sec: float) -> Page:
        """Raises `Unreadable`, also when the time is up or the process died over the document."""
        process = self._process if self._process is not None else self._start()
        allowed_sec = self._read_timeout_sec + (0 if self._has_answered else START_TIMEOUT_SEC)
        header = json.dumps({"bytes": len(body), "content_type": content_type}).encode() + b"\n"
        try:
            line = _exchange(process, header + body, min(allowed_sec, time_left_sec))
        except (OSError, TimeoutError):
            self._stop()
            raise Unreadable("The document could not be read in the time allowed.") from None
        self._has_answered = True
        answer = json.loads(line)
        if "unreadable" in answer:
            raise Unreadable(answer["unreadable"])
        return Page(**answer)

    def _start(self) -> subprocess.Popen[bytes]:
        self._has_answered = False
        self._process = subprocess.Popen(
            [sys.executable, "-m", "packs.url.reader_child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            # Nothing of the worker's environment: it holds keys and passwords.
            env={"PYTHONPATH": str(_CODE_ROOT), "LANG": "C.UTF-8", "OMP_NUM_THREADS": "1"},
            bufsize=0,
        )
        for pipe in (self._process.stdin, self._process.stdout):
            os.set_blocking(_open(pipe).fileno(), False)
        return self._process

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                _open(pipe).close()
            self._process = None


def _exchange(process: subprocess.Popen[bytes], request: bytes, seconds: float) -> bytes:
    """Write the whole request and read one line, whichever of the two is possible, until the time is up."""
    ends_at = time.monotonic() + seconds
    unsent, answer = memoryview(request), bytearray()
    to_child, from_child = _open(process.stdin), _open(process.stdout)
    with selectors.DefaultSelector() as selector:
        selector.register(to_child, selectors.EVENT_WRITE)
        selector.register(from_child, selectors.EVENT_READ)
        while not answer.endswith(b"\n"):
            ready = selector.select(ends_at - time.monotonic())
            if not ready or len(answer) > MAX_ANSWER_BYTES:
                raise TimeoutError
            for key, _ in ready:
                if key.fileobj is from_child:
                    received = os.read(from_child.fileno(), 1_048_576)
                    if not received:
                        raise ConnectionError("the reading process ended")
                    answer += received
                else:
                    unsent = unsent[os.write(to_child.fileno(), unsent[:65_536]) :]
                    if not unsent:
                        selector.unregister(to_child)
    return bytes(answer)


def _open(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise AssertionError("both pipes are asked for at the start")
    return pipe
