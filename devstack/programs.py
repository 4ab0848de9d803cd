"""One program run as a child process: started, watched, stopped, killed, and never left behind."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from devstack.identity import MARK, Identity, mark, marked

_LAUNCH = Path(__file__).with_name("launch.py")

# "Dies with its parent" means, to the kernel, with the thread that started it. Whoever calls from a passing
# thread gets the child started by this one, which stays until the interpreter ends.
_STARTER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="stack-starter")


@dataclass(frozen=True)
class Account:
    """A user to become, and the capabilities (numbers of linux/capability.h) it keeps."""

    uid: int
    gid: int
    name: str
    capabilities: tuple[int, ...] = ()


@dataclass(frozen=True)
class Order:
    """What to run and how. `keep_group`: for programs whose helpers would survive a kill -9 of theirs."""

    argv: Sequence[str]
    cwd: Path
    env: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    account: Account | None = None
    keep_group: bool = False

    def launch_argv(self) -> list[str]:
        order = {
            "parent": os.getpid(),
            "cwd": str(self.cwd),
            "uid": self.account.uid if self.account else None,
            "gid": self.account.gid if self.account else None,
            "capabilities": self.account.capabilities if self.account else (),
            "keep_group": self.keep_group,
        }
        return [sys.executable, "-I", "-S", str(_LAUNCH), json.dumps(order), *self.argv]


class Program:
    """A named process of the stack in `home`, writing to `log`. It dies when this process dies, somehow."""

    def __init__(self, name: str, *, home: Path, log: Path) -> None:
        self.name = name
        self.home = home
        self.log = log
        self._child: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        return self._child.pid if self._child else None

    @property
    def identity(self) -> Identity | None:
        return Identity.of(self._child.pid) if self._child else None

    @property
    def running(self) -> bool:
        return self._child is not None and self.poll() is None

    def start(self, order: Order) -> None:
        if self.running:
            raise RuntimeError(f"{self.name} is running already")
        end_marked(self.home, self.name)
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self._child = start_child(order, log_fileno=log.fileno(), marking=mark(self.home, self.name))

    def poll(self) -> int | None:
        """The exit code once the program has ended; what is left of its group is ended with it."""
        child = self._child
        if child is None:
            return None
        if child.returncode is None and _has_ended(child.pid):
            # While its head is not reaped the group's number cannot belong to anybody else.
            self._kill_group()
            child.wait()
        return child.returncode

    def wait(self, timeout_sec: float) -> int | None:
        """The exit code, or None if the program still runs after the time."""
        deadline = time.monotonic() + timeout_sec
        while self.poll() is None:
            if self._child is None or time.monotonic() > deadline:
                return None
            time.sleep(0.02)
        return self.poll()

    def ask_to_stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        if self._child is not None and self.running:
            self._child.send_signal(number)

    def stop(self, number: signal.Signals = signal.SIGTERM, *, grace_sec: float = 10) -> None:
        """Ask the program to stop; kill it if it has not within the time."""
        self.ask_to_stop(number)
        if self.wait(grace_sec) is None:
            self.kill()

    def kill(self) -> None:
        """kill -9, the whole group, and wait until it is gone."""
        if self._child is not None and self.poll() is None:
            self._kill_group()
            self._child.wait()

    def _kill_group(self) -> None:
        if self._child is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._child.pid, signal.SIGKILL)


def start_child(order: Order, *, log_fileno: int, marking: str) -> subprocess.Popen[bytes]:
    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            order.launch_argv(),
            env={**order.env, MARK: marking},
            stdin=subprocess.DEVNULL,
            stdout=log_fileno,
            stderr=log_fileno,
            start_new_session=True,  # its own group, out of reach of the terminal's Ctrl-C
        )

    if threading.current_thread() is threading.main_thread():
        return start()
    return _STARTER.submit(start).result()


def end_marked(home: Path, name: str | None = None) -> None:
    """kill -9 whatever an earlier life of this stack left behind."""
    end_all(lambda: marked(home, name))


def end_all(find: Callable[[], Iterable[Identity]], *, timeout_sec: float = 5) -> None:
    """kill -9 what is found until nothing is: a dying server may have started a last helper."""
    deadline = time.monotonic() + timeout_sec
    while time.monotonic() < deadline:
        found = [identity for identity in find() if identity.send(signal.SIGKILL)]
        if not found:
            return
        time.sleep(0.02)


def _has_ended(pid: int) -> bool:
    """Whether our child has ended, without reaping it."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
