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
            is_main = child in (pid, parents[pid])
            found[_name(child, is_main=is_main)] += ticks[pid] / _TICKS_PER_SEC  # type: ignore[assignment]
    return found


def _child_of_ours(pid: int, parents: dict[int, int]) -> int | None:
    """The process that this one started, at or above `pid`."""
    while pid in parents:
        if parents[pid] == os.getpid():
            return pid
        pid = parents[pid]
    return None


def _name(child: int, *, is_main: bool) -> str:
    """Of Celery's processes the first one, below the one that starts it, is the one that talks to the queue."""
    try:
        command = Path(f"/proc/{child}/cmdline").read_text()
    except OSError:
        return "other"
    name = next((name for name in _NAMES if name in command), "other")
    return f"{name} main" if name == "celery" and is_main else name


def shared_by_session() -> bool:
    """Whether the kernel divides the cores among sessions first (sched_autogroup), then among a session's processes."""
    try:
        return Path("/proc/sys/kernel/sched_autogroup_enabled").read_text().strip() == "1"
    except OSError:
        return False


def others_wanting() -> str:
    """Which processes of others want a core in this moment. By session: how many in each, then after a + those in our
    own. By process: each with its weight, as `1*0.33`."""
    parents: dict[int, int] = {}
    wanting: dict[int, tuple[int, int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(entry.name)] = int(fields[1])
        if fields[0] == "R":
            wanting[int(entry.name)] = int(fields[3]), int(fields[16])
    others = [wanted for pid, wanted in wanting.items() if pid != os.getpid() and _child_of_ours(pid, parents) is None]
    if not shared_by_session():
        # A nice value, as Linux weighs it.
        return " ".join(f"1*{1.25**-nice:.2f}" for _, nice in others)
    sessions = Counter(session for session, _ in others)
    beside = sessions.pop(os.getsid(0), 0)
    return " ".join(str(number) for number in sorted(sessions.values())) + (f"+{beside}" if beside else "")
