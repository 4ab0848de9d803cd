"""The worker's side of a template: it is started at the first need, forks a reader for each run, and is replaced.

A process of the worker has one template for each kind of reader. Readers of one template lie in memory at the same
addresses, so a template is given up after some of them.
"""

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import weakref
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, ClassVar

import packs
from packs.sandbox import kernel
from packs.sandbox.confinement import Limits

log = logging.getLogger("dpp.sandbox")

MOST_READERS = 100
_CODE_ROOT = Path(packs.__file__).resolve().parent.parent
# Nothing of the user's or of the folder it is started in.
_PYTHON = (sys.executable, "-s", "-P")
_ENDS_WITHIN_SEC = 10.0
_MAX_ANSWER_BYTES = 65_536


@dataclass(frozen=True)
class Kind:
    """What the readers of one template have in common."""

    serve: str
    """The module that serves."""
    limits: Limits
    readable: tuple[Path, ...] = ()
    """Beside code and libraries."""
    loads_first: bool = False
    """Load the module and its libraries once in the template instead of in each reader. Only where they start no
    thread: a fork would lack it, with whatever lock it holds."""


class Reader:
    """A forked process and the worker's ends of its pipes. Its process id is known once it has said it."""

    def __init__(self, template: "Template", number: int, to_reader: IO[bytes], from_reader: IO[bytes]) -> None:
        self.to_reader, self.from_reader = to_reader, from_reader
        self.pid: int | None = None
        self._template = template
        self._number = number
        self._lock = threading.Lock()
        self._ended = False

    def kill(self) -> None:
        """From any thread. What is not known by its id yet was given nothing, and ends with its pipes."""
        with self._lock:
            if self.pid is not None and not self._ended:
                with suppress(ProcessLookupError):
                    os.killpg(self.pid, signal.SIGKILL)

    def end(self) -> None:
        """It is gone afterwards."""
        self.kill()
        with self._lock:
            self._ended = True
        self._template.end(self._number)
        self.to_reader.close()
        self.from_reader.close()


class Template:
    """Ends when nothing refers to it any more: neither the list of templates nor a reader of it."""

    _program: ClassVar = ("-m", "packs.sandbox.template")

    def __init__(self, kind: Kind) -> None:
        # Before there is anybody who might look: keys and passwords are in this process's environment.
        kernel.hide_from_siblings()
        order = json.dumps({**asdict(kind), "readable": [str(path) for path in kind.readable]})
        self._control, its_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with its_end:
            process = subprocess.Popen(
                [*_PYTHON, *self._program, order],
                stdin=its_end.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=_environment(),
                start_new_session=True,
            )
        self.pid = process.pid
        self._control.settimeout(_ENDS_WITHIN_SEC)
        self._lock = threading.Lock()
        self._forked = 0
        self._finalize = weakref.finalize(self, _end_template, os.getpid(), process, self._control)

    @property
    def is_used_up(self) -> bool:
        return self._forked >= MOST_READERS or not self._finalize.alive

    def fork(self) -> Reader:
        """Raises `OSError` when it is gone."""
        its_in, to_reader = os.pipe()
        from_reader, its_out = os.pipe()
        ours = os.fdopen(to_reader, "wb", buffering=0), os.fdopen(from_reader, "rb", buffering=0)
        try:
            with self._lock:
                self._forked += 1
                number = self._forked
                message = json.dumps({"order": "fork", "number": number}).encode()
                socket.send_fds(self._control, [message], [its_in, its_out])
        except OSError:
            for pipe in ours:
                pipe.close()
            self._give_up()
            raise
        finally:
            os.close(its_in)
            os.close(its_out)
        for pipe in ours:
            os.set_blocking(pipe.fileno(), False)
        return Reader(self, number, *ours)

    def end(self, number: int) -> None:
        """Waits until the reader is gone. A template that does not answer is ended, and its readers with it."""
        try:
            with self._lock:
                self._control.send(json.dumps({"order": "end", "number": number}).encode())
                while (answer := self._control.recv(_MAX_ANSWER_BYTES)) and json.loads(answer)["ended"] != number:
                    """An interrupted call has left its answer behind."""
        except OSError:
            answer = b""
        if not answer:
            self._give_up()

    def _give_up(self) -> None:
        """It hangs; or somebody killed it, or the kernel when memory was short."""
        if self._finalize.alive:
            log.warning("reader_template_lost")
            self._finalize()


def forked_reader(kind: Kind) -> Reader:
    """From the template of its kind, of which there is one from now on. Raises `OSError`."""
    with _lock:
        template = _templates.get(kind)
        if template is not None and not template.is_used_up:
            with suppress(OSError):
                return template.fork()
        _templates[kind] = template = Template(kind)
        return template.fork()


def end_templates() -> None:
    """Those of this process, each with its last reader; who asks again starts a new one."""
    with _lock:
        _templates.clear()


def _end_template(owner: int, process: subprocess.Popen[bytes], control: socket.socket) -> None:
    control.close()
    if os.getpid() == owner:
        process.kill()
        process.wait()


def _forget_templates() -> None:
    """A fork of this process starts templates of its own; those it inherited must not outlive their owner by it."""
    global _lock
    _lock = threading.Lock()
    for template in _templates.values():
        template._finalize()
    _templates.clear()


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


_lock = threading.Lock()
_templates: dict[Kind, Template] = {}
os.register_at_fork(after_in_child=_forget_templates)
