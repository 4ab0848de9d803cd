"""Further processes of the product, for torture: beat, the maintenance worker, an API that respawns, a loop of jobs."""

import os
import signal
import sys
import time
from pathlib import Path

from dpp_project.celery import MAINTENANCE_QUEUE
from tests.processes import BIN, ApiProcess, WorkerProcess, _Process

# Starts its arguments again whenever they end. kill -9 of the group ends it too, as the death of the machine would.
_SUPERVISED = ["/bin/sh", "-c", 'while :; do "$@"; sleep 0.3; done', "supervisor"]


class RespawningApi(ApiProcess):
    """As in production: when the process that serves is killed, another one takes its place. The server itself gives up
    when that happens twice within seconds: then its supervisor starts it anew."""

    def command(self) -> list[str]:
        *options, application = super().command()
        return [*_SUPERVISED, *options, "--respawn-failed-workers", "--respawn-interval", "0.1", application]


class SupervisedWorker(WorkerProcess):
    """As in production: a worker that ends (its queue was gone when it asked) is started again."""

    def command(self) -> list[str]:
        return [*_SUPERVISED, *super().command()]


class JobsLoop(_Process):
    name = "jobs"

    def command(self) -> list[str]:
        return [sys.executable, "-m", "tests.torture.jobs_loop"]


class MaintenanceWorker(WorkerProcess):
    name = "maintenance"

    queues = (MAINTENANCE_QUEUE,)


class Beat(_Process):
    name = "beat"

    def command(self) -> list[str]:
        return [
            *(str(BIN / "celery"), "-A", "dpp_project", "beat", "--loglevel", "INFO"),
            *("--schedule", str(self.log.with_suffix(".schedule")), "--pidfile", ""),
        ]


class CrashPoints:
    """Arms one process of those that share a file: the first that passes the point."""

    def __init__(self, directory: Path) -> None:
        self.file = directory / "crash-points"
        directory.mkdir(parents=True, exist_ok=True)

    @property
    def environment(self) -> dict[str, str]:
        return {"DPP_CRASH_POINTS_FILE": str(self.file)}

    def arm(self, text: str) -> None:
        self.disarm()
        unfinished = self.file.with_name("unfinished")
        unfinished.write_text(text)
        unfinished.rename(self.file)

    def disarm(self) -> None:
        for file in (self.file, *self._taken()):
            file.unlink(missing_ok=True)

    @property
    def victim(self) -> int | None:
        """The process that took the point, once it has."""
        taken = self._taken()
        return int(taken[0].name.split(".")[-2]) if taken else None

    def _taken(self) -> list[Path]:
        return list(self.file.parent.glob(f"{self.file.name}.*.taken"))


def is_stopped(pid: int) -> bool:
    return _state(pid) == "T"


def is_gone(pid: int, *, within_sec: float = 5.0) -> bool:
    """A kill -9 takes effect when the kernel next looks at the process, which on a busy machine is not at once."""
    ends = time.monotonic() + within_sec
    while _state(pid) not in ("", "Z", "X"):
        if time.monotonic() > ends:
            return False
        time.sleep(0.02)
    return True


def resume(pid: int) -> None:
    os.kill(pid, signal.SIGCONT)


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""
