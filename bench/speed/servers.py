"""The processes a measurement needs: the platform's own, as `make up` starts them, and their plain peers."""

import os
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from devstack.processes import PROCESSES
from devstack.programs import Order, Program

CLONE = Path(__file__).resolve().parent.parent.parent

_ROWS = {process.name: process for process in PROCESSES}


class Server:
    """One process and its children; what they use is read from /proc."""

    def __init__(self, program: Program, port: int) -> None:
        self.port = port
        self._program = program

    @property
    def pids(self) -> list[int]:
        assert self._program._child is not None
        group = os.getpgid(self._program._child.pid)
        return [int(entry.name) for entry in Path("/proc").glob("[0-9]*") if _group(entry) == group]

    def stop(self) -> None:
        """All of it holds still, until `go_on`."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        assert self._program._child is not None
        os.killpg(self._program._child.pid, number)

    def resident_mib(self) -> float:
        """Proportional: what the processes share is counted once."""
        return round(sum(_proportional_kib(pid) for pid in self.pids) / 1024, 1)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def argv_of(name: str, port: int, home: Path) -> list[str]:
    return list(_ROWS[name].argv(port=port, run=str(home)))


@contextmanager
def platform(name: str, home: Path, application: str = "dpp_project", **environment: str) -> Iterator[Server]:
    """A row of the platform's process table; of a worker, by the Celery application that is named."""
    port = free_port()
    argv = argv_of(name, port, home)
    if application != "dpp_project":
        argv[argv.index("-A") + 1] = application
    with running(name, argv, home, environment, port) as server:
        if _ROWS[name].url_variable:
            wait_for(f"http://127.0.0.1:{port}{_ROWS[name].health_path}")
        yield server
    if name == "worker":
        _let_long_polls_end()


@contextmanager
def plain_api(home: Path, *, body: bytes = b"{}") -> Iterator[Server]:
    """The plain views, by the same server with the same settings."""
    port = free_port()
    argv = [
        argument.replace("dpp_project.wsgi", "bench.speed.plain.wsgi")
        for argument in _ROWS["api"].argv(port=port, run=str(home))
    ]
    with running("plain-api", argv, home, {"BENCH_BYTES": body.hex()}, port) as server:
        wait_for(f"http://127.0.0.1:{port}/bare")
        yield server


@contextmanager
def plain_worker(home: Path, done: Path) -> Iterator[Server]:
    """Bare Celery with the options of our worker. Its tasks note in `done` when they end."""
    argv = _ROWS["worker"].argv(port=None, run=str(home))
    argv[argv.index("-A") + 1] = "bench.speed.plain.celery"
    argv[argv.index("-Q") + 1] = "bench-plain"
    with running("plain-worker", argv, home, {"BENCH_DONE": str(done)}, 0) as server:
        yield server
    _let_long_polls_end()


@contextmanager
def running(name: str, argv: list[str], home: Path, environment: dict[str, str], port: int) -> Iterator[Server]:
    log = home / f"{name}-{time.monotonic_ns()}.log"
    program = Program(log.stem, home=home, log=log)
    environment = {**os.environ, "DPP_LOG_LEVEL": "INFO", **environment}
    program.start(Order(argv=argv, cwd=CLONE, env=environment, keep_group=True))
    try:
        yield Server(program, port)
    except BaseException:
        sys.stderr.write(log.read_text(errors="replace")[-3000:])
        raise
    finally:
        if program.running and program._child is not None:
            os.killpg(program._child.pid, signal.SIGCONT)
        program.kill()


def _let_long_polls_end() -> None:
    """The poll of a worker that is gone would swallow the next one's message for a whole visibility timeout."""
    time.sleep(1.5)


def wait_for(url: str, *, seconds: float = 120) -> None:
    ends = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            if time.monotonic() > ends:
                raise
            time.sleep(0.05)


def ask(port: int, request: bytes) -> bytes:
    """One answer, head and body."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(request.replace(b"Host:", b"Connection: close\r\nHost:", 1))
        answer = b""
        while chunk := connection.recv(65_536):
            answer += chunk
        return answer


def _group(entry: Path) -> int | None:
    try:
        return int((entry / "stat").read_text().rpartition(")")[2].split()[2])
    except OSError:
        return None


def _proportional_kib(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
