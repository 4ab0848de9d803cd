"""The product's own processes, started for a test and ended with it."""

import contextlib
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

from devstack.programs import Order, Program
from dpp_project.celery import RUNS_QUEUES
from dpp_project.settings import SQS_WAIT_TIME_SEC
from tests.ports import free_port

CLONE = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent


def children_of(pid: int) -> list[int]:
    found: list[int] = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it ended while we looked
            found += map(int, listed.read_text().split())
    return found


class _Process:
    """A child in a group of its own, so that its children end with it."""

    name = "process"

    def __init__(self, environment: dict[str, str] | None = None) -> None:
        self.environment = environment or {}
        home = CLONE / ".dpp-test" / str(os.getpid())
        name = f"{self.name}-{time.monotonic_ns()}"
        self.log = home / f"{name}.log"
        # Dies with this session, however that ends.
        self._program = Program(name, home=home, log=self.log)

    def command(self) -> list[str]:
        raise NotImplementedError

    def full_environment(self) -> dict[str, str]:
        return {**os.environ, "DPP_LOG_LEVEL": "INFO", **self.environment}

    def start(self) -> None:
        self._program.start(Order(argv=self.command(), cwd=CLONE, env=self.full_environment(), keep_group=True))

    @property
    def child(self) -> "subprocess.Popen[bytes] | None":
        """The head of the group; it hands SIGTERM on."""
        return self._program._child

    @property
    def pid(self) -> int:
        assert self.child is not None
        return self.child.pid

    def signal_group(self, signum: int) -> None:
        if self._program.running:
            os.killpg(self.pid, signum)

    def kill(self) -> None:
        """kill -9 of all of it."""
        self._program.kill()

    def stop(self) -> None:
        self.signal_group(signal.SIGCONT)
        self.kill()

    def lines(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""


class ApiProcess(_Process):
    name = "api"

    def __init__(self, environment: dict[str, str] | None = None) -> None:
        super().__init__(environment)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"

    def command(self) -> list[str]:
        return [
            str(BIN / "granian"),
            *("--interface", "wsgi", "--host", "127.0.0.1", "--port", str(self.port)),
            *("--workers", "1", "--blocking-threads", "16", "--no-ws", "--backlog", "1024"),
            *("--http", "1", "--http1-header-read-timeout", "10000"),
            "dpp_project.wsgi:application",
        ]

    def __enter__(self) -> Self:
        self.start()
        self.wait_ready()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def wait_ready(self, seconds: float = 90, *, path: str = "/healthz") -> None:
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            try:
                with urllib.request.urlopen(f"{self.url}{path}", timeout=5):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        raise AssertionError(f"the API did not start:\n{self.lines()[-3000:]}")


class WorkerProcess(_Process):
    name = "worker"

    _last_ended_at: ClassVar[float] = 0.0

    def kill(self) -> None:
        super().kill()
        WorkerProcess._last_ended_at = time.monotonic()

    @classmethod
    def wait_for_dead_polls(cls) -> None:
        """A long poll outlives its client and would swallow the next message for a whole visibility timeout."""
        ends = cls._last_ended_at + SQS_WAIT_TIME_SEC + 0.2
        time.sleep(max(0.0, ends - time.monotonic()))

    application = "dpp_project"
    queues: tuple[str, ...] = RUNS_QUEUES

    def command(self) -> list[str]:
        return [
            *(str(BIN / "celery"), "-A", self.application, "worker", "-Q", ",".join(self.queues), "--concurrency", "2"),
            *("--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "INFO"),
        ]


class ZooWorkerProcess(WorkerProcess):
    """A worker that fetches from the test's own sites; `tests.packs.fetch.zoo_web.told` says where they are."""

    application = "tests.zoo_worker"
