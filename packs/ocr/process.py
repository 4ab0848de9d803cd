"""A reading process as the worker sees it: a file is given, answers come within their time, or it is ended.

Each has a process group of its own and is killed as a group. One file's bomb costs that process; the next file gets
a new one. One process serves one run: no tenant's page meets another's.
"""

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import packs
from packs.ocr.bounds import DECODE_TIMEOUT_SEC, MAX_ANSWER_BYTES, MIB, OPEN_TIMEOUT_SEC, START_TIMEOUT_SEC
from packs.ocr.failures import Reason, Unreadable
from packs.ocr.files import File
from packs.ocr.profiles import OcrProfile

_CODE_ROOT = Path(packs.__file__).parent.parent

Answer = dict[str, Any]


class ReadingProcess:
    """Belongs to the thread that uses it: the process dies with that thread. `close` may be called from any."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._held: File | None = None
        self._received = bytearray()
        self._closed = False

    def contents(self, file: File, *, most_pages: int) -> Answer:
        """How many pages, of which kind. Raises `Unreadable`."""
        return self._open(file, most_pages)

    def page(self, file: File, number: int, profile: OcrProfile, languages: str) -> Answer:
        """The text of one page. Raises `Unreadable`; its `reason` says whether it was the page or its file."""
        if self._held is not file:
            self._open(file, number + 1)
        request = {"op": "page", "page": number, "profile": profile.name, "languages": languages}
        answer = self._ask(json.dumps(request).encode() + b"\n", DECODE_TIMEOUT_SEC, "The page could not be decoded")
        if "page" not in answer:
            answer = self._read_text(profile)
        read: Answer = answer["page"]
        return read

    def close(self) -> None:
        """The thread that uses the process finds its pipe closed, and tidies up."""
        self._closed = True
        process = self._process
        if process is not None and process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

    def end(self) -> None:
        """For the thread that uses it."""
        self._closed = True
        self._end()

    def _read_text(self, profile: OcrProfile) -> Answer:
        """The page is decoded; what is slow from here on is not the file's fault alone, and its other pages go on."""
        try:
            return self._ask(b"", profile.page_timeout_sec, "The page could not be read")
        except Unreadable as unreadable:
            if unreadable.reason is Reason.TIME_LIMIT:
                raise Unreadable(Reason.PAGE_TIME_LIMIT, unreadable.detail) from None
            raise

    def _open(self, file: File, most_pages: int) -> Answer:
        self._held = None
        request = {"op": "open", "bytes": len(file.body), "pages": most_pages}
        body = json.dumps(request).encode() + b"\n" + file.body
        answer = self._ask(body, OPEN_TIMEOUT_SEC, "The file could not be opened")
        self._held = file
        return answer

    def _ask(self, request: bytes, seconds: float, failure: str) -> Answer:
        try:
            process = self._process or self._start()
            line = self._exchange(process, request, seconds)
        except TimeoutError:
            self._end()
            raise Unreadable(Reason.TIME_LIMIT, f"{failure} within {seconds:.0f} seconds.") from None
        except OverflowError:
            self._end()
            raise Unreadable(Reason.RESULT_TOO_LARGE, f"{failure}: it says more than one page may.") from None
        except OSError:
            self._end()
            raise Unreadable(Reason.READER_CRASHED, f"{failure}: it made its reader fail.") from None
        answer: Answer = json.loads(line)
        if "failure" in answer:
            raise Unreadable(Reason(answer["failure"]), answer["detail"])
        return answer

    def _start(self) -> subprocess.Popen[bytes]:
        if self._closed:
            raise Unreadable(Reason.DEADLINE_REACHED, "The run was over before the page was read.")
        self._received.clear()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "packs.ocr.child", str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            # Nothing of the worker's environment: it holds keys and passwords.
            env={
                "PYTHONPATH": str(_CODE_ROOT),
                "LANG": "C.UTF-8",
                "OMP_THREAD_LIMIT": "1",
                "OPENBLAS_NUM_THREADS": "1",
                "PYTHONDONTWRITEBYTECODE": "1",
                # Fewer, smaller heaps: threads' arenas alone would eat the address space that is allowed.
                "MALLOC_ARENA_MAX": "1",
            },
            bufsize=0,
            start_new_session=True,
        )
        for pipe in (self._process.stdin, self._process.stdout):
            os.set_blocking(_open_pipe(pipe).fileno(), False)
        if self._closed:
            # Closed while it was being started: `close` found nothing to kill, and nobody would wait for its answer.
            raise ConnectionError("closed at its start")
        self._exchange(self._process, b"", START_TIMEOUT_SEC)
        return self._process

    def _end(self) -> None:
        process, self._process, self._held = self._process, None, None
        if process is not None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            for pipe in (process.stdin, process.stdout):
                _open_pipe(pipe).close()

    def _exchange(self, process: subprocess.Popen[bytes], request: bytes, seconds: float) -> bytes:
        """Send what there is to send and read one line, until the time is up."""
        ends_at = time.monotonic() + seconds
        unsent = memoryview(request)
        to_child, from_child = _open_pipe(process.stdin), _open_pipe(process.stdout)
        with selectors.DefaultSelector() as selector:
            if unsent:
                selector.register(to_child, selectors.EVENT_WRITE)
            selector.register(from_child, selectors.EVENT_READ)
            while b"\n" not in self._received:
                ready = selector.select(max(0.0, ends_at - time.monotonic()))
                if not ready:
                    raise TimeoutError
                for key, _ in ready:
                    if key.fileobj is from_child:
                        received = os.read(from_child.fileno(), MIB)
                        if not received:
                            raise ConnectionError("the reading process ended")
                        self._received += received
                        if len(self._received) > MAX_ANSWER_BYTES:
                            raise OverflowError
                    else:
                        unsent = unsent[os.write(to_child.fileno(), unsent[:65_536]) :]
                        if not unsent:
                            selector.unregister(to_child)
        line, _, rest = bytes(self._received).partition(b"\n")
        self._received = bytearray(rest)
        return line


def _open_pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise AssertionError("both pipes are asked for at the start")
    return pipe
