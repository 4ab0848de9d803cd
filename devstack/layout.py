"""Where the stack keeps what. Everything is under `.dpp/` of the clone; nothing is system-wide."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

CLONE = Path(__file__).resolve().parents[1]


class Busy(Exception):
    """Somebody else holds the lock."""


@dataclass(frozen=True)
class Layout:
    clone: Path = CLONE

    @property
    def home(self) -> Path:
        return self.clone / ".dpp"

    @property
    def env(self) -> Path:
        """What a shell needs to reach the stack."""
        return self.home / "env"

    @property
    def ports(self) -> Path:
        return self.home / "ports.json"

    @property
    def credentials(self) -> Path:
        return self.home / "credentials.json"

    @property
    def admin_password(self) -> Path:
        return self.home / "admin-password"

    @property
    def run(self) -> Path:
        """What is true only while the stack runs."""
        return self.home / "run"

    @property
    def metrics(self) -> Path:
        """Where the processes of one start leave their counters."""
        return self.run / "metrics"

    @property
    def state(self) -> Path:
        return self.run / "state.json"

    @property
    def logs(self) -> Path:
        return self.home / "log"

    def log(self, name: str) -> Path:
        return self.logs / f"{name}.log"

    def make(self) -> None:
        for directory in (self.home, self.run, self.logs):
            directory.mkdir(parents=True, exist_ok=True)
        # Whatever the umask: the account PostgreSQL runs under passes through the first; the others are ours.
        self.home.chmod(0o755)
        self.run.chmod(0o700)
        self.logs.chmod(0o700)

    @contextmanager
    def lock(self, name: str) -> Iterator[None]:
        """Hold a lock that the kernel lets go of when this process ends, however it ends."""
        with (self.run / f"{name}.lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Busy(name) from None
            yield
