"""`make status`: each process at a glance, and whether the whole answers."""

import os
import time
from pathlib import Path

from devstack.client import Unreachable, request
from devstack.environment import read_environment
from devstack.layout import Layout
from devstack.state import Status, UnitState, read_state
from devstack.terminal import Terminal

NOT_RUNNING = 3  # as `systemctl status` has it
FINE = (Status.READY, Status.DONE, Status.EXTERNAL)


def status(layout: Layout, terminal: Terminal) -> int:
    """0 if everything is ready, 3 if nothing runs, 1 for anything between."""
    state = read_state(layout.state)
    if state is None or not state.alive:
        terminal.line("Nothing is running. `make up` starts the stack.")
        if state and state.error:
            terminal.line(f"The last start failed: {state.error}")
        return NOT_RUNNING
    for unit in state.units:
        _show(unit, terminal)
    ready = _show_readiness(read_environment(layout.env).get("DPP_API_URL", ""), terminal)
    return 0 if ready and all(unit.status in FINE for unit in state.units) else 1


def _show(unit: UnitState, terminal: Terminal) -> None:
    details = [f"{unit.status:<9}{unit.address:<18}"]
    if unit.pid:
        details.append(f"pid {unit.pid:<7} {_age(time.time() - unit.since):>8} {_memory(unit.pid):>8}")
    if unit.restarts:
        details.append(f"started again {unit.restarts}×")
    if unit.note:
        details.append(f"({unit.note})")
    show = terminal.done if unit.status in FINE else terminal.failed
    show(unit.title, "  ".join(details))


def _show_readiness(api_url: str, terminal: Terminal) -> bool:
    try:
        answer = request("GET", f"{api_url}/readyz", timeout_sec=5)
    except (Unreachable, ValueError) as error:
        terminal.failed("/readyz", str(error))
        return False
    show = terminal.done if answer.status == 200 else terminal.failed
    show("/readyz", f"{answer.status} {answer.body[:500].decode(errors='replace')}")
    return answer.status == 200


def _age(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} m" if hours else f"{minutes} m {rest:02} s" if minutes else f"{rest} s"


def _memory(pid: int) -> str:
    """Resident memory of a process and its helpers, which share its session."""
    pages = 0
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                fields = (process / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            session, resident_pages = int(fields[3]), int(fields[21])
            pages += resident_pages if session == pid else 0
    return f"{pages * os.sysconf('SC_PAGE_SIZE') / 1_048_576:.0f} MiB"
