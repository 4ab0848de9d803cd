"""What all servers of the stack have in common: a port, a data directory, a log, and a life cycle."""

import os
import signal
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar

from devstack.files import last_lines
from devstack.programs import Order, Program, end_marked


class ServiceFailed(Exception):
    """A server ended or did not get ready; the message ends with the last lines of its log."""


class Service(ABC):
    """A server on 127.0.0.1 with everything it owns under `home`.

    It may be stopped or killed and started again as often as one likes: same port, same data.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    stop_signal: ClassVar[signal.Signals] = signal.SIGTERM

    def __init__(self, home: Path, port: int) -> None:
        self.home = home
        self.port = port
        self.data = home / "data" / self.name
        self.log = home / "log" / f"{self.name}.log"
        self.program = Program(self.name, home=home, log=self.log)

    @property
    @abstractmethod
    def url(self) -> str: ...

    @abstractmethod
    def check(self) -> None:
        """Ask what only a working server answers; raise if it does not, within about a second."""

    @abstractmethod
    def _prepare(self) -> Order:
        """Make what the server needs on disk, if it is not there yet; what to run."""

    def start(self) -> None:
        """Start the process and return at once; see `wait_ready`."""
        self.data.parent.mkdir(parents=True, exist_ok=True)
        for directory in (self.home, self.data.parent):
            directory.chmod(0o755)  # ours, whatever the umask: the account of PostgreSQL passes through them
        self._end_leftovers()
        self.program.start(self._prepare())

    def wait_ready(self, timeout_sec: float = 30) -> None:
        deadline = time.monotonic() + timeout_sec
        while True:
            code = self.program.poll()
            if code is not None or self.program.pid is None:
                raise ServiceFailed(f"{self.title} ended with code {code}.{self._log_end()}")
            try:
                return self.check()
            except Exception as error:  # each client library has its own; the last one is shown
                if time.monotonic() > deadline:
                    raise ServiceFailed(f"{self.title} is not ready: {error}{self._log_end()}") from error
            time.sleep(0.03)

    def stop(self) -> None:
        """Stop it in good order, so that nothing is lost."""
        self.program.stop(self.stop_signal, grace_sec=20)

    def kill(self) -> None:
        """kill -9."""
        self.program.kill()
        self._end_leftovers()

    def restart(self) -> None:
        """Stop, start on the same port with the same data, and wait until it is ready."""
        self.stop()
        self.start()
        self.wait_ready()

    def _end_leftovers(self) -> None:
        """End what an earlier life left behind, before anything of it is touched."""
        end_marked(self.home, self.name)

    def _log_end(self) -> str:
        return "".join(f"\n  {line}" for line in last_lines(self.log, 12))


def private_directory(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(0o700)
    return path


def plain_environment() -> dict[str, str]:
    """The environment for a server: settings of ours or of the caller's shell must not reconfigure it."""
    kept = ("PATH", "HOME", "USER", "LANG", "TZ", "LD_LIBRARY_PATH")
    return {name: os.environ[name] for name in kept if name in os.environ}
