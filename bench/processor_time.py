"""Processor time of the servers: what an operation costs, whatever else the machine does meanwhile."""

import os
from collections import Counter
from pathlib import Path

_TICKS_PER_SEC = os.sysconf("SC_CLK_TCK")
_NAMES = ("postgres", "valkey", "ministack", "granian", "celery", "locust")


def servers_sec() -> float:
    """Seconds used so far by every process that this one started, and by theirs; not by this one, the client."""
    return sum(sec_by_server().values())


def sec_by_server() -> Counter[str]:
    """The same for each kind of server."""
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(entry.name)] = int(fields[1])
        # With those of its ended children: PostgreSQL's connections come and go.
        ticks[int(entry.name)] = sum(int(value) for value in fields[11:15])
    found: Counter[str] = Counter()
    for pid in parents:
        if (child := _child_of_ours(pid, parents)) is not None:
            found[_name(child)] += ticks[pid] / _TICKS_PER_SEC  # type: ignore[assignment]
    return found


def _child_of_ours(pid: int, parents: dict[int, int]) -> int | None:
    """The process that this one started, at or above `pid`."""
    while pid in parents:
        if parents[pid] == os.getpid():
            return pid
        pid = parents[pid]
    return None


def _name(pid: int) -> str:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return "other"
    return next((name for name in _NAMES if name in command), "other")


def others_running() -> float:
    """Processes of others that want a core in this moment, in units of one of ordinary priority."""
    parents, wanting = {}, {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(entry.name)] = int(fields[1])
        if fields[0] == "R":
            wanting[int(entry.name)] = 1.25 ** -int(fields[16])  # its nice value, as Linux weighs it
    return sum(weight for pid, weight in wanting.items() if pid != os.getpid() and _child_of_ours(pid, parents) is None)
