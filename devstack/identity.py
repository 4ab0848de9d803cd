"""Which process is meant, beyond its number: numbers are reused, and a stranger must never be signalled."""

import contextlib
import os
import signal
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

# Every process of a stack carries `<directory of the stack>:<name>` under this name in its environment, and
# hands it to its own children. So helpers that nobody wrote down (a server's workers) are found after a
# crash as well.
MARK = "DPP_STACK_PROCESS"


@dataclass(frozen=True)
class Identity:
    """A process number together with what the kernel never repeats: its start, in ticks since this boot."""

    pid: int
    started_ticks: int
    boot: str

    @classmethod
    def of(cls, pid: int) -> "Identity | None":
        """The live process of this number; None if there is none, or only its unreaped remains."""
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return None
        state, started_ticks = fields[0], int(fields[19])
        return None if state in "ZX" else cls(pid, started_ticks, _boot())

    @classmethod
    def from_json(cls, value: Any) -> "Identity | None":
        try:
            return cls(int(value["pid"]), int(value["started_ticks"]), str(value["boot"]))
        except (KeyError, TypeError, ValueError):
            return None

    def to_json(self) -> dict[str, int | str]:
        return asdict(self)

    @property
    def alive(self) -> bool:
        return Identity.of(self.pid) == self

    def send(self, number: signal.Signals) -> bool:
        """Signal this very process; False if it is gone. A recycled number is left in peace."""
        try:
            # The descriptor names one process for good: what is checked after opening it is what gets the
            # signal.
            descriptor = os.pidfd_open(self.pid)
        except ProcessLookupError:
            return False
        try:
            if not self.alive:
                return False
            signal.pidfd_send_signal(descriptor, number)
        except ProcessLookupError:
            return False
        finally:
            os.close(descriptor)
        return True


def mark(home: Path, name: str) -> str:
    return f"{home.resolve()}:{name}"


def marked(home: Path, name: str | None = None) -> Iterator[Identity]:
    """Live processes of the stack in `home`: all of them, or those of one name."""
    wanted = f"{MARK}={mark(home, name or '')}".encode()
    for process, identity in _others():
        with contextlib.suppress(OSError):  # somebody else's, or just ended
            variables = (process / "environ").read_bytes().split(b"\0")
            if any(item == wanted if name else item.startswith(wanted) for item in variables):
                yield identity


def working_in(directory: Path, program: str) -> Iterator[Identity]:
    """Live processes of a program whose working directory this is."""
    for process, identity in _others():
        with contextlib.suppress(OSError):
            if (process / "cwd").readlink() == directory.resolve() and ((process / "exe").readlink().name == program):
                yield identity


def _others() -> Iterator[tuple[Path, Identity]]:
    for process in Path("/proc").iterdir():
        if process.name.isdigit() and int(process.name) != os.getpid():
            identity = Identity.of(int(process.name))
            if identity is not None:
                yield process, identity


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
