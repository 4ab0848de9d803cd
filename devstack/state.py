"""What the supervisor tells everybody else: one small file, replaced at each change."""

import json
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path

from devstack.files import write_private
from devstack.identity import Identity


class Phase(StrEnum):
    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"
    FAILED = "failed"


class Status(StrEnum):
    WAITING = "waiting"
    STARTING = "starting"
    READY = "ready"
    DOWN = "down"
    """Ended by itself; will be started again."""
    DONE = "done"
    """A command that has done its work."""
    EXTERNAL = "external"
    STOPPED = "stopped"


@dataclass
class UnitState:
    name: str
    title: str
    status: Status = Status.WAITING
    address: str = ""
    pid: int | None = None
    since: float = 0.0
    """When this status began, in seconds since the epoch."""
    took_sec: float = 0.0
    """From start to ready, or to done."""
    restarts: int = 0
    note: str = ""


@dataclass
class State:
    phase: Phase
    supervisor: Identity | None
    units: list[UnitState] = field(default_factory=list)
    error: str = ""
    failed_unit: str = ""
    """Whose log explains the error."""

    @property
    def alive(self) -> bool:
        return self.supervisor is not None and self.supervisor.alive

    def unit(self, name: str) -> UnitState | None:
        return next((unit for unit in self.units if unit.name == name), None)


def write_state(path: Path, state: State) -> None:
    supervisor = state.supervisor.to_json() if state.supervisor else None
    write_private(path, json.dumps({**asdict(state), "supervisor": supervisor}, indent=1) + "\n")


def read_state(path: Path) -> State | None:
    """None if there is none, or none that can be understood (another version's, say)."""
    try:
        content = json.loads(path.read_text())
        units = [UnitState(**{**unit, "status": Status(unit["status"])}) for unit in content["units"]]
        return State(
            phase=Phase(content["phase"]),
            supervisor=Identity.from_json(content["supervisor"]),
            units=units,
            error=content["error"],
            failed_unit=content["failed_unit"],
        )
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None
