"""`make down`: stop whatever runs of this stack, in good order if possible."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

from devstack.identity import marked
from devstack.layout import Busy, Layout
from devstack.prerequisites import MissingPrerequisite, check_directory
from devstack.programs import end_marked
from devstack.state import State, Status, read_state
from devstack.terminal import Terminal

STOP_SEC = 60


def down(layout: Layout, terminal: Terminal) -> int:
    if not layout.run.is_dir():
        terminal.line("Nothing is running.")
        return 0
    check_directory(layout.home)
    with alone(layout):
        if not stop_running(layout, terminal):
            terminal.line("Nothing is running.")
    return 0


def stop_running(layout: Layout, terminal: Terminal) -> bool:
    """Ask the supervisor to stop everything, and end by force what is left. False: there was nothing."""
    state = read_state(layout.state)
    # One that was killed before it wrote anything down is still known by its mark.
    supervisors = set(marked(layout.home, "supervisor"))
    if state and state.supervisor and state.supervisor.alive:
        supervisors.add(state.supervisor)
    leftovers = not supervisors and any(True for _ in marked(layout.home))
    started = time.monotonic()
    for supervisor in supervisors:
        supervisor.send(signal.SIGTERM)
        while supervisor.alive and time.monotonic() - started < STOP_SEC:
            terminal.progress("Stopping", _still_running(read_state(layout.state)))
            time.sleep(0.1)
    end_marked(layout.home)
    if supervisors:
        terminal.done("Stopped", seconds=time.monotonic() - started)
    elif leftovers:
        terminal.done("Tidied up", "after a stack whose supervisor was killed")
    return bool(supervisors or leftovers)


@contextmanager
def alone(layout: Layout) -> Iterator[None]:
    try:
        with layout.lock("command"):
            yield
    except Busy:
        raise MissingPrerequisite(
            "another `make up` or `make down` is at work in this clone", "wait until it has finished"
        ) from None


def _still_running(state: State | None) -> str:
    running = (Status.READY, Status.STARTING, Status.DOWN)
    return ", ".join(unit.title for unit in state.units if unit.status in running) if state else ""
