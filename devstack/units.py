"""What the supervisor looks after: processes that are kept alive, and commands that end by themselves."""

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass

from devstack.programs import Order, Program
from devstack.state import Status, UnitState

# The pause before a process is started again doubles from the first to the second; a process that stayed up
# for a minute is forgiven its past.
FIRST_PAUSE_SEC, LONGEST_PAUSE_SEC, FORGIVEN_AFTER_SEC = 0.5, 15.0, 60.0


@dataclass
class Unit:
    """One process that is kept alive."""

    state: UnitState
    program: Program
    start: Callable[[], None]
    check: Callable[[], None] | None
    stop_signal: signal.Signals = signal.SIGTERM
    grace_sec: float = 15
    on_ready: Callable[[], None] | None = None
    start_again_at: float = 0.0
    started_at: float = 0.0

    def begin(self) -> None:
        self.started_at = time.monotonic()
        self.start()
        self._enter(Status.STARTING)

    def tick(self) -> None:
        if self.state.status in (Status.STARTING, Status.READY):
            code = self.program.poll()
            if code is not None:
                self._ended(code)
        if self.state.status == Status.DOWN and time.monotonic() >= self.start_again_at:
            self._begin_again()
        if self.state.status == Status.STARTING and self._answers():
            self.state.took_sec = round(time.monotonic() - self.started_at, 2)
            self._enter(Status.READY)
            if self.on_ready:
                self.on_ready()

    def _answers(self) -> bool:
        if self.check is None:
            return True
        try:
            self.check()
        except Exception:  # each client library has its own; not ready is all that matters
            return False
        return True

    def _ended(self, code: int) -> None:
        lived = time.monotonic() - self.started_at
        self.state.restarts = 1 if lived > FORGIVEN_AFTER_SEC else self.state.restarts + 1
        pause = pause_sec(self.state.restarts)
        self.start_again_at = time.monotonic() + pause
        self.state.note = f"ended with code {code}"
        self._enter(Status.DOWN)
        say(f"{self.state.name} ended with code {code}; starting it again in {pause:g} s")

    def _begin_again(self) -> None:
        try:
            self.begin()
        except Exception as error:
            # Whatever the reason (a full disk, say), the other processes must not suffer from it.
            say(f"{self.state.name} cannot be started: {error}")
            self.state.note = str(error)
            self.start_again_at = time.monotonic() + LONGEST_PAUSE_SEC

    def _enter(self, status: Status) -> None:
        self.state.status = status
        self.state.pid = self.program.pid if status in (Status.STARTING, Status.READY) else None
        self.state.since = time.time()


@dataclass
class Task:
    """A management command that ends by itself."""

    state: UnitState
    program: Program
    order: Order
    code: int | None = None
    started_at: float = 0.0

    def begin(self) -> None:
        self.started_at = time.monotonic()
        self.program.start(self.order)
        self.state.status, self.state.pid, self.state.since = Status.STARTING, self.program.pid, time.time()

    def tick(self) -> bool:
        """Whether it has ended."""
        self.code = self.program.poll()
        if self.code is None:
            return False
        self.state.status = Status.DONE if self.code == 0 else Status.DOWN
        self.state.note = "" if self.code == 0 else f"ended with code {self.code}"
        self.state.took_sec = round(time.monotonic() - self.started_at, 2)
        self.state.pid, self.state.since = None, time.time()
        return True


def pause_sec(failures: int) -> float:
    return min(FIRST_PAUSE_SEC * 2 ** (failures - 1), LONGEST_PAUSE_SEC) if failures else 0.0


def say(message: str) -> None:
    print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {message}", flush=True)
